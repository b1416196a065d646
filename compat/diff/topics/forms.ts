/** Forms of answers: tables, partial metadata, YAML, media types, compression. */
import {
  configMap,
  configMaps,
  get,
  leases,
  NOT_DEFAULT,
  post,
  RBAC,
  roleBindings,
  roles,
  type Step,
  secrets,
  serviceAccounts,
  type Topic,
  topic,
} from '../request.ts';

const table = (more = ''): string => `application/json;as=Table;v=v1;g=meta.k8s.io${more}`;
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const PARTIALS = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const KUBECTL = `${table()},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`;
const start: Step = post(configMaps(), configMap('a', { data: { k: 'v' }, metadata: { labels: { x: 'y' } } }));
const one = (path: string): Step => get(path, { accept: KUBECTL, view: withoutAges });

export const forms: Topic = topic('forms', {
  'tables of each kind': [
    start,
    post(secrets(), { metadata: { name: 'a' }, stringData: { k: 'v' } }),
    post(serviceAccounts(), { metadata: { name: 'a' }, secrets: [{ name: 'x' }] }),
    post(leases(), { metadata: { name: 'a' }, spec: { holderIdentity: 'me' } }),
    post(roles(), { metadata: { name: 'a' }, rules: [] }),
    post(roleBindings(), {
      metadata: { name: 'a' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
      roleRef: { kind: 'Role', name: 'a', apiGroup: 'rbac.authorization.k8s.io' },
    }),
    post('/api/v1/namespaces/{{ns}}/events', {
      metadata: { name: 'a' },
      involvedObject: { kind: 'ConfigMap', name: 'a', namespace: '{{ns}}' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      count: 2,
      firstTimestamp: '2024-01-01T00:00:00Z',
      lastTimestamp: '2024-01-01T00:00:00Z',
      source: { component: 'c' },
    }),
    one(configMaps()),
    one(secrets()),
    one(`${serviceAccounts()}?${NOT_DEFAULT}`),
    one(leases()),
    one(roles()),
    one(roleBindings()),
    one('/api/v1/namespaces/{{ns}}/events'),
    one('/apis/events.k8s.io/v1/namespaces/{{ns}}/events'),
    one('/api/v1/namespaces/{{ns}}'),
    one(`${RBAC}/clusterroles/view`),
    one(`${RBAC}/clusterrolebindings/cluster-admin`),
    one(configMaps('a')),
  ],
  'objects inside tables': [
    start,
    get(`${configMaps()}?includeObject=None`, { accept: table(), view: withoutAges }),
    get(`${configMaps()}?includeObject=Object`, { accept: table(), view: withoutAges }),
    get(`${configMaps()}?includeObject=Metadata`, { accept: table(), view: withoutAges }),
    get(`${configMaps()}?includeObject=Odd`, { accept: table() }),
    get(configMaps('a'), { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io', view: withoutAges }),
    post(configMaps(), configMap('b'), { accept: table(), view: withoutAges }),
    get(configMaps('missing'), { accept: table() }),
    get(`${configMaps()}?limit=1`, { accept: table(), view: withoutAges }),
  ],
  'partial metadata': [
    start,
    get(configMaps('a'), { accept: PARTIAL }),
    get(configMaps(), { accept: PARTIALS }),
    get(configMaps(), { accept: PARTIAL }),
    get(configMaps('a'), { accept: PARTIALS }),
    get(configMaps('a'), { accept: 'application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io' }),
    get(configMaps('a'), { accept: 'application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
    get(configMaps('missing'), { accept: PARTIAL }),
  ],
  'forms that are not there': [
    start,
    get(configMaps('a'), { accept: 'application/json;as=Odd;v=v1;g=meta.k8s.io' }),
    get(configMaps('a'), { accept: 'application/json;as=Table;v=v2;g=meta.k8s.io' }),
    get(configMaps('a'), { accept: 'application/json;as=Table;v=v1;g=odd' }),
    get(configMaps('a'), { accept: 'application/json;as=Table' }),
    get(configMaps('a'), { accept: 'application/json;as=Odd;v=v1;g=meta.k8s.io,application/json' }),
  ],
  'media types': [
    start,
    get(configMaps('a'), { accept: 'application/json' }),
    get(configMaps('a'), { accept: 'application/yaml', exact: true, bodyless: true }),
    get(configMaps('a'), { accept: 'text/yaml' }),
    get(configMaps('a'), { accept: '*/*' }),
    get(configMaps('a'), { accept: 'application/*' }),
    get(configMaps('a'), { accept: 'text/*' }),
    get(configMaps('a'), { accept: 'text/html' }),
    get(configMaps('a'), { accept: 'text/html, application/json;q=0.5' }),
    get(configMaps('a'), { accept: 'application/json;q=0' }),
    get(configMaps('a'), { accept: '' }),
    get(configMaps('a'), { accept: 'garbage' }),
    get(configMaps('a'), { accept: 'application/cbor' }),
    get(configMaps('a'), { accept: 'application/json;charset=utf-8' }),
    get(configMaps('a'), { accept: 'application/json;pretty=1', bodyless: true }),
  ],
  'bodies of other types': [
    post(configMaps(), 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata: {k: v}\n', {
      type: 'application/yaml',
    }),
    post(configMaps(), 'metadata: {name: text}', { type: 'text/yaml' }),
    post(configMaps(), '{"metadata":{"name":"json-as-yaml"}}', { type: 'application/yaml' }),
    post(configMaps(), '{"metadata":{"name":"no-type"}}'),
    post(configMaps(), '{"metadata":{"name":"charset"}}', { type: 'application/json; charset=utf-8' }),
    post(configMaps(), 'x', { type: 'text/plain' }),
    post(configMaps(), 'x', { type: 'application/x-www-form-urlencoded' }),
    post(configMaps(), 'x', { type: 'garbage' }),
    post(configMaps(), '{"metadata":{"name":"star"}}', { type: '*/*' }),
    post(configMaps(), 'a: b: c', { type: 'application/yaml' }),
    post(configMaps(), '', { type: 'application/yaml' }),
    post(configMaps(), '- a\n- b\n', { type: 'application/yaml' }),
    post(configMaps(), 'metadata: {name: multi}\n---\nmetadata: {name: docs}\n', { type: 'application/yaml' }),
  ],
  compression: [
    post(configMaps(), configMap('big', { data: { k: 'x'.repeat(200_000) } }), { bodyless: true }),
    post(configMaps(), configMap('small')),
    get(configMaps('big'), { headers: { 'accept-encoding': 'gzip' } }),
    get(configMaps('big'), { headers: { 'accept-encoding': 'identity' } }),
    get(configMaps('small'), { headers: { 'accept-encoding': 'gzip' } }),
  ],
});

/** Ages depend on the clock: the column stays, its values are replaced. */
function withoutAges<T>(body: T): T {
  const { columnDefinitions, rows } = body as { columnDefinitions?: { name: string }[]; rows?: { cells: unknown[] }[] };
  const at = (columnDefinitions ?? []).findIndex((column) => column.name === 'Age');
  for (const row of rows ?? [])
    if (at >= 0) row.cells[at] = /^\d+[smhdy]/.test(String(row.cells[at])) ? '<age>' : row.cells[at];
  return body;
}
