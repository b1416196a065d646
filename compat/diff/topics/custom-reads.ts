/**
 * Reads of custom resources: tables, metadata alone, selectors, pages, watches, versions, definitions that are deleted.
 */
import type { Json } from '../normalise.ts';
import { del, get, patch, post, put, type Step, type Topic, topic, watch } from '../request.ts';
import { only, withBookmarksJoined, withoutAges, withoutClockBookmarks } from '../views.ts';
import { type CustomKind, customKind, kindWith, specOf, versionWith } from './custom-kind.ts';
import { DEFINITIONS, type Fields } from './definition-bodies.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const PARTIALS = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const PROPERTIES = {
  text: STRING,
  count: INTEGER,
  ratio: { type: 'number' },
  flag: { type: 'boolean' },
  when: { type: 'string', format: 'date-time' },
  list: { type: 'array', items: { type: 'object', properties: { name: STRING, on: { type: 'boolean' } } } },
  map: { type: 'object', additionalProperties: STRING },
};
const column = (name: string, type: string, jsonPath: string, rest: Fields = {}): Fields => ({
  name,
  type,
  jsonPath,
  ...rest,
});
const COLUMNS = [
  column('Text', 'string', '.spec.text', { description: 'The text.' }),
  column('Count', 'integer', '.spec.count', { format: 'int32' }),
  column('Ratio', 'number', '.spec.ratio'),
  column('Flag', 'boolean', '.spec.flag'),
  column('When', 'date', '.spec.when'),
  column('First', 'string', '.spec.list[0].name'),
  column('All', 'string', '.spec.list[*].name', { priority: 1 }),
  column('On', 'string', '.spec.list[?(@.on==true)].name'),
  column('Map', 'string', '.spec.map', { priority: 1 }),
  column('Key', 'string', ".spec.map['a.b']"),
  column('Wrong', 'integer', '.spec.text'),
  column('Label', 'string', '.metadata.labels.app'),
  column('Age', 'date', '.metadata.creationTimestamp'),
];
const tables = kindWith('tabulars', PROPERTIES, { additionalPrinterColumns: COLUMNS });
const plain = kindWith('plains', PROPERTIES);
const FULL = {
  metadata: { labels: { app: 'web' } },
  spec: {
    text: 'hello',
    count: 5,
    ratio: 0.5,
    flag: true,
    when: '2020-01-01T00:00:00Z',
    list: [
      { name: 'x', on: false },
      { name: 'y', on: true },
      { name: 'z', on: true },
    ],
    map: { 'a.b': 'dotted', c: 'd' },
  },
};
const table = (path: string): Step => get(path, { accept: TABLE, view: withoutAges });

const fields = kindWith(
  'selectables',
  { color: STRING, size: INTEGER, on: { type: 'boolean' }, gone: STRING },
  {
    selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }, { jsonPath: '.spec.on' }],
  },
);
const select = (selector: string): Step => get(fields.at('', `?fieldSelector=${encodeURIComponent(selector)}`));

const pages = kindWith('pages', { a: STRING });
const watched = kindWith(
  'watcheds',
  { color: STRING },
  {
    selectableFields: [{ jsonPath: '.spec.color' }],
    additionalPrinterColumns: [column('Color', 'string', '.spec.color')],
  },
);
const changes = (kind: CustomKind): Step[] => [
  kind.create('a', { metadata: { labels: { l: '1' } }, spec: { color: 'blue' } }),
  get(kind.at(), { save: { rv: 'metadata.resourceVersion' } }),
  kind.create('b', { metadata: { labels: { l: '1' } }, spec: { color: 'blue' } }),
  patch('merge', kind.at('a'), { metadata: { labels: { l: '2' } }, spec: { color: 'red' } }),
  patch('merge', kind.at('b'), { spec: { color: 'green' } }),
  del(kind.at('b')),
];
const from = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}resourceVersion={{rv}}`;

const versions = customKind('versioned', [
  versionWith(specOf({ a: STRING, old: STRING })),
  versionWith(specOf({ a: STRING, fresh: { type: 'string', default: 'd' } }), { name: 'v2', storage: false }),
  versionWith(specOf({ a: STRING }), { name: 'v1beta1', storage: false, deprecated: true }),
  versionWith(specOf({ a: STRING }), {
    name: 'v1alpha1',
    storage: false,
    deprecated: true,
    deprecationWarning: 'v1alpha1 is going away',
  }),
  versionWith(specOf({ a: STRING }), { name: 'v3', storage: false, served: false }),
]);
const storages = customKind('storages', [
  versionWith(specOf({ a: STRING })),
  versionWith(specOf({ a: STRING, b: STRING }), { name: 'v2', storage: false }),
]);
const ends = kindWith('endings', { a: STRING });
const established = customKind(
  'mosaics',
  [
    versionWith(specOf({ a: STRING }), {
      subresources: { status: {}, scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' } },
    }),
  ],
  {
    names: {
      shortNames: ['mo', 'mos'],
      categories: ['all', 'tiles'],
      singular: 'mosaic',
      kind: 'Mosaic',
      listKind: 'MosaicList',
    },
  },
);
const ourGroup =
  (group: string) =>
  (body: Json): Json => {
    const list = body as { items?: Json[]; groups?: Json[] };
    const named = (item: Json): boolean => JSON.stringify(item).includes(`"${group}"`);
    return (list.items ?? list.groups ?? []).filter(named);
  };
const ourPaths =
  (text: string) =>
  (body: Json): Json => {
    const { paths } = body as { paths: Record<string, Json> };
    return Object.fromEntries(Object.entries(paths).filter(([path]) => path.includes(text)));
  };

/** Keeps the paths and schemas of the group-version. DeleteOptions list every group. */
function pathsAndSchemas(body: Json): Json {
  const { paths, components } = only('paths', 'components')(body) as {
    paths: Json;
    components: { schemas: Record<string, Json> };
  };
  const { 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions': _, ...schemas } = components.schemas;
  return { paths, schemas };
}

export const customReads: Topic = topic('custom reads', {
  tables: [
    ...tables.make,
    tables.create('full', FULL),
    tables.create('empty'),
    tables.create('half', { spec: { list: [{}], when: '2020-01-01T00:00:00Z', count: 0, flag: false, text: '' } }),
    table(tables.at()),
    table(tables.at('full')),
    table(tables.at('missing')),
    table(tables.at('', '?includeObject=Object')),
    table(tables.at('', '?includeObject=None')),
    table(tables.at('', '?includeObject=Odd')),
    table(tables.at('', '?limit=1')),
    table(tables.cluster()),
    get(tables.at(), { accept: `${TABLE},application/json`, view: withoutAges }),
    get(tables.at(), { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io', view: withoutAges }),
    get(tables.at(), { accept: 'application/json;as=Odd;v=v1;g=meta.k8s.io' }),
    post(tables.at('', '?dryRun=All'), tables.object('new', FULL), { accept: TABLE, view: withoutAges }),
    patch('merge', tables.at('full'), { spec: { count: 6 } }, { accept: TABLE, view: withoutAges }),
    del(tables.at('half'), undefined, { accept: TABLE, view: withoutAges }),
  ],
  'tables without columns': [...plain.make, plain.create('a', FULL), table(plain.at()), table(plain.at('a'))],
  'metadata alone': [
    ...kindWith('partials', PROPERTIES).make,
    kindWith('partials', {}).create('a', FULL),
    ...[
      '/apis/partials.example.com/v1/namespaces/{{ns}}/partials',
      '/apis/partials.example.com/v1/namespaces/{{ns}}/partials/a',
    ].flatMap((path) => [get(path, { accept: PARTIAL }), get(path, { accept: PARTIALS })]),
    get('/apis/partials.example.com/v1/namespaces/{{ns}}/partials', {
      accept: 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      bodyless: true,
    }),
  ],
  'field selectors': [
    ...fields.make,
    fields.create('blue', { spec: { color: 'blue', size: 1, on: true } }),
    fields.create('red', { spec: { color: 'red', size: 2 } }),
    fields.create('none'),
    select('spec.color=blue'),
    select('spec.color!=blue'),
    select('spec.color='),
    select('spec.size=2'),
    select('spec.on=true'),
    select('spec.on='),
    select('spec.on=false'),
    select('spec.color=blue,spec.size=1'),
    select('spec.color=blue,spec.size=2'),
    select('metadata.name=red,spec.color=red'),
    select('metadata.namespace={{ns}}'),
    select('spec.gone=x'),
    select('spec.color'),
    select('.spec.color=blue'),
    select('status.x=1'),
    del(fields.at('', '?fieldSelector=spec.color%3Dred')),
    get(fields.at()),
  ],
  pages: [
    ...pages.make,
    ...['a', 'b', 'c', 'd', 'e'].map((name) => pages.create(name)),
    get(pages.at('', '?limit=2'), { save: { next: 'metadata.continue' } }),
    pages.create('bb'),
    get(pages.at('', '?limit=2&continue={{next}}'), { save: { last: 'metadata.continue' } }),
    get(pages.at('', '?limit=2&continue={{last}}')),
    get(pages.at('', '?continue=odd')),
    get(pages.at('', '?limit=-1')),
    get(pages.at('', '?limit=2&resourceVersion=0'), { bodyless: true }),
    get(pages.at('', '?resourceVersion=1&resourceVersionMatch=Exact')),
    get(pages.at('', '?resourceVersionMatch=Exact')),
  ],
  watches: [
    ...watched.make,
    ...changes(watched),
    watch(from(watched.at())),
    watch(from(watched.at('', '?labelSelector=l%3D1'))),
    watch(from(watched.at('', '?fieldSelector=spec.color%3Dblue'))),
    watch(from(watched.at('', '?fieldSelector=spec.color%3Dred'))),
    watch(from(watched.at()), { accept: TABLE }),
    watch(from(watched.at()), { accept: PARTIAL }),
    watch(watched.at('a')),
    watch(watched.at()),
    watch(from(watched.cluster())),
    watch(watched.at('', '?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'), {
      view: withoutClockBookmarks,
    }),
    get(from(watched.at('', '?watch=true&timeoutSeconds=4&allowWatchBookmarks=true')), { view: withBookmarksJoined }),
    watch(watched.at('', '?fieldSelector=spec.odd%3Dx')),
    watch(watched.at('', '?resourceVersion=abc')),
    watch(watched.at(), { accept: 'application/yaml' }),
    watch(watched.at(), { accept: 'application/vnd.kubernetes.protobuf' }),
    get('/apis/watcheds.example.com/v1/watch/namespaces/{{ns}}/watcheds?timeoutSeconds=1'),
    get('/apis/watcheds.example.com/v1/watch/namespaces/{{ns}}/watcheds/a?timeoutSeconds=1'),
  ],
  versions: [
    ...versions.make,
    versions.create('a', { spec: { a: 'x', old: 'o' } }),
    get(versions.at('a', '', 'v2')),
    get(versions.at('', '', 'v2')),
    get(versions.at('a', '', 'v3')),
    get(versions.at('a', '', 'v1beta1')),
    get(versions.at('a', '', 'v1alpha1')),
    get(versions.at('missing', '', 'v1alpha1')),
    post(versions.at('', '', 'v2'), versions.object('b', { spec: { a: 'y', fresh: 'f', old: 'dropped' } }, 'v2')),
    get(versions.at('b')),
    get(versions.at('b', '', 'v2')),
    post(versions.at('', '', 'v2'), versions.object('c')),
    post(versions.at('', '', 'v1alpha1'), versions.object('c', { spec: { a: 'x' } }, 'v1alpha1')),
    put(versions.at('c', '', 'v2'), versions.object('c', { spec: { fresh: 'g' } }, 'v2')),
    patch('merge', versions.at('a', '', 'v2'), { spec: { fresh: 'h' } }),
    get(versions.at('a')),
    del(versions.at('a', '', 'v1beta1')),
    watch(versions.at('', '', 'v2')),
    watch(versions.at('', '', 'v1alpha1')),
    get(versions.at('', '', 'v2'), { accept: TABLE, view: withoutAges }),
    get('/apis/versioned.example.com'),
  ],
  'a change of the storage version': [
    ...storages.make,
    storages.create('a', { spec: { a: 'x' } }),
    get(storages.at(), { save: { rv: 'metadata.resourceVersion' } }),
    storages.redefine({
      spec: {
        versions: [
          versionWith(specOf({ a: STRING }), { storage: false }),
          versionWith(specOf({ a: STRING, b: STRING }), { name: 'v2', storage: true }),
          versionWith(specOf({ c: STRING }), { name: 'v3', storage: false }),
        ],
      },
    }),
    get(storages.at('', '?limit=1', 'v3'), { until: 200, bodyless: true }),
    get(storages.at('a')),
    get(storages.at('a', '', 'v3')),
    patch('merge', storages.at('a', '', 'v2'), { spec: { b: 'y' } }),
    get(storages.at('a')),
    patch('merge', storages.at('a'), { spec: { a: 'z' } }),
    get(storages.at('a', '', 'v2')),
    watch(from(storages.at('', '', 'v2'))),
    get(storages.definition, { view: (body) => (body as { status: { storedVersions: Json } }).status.storedVersions }),
  ],
  'a definition that ends': [
    ...ends.make,
    ends.create('a', { metadata: { finalizers: ['example.com/hold'] } }),
    ends.create('b'),
    del(ends.definition, undefined, { bodyless: true }),
    ends.create('c', {}, { query: '?dryRun=All', until: 405 }),
    ends.create('c'),
    get(ends.at('b'), { until: 404 }),
    get(ends.at()),
    get(ends.at('a')),
    put(ends.at('n'), ends.object('n')),
    patch('merge', ends.at('a'), { spec: { a: 'changed' } }),
    get('/apis/endings.example.com/v1'),
    patch('merge', ends.at('a'), { metadata: { finalizers: null } }, { bodyless: true }),
    get(ends.definition, { until: 404 }),
    get(ends.at(), { until: 404 }),
    get('/apis/endings.example.com', { until: 404 }),
  ],
  'discovery and OpenAPI': [
    ...established.make,
    get('/apis/mosaics.example.com/v1', { until: 200 }),
    get('/apis', { view: ourGroup('mosaics.example.com') }),
    get('/apis', {
      accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
      view: ourGroup('mosaics.example.com'),
    }),
    get('/openapi/v3/apis/mosaics.example.com/v1', {
      until: 200,
      view: pathsAndSchemas,
    }),
    get('/openapi/v3', { view: ourPaths('mosaics.example.com') }),
    get(`${DEFINITIONS}/mosaics.mosaics.example.com`, {
      view: (body) => (body as { status: { acceptedNames: Json } }).status.acceptedNames,
    }),
  ],
});
