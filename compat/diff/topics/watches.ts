/** Watches, each ended by the server after a second. */
import { configMap, configMaps, del, get, patch, post, put, type Step, type Topic, topic, watch } from '../request.ts';
import { withBookmarksJoined, withoutClockBookmarks } from '../views.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const start: Step[] = [
  post(configMaps(), configMap('a', { metadata: { labels: { color: 'blue' } } })),
  get(configMaps(), { save: { rv: 'metadata.resourceVersion' } }),
];
const changes: Step[] = [
  post(configMaps(), configMap('b', { metadata: { labels: { color: 'blue' } } })),
  patch('merge', configMaps('a'), { metadata: { labels: { color: 'red' } } }),
  patch('merge', configMaps('b'), { data: { k: 'v' } }),
  del(configMaps('b')),
];

export const watches: Topic = topic('watches', {
  'from nothing': [...start, watch(configMaps()), watch(`${configMaps()}?resourceVersion=0`)],
  'from a revision': [...start, ...changes, watch(`${configMaps()}?resourceVersion={{rv}}`)],
  'old path': [
    ...start,
    get('/api/v1/watch/namespaces/{{ns}}/configmaps?timeoutSeconds=1'),
    get('/api/v1/watch/namespaces/{{ns}}/configmaps/a?timeoutSeconds=1'),
  ],
  'one name': [
    ...start,
    ...changes,
    watch(`${configMaps()}?resourceVersion={{rv}}&fieldSelector=metadata.name%3Da`),
    watch(`${configMaps('a')}`),
  ],
  'a selector turns changes into arrivals and departures': [
    ...start,
    ...changes,
    watch(`${configMaps()}?resourceVersion={{rv}}&labelSelector=color%3Dblue`),
    watch(`${configMaps()}?resourceVersion={{rv}}&labelSelector=color%3Dred`),
    watch(`${configMaps()}?resourceVersion={{rv}}&labelSelector=color%3Dnone`),
  ],
  'as a table': [
    ...start,
    ...changes,
    watch(`${configMaps()}?resourceVersion={{rv}}`, { accept: TABLE }),
    watch(`${configMaps()}?resourceVersion={{rv}}&includeObject=None`, { accept: TABLE }),
  ],
  'as partial metadata': [...start, ...changes, watch(`${configMaps()}?resourceVersion={{rv}}`, { accept: PARTIAL })],
  'streaming list': [
    ...start,
    watch(`${configMaps()}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, {
      view: withoutClockBookmarks,
    }),
    watch(
      `${configMaps()}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={{rv}}&labelSelector=color%3Dblue`,
      { view: withoutClockBookmarks },
    ),
    watch(`${configMaps()}?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={{rv}}`),
  ],
  'a bookmark before the end': [
    ...start,
    get(`${configMaps()}?watch=true&timeoutSeconds=4&allowWatchBookmarks=true&resourceVersion={{rv}}`, {
      view: withBookmarksJoined,
    }),
  ],
  'streaming list, refused': [
    watch(`${configMaps()}?sendInitialEvents=true`),
    watch(`${configMaps()}?sendInitialEvents=true&resourceVersionMatch=Exact`),
    watch(`${configMaps()}?resourceVersionMatch=NotOlderThan`),
    watch(`${configMaps()}?sendInitialEvents=odd`),
    watch(`${configMaps()}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&limit=1`),
  ],
  'all namespaces': [...start, watch('/api/v1/configmaps?fieldSelector=metadata.namespace%3D{{ns}}')],
  refused: [
    watch(`${configMaps()}?resourceVersion=abc`),
    watch(`${configMaps()}?labelSelector=((`),
    watch(`${configMaps()}?fieldSelector=odd%3Dx`),
    get(`${configMaps()}?watch=true&timeoutSeconds=x`),
    get(`${configMaps()}?watch=odd&timeoutSeconds=1`),
    watch(configMaps(), { user: 'alice' }),
    watch(configMaps(), { accept: 'application/yaml' }),
    watch(configMaps(), { accept: 'text/html' }),
    watch('/api/v1/namespaces/{{ns}}/odd'),
  ],
  'beyond the present': [watch(`${configMaps()}?resourceVersion=1000000000`)],
  'content types': [
    ...start,
    watch(configMaps(), { accept: 'application/json;stream=watch' }),
    watch(configMaps(), { accept: '*/*' }),
    watch(`${configMaps()}?pretty=true`, { exact: true, bodyless: true }),
  ],
  'other kinds': [
    watch('/api/v1/namespaces?fieldSelector=metadata.name%3D{{ns}}'),
    post('/api/v1/namespaces/{{ns}}/secrets', { metadata: { name: 's' }, stringData: { k: 'v' } }),
    watch('/api/v1/namespaces/{{ns}}/secrets'),
    put('/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases/l', {
      metadata: { name: 'l' },
      spec: { holderIdentity: 'h' },
    }),
    watch('/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases'),
  ],
});
