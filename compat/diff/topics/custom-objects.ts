/** Custom resources: writes, patches, names, deletes, other media types. */
import { del, get, patch, post, put, send, type Topic, topic } from '../request.ts';
import { type CustomKind, customKind, kindWith, versionWith } from './custom-kind.ts';

const FREE = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function freeKind(plural: string): CustomKind {
  return customKind(plural, [versionWith(FREE)]);
}

const writes = freeKind('writes');
const bodies = freeKind('bodies');
const updates = freeKind('updates');
const merges = kindWith('merges', {
  a: { type: 'string' },
  n: { type: 'integer' },
  list: { type: 'array', items: { type: 'string' } },
});
const jsonPatches = kindWith('jsonpatches', {
  a: { type: 'string' },
  list: { type: 'array', items: { type: 'string' } },
});
const generated = freeKind('generated');
const dries = kindWith('dries', { a: { type: 'string', default: 'd' } });
const deletes = freeKind('removals');
const collections = freeKind('collections');
const scopes = customKind('wides', [versionWith(FREE)], { scope: 'Cluster' });
const narrow = freeKind('narrows');
const forms = freeKind('forms');
const meta = freeKind('metas');
const managed = freeKind('managed');
const nobody = freeKind('nobodies');

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

export const customObjects: Topic = topic('custom objects', {
  'create, get, list': [
    ...writes.make,
    writes.create('a', { spec: { x: 1, y: 2.5, z: null, deep: { list: [1, 'two', { three: true }] } }, other: 'kept' }),
    writes.create('a'),
    get(writes.at('a')),
    get(writes.at('missing')),
    writes.create('b', { metadata: { labels: { app: 'b' }, annotations: { note: 'n' } } }),
    get(writes.at()),
    get(writes.cluster()),
    get(`${writes.at()}?labelSelector=app%3Db`),
    get(writes.cluster('a')),
    get(writes.at('a', '/status')),
    get(writes.at('a', '/scale')),
    get(writes.at('a', '/other')),
    put(writes.at('a', '/status'), writes.object('a')),
    get('/apis/writes.example.com/v1/namespaces/{{ns}}/reads'),
    get('/apis/writes.example.com/v2/namespaces/{{ns}}/writes'),
    get('/apis/writes.example.com/v1'),
    get('/apis/writes.example.com'),
    send('HEAD', writes.at('a'), { bodyless: true }),
    send('OPTIONS', writes.at('a')),
    post(writes.at('a'), writes.object('a')),
  ],
  'bodies that do not fit': [
    ...bodies.make,
    post(bodies.at(), {}),
    post(bodies.at(), { metadata: { name: 'a' } }),
    post(bodies.at(), { kind: 'Bodies', metadata: { name: 'a' } }),
    post(bodies.at(), { apiVersion: 'bodies.example.com/v1', metadata: { name: 'a' } }),
    post(bodies.at(), bodies.object('a', { kind: 'Other' })),
    post(bodies.at(), bodies.object('a', { kind: 'BodiesList' })),
    post(bodies.at(), bodies.object('a', { apiVersion: 'bodies.example.com/v2' })),
    post(bodies.at(), bodies.object('a', { apiVersion: 'other.example.com/v1' })),
    post(bodies.at(), bodies.object('a', { apiVersion: 'v1' })),
    post(bodies.at(), bodies.object('a', { apiVersion: 5 })),
    post(bodies.at(), bodies.object('a', { metadata: 'text' })),
    post(bodies.at(), bodies.object('a', { metadata: null })),
    post(bodies.at(), bodies.object('a', { metadata: { labels: 'text' } })),
    post(bodies.at(), bodies.object('a', { metadata: { labels: { a: 1 } } })),
    post(bodies.at(), bodies.object('a', { metadata: { finalizers: 'text' } })),
    post(bodies.at(), bodies.object('a', { metadata: { generation: 'text' } })),
    post(bodies.at(), bodies.object('a', { metadata: { namespace: 'elsewhere' } })),
    post(bodies.at(), bodies.object('', {})),
    post(bodies.at(), bodies.object('Bad_Name', {})),
    post(bodies.at(), '', { type: 'application/json' }),
    post(bodies.at(), '[]', { type: 'application/json' }),
    post(bodies.at(), 'null', { type: 'application/json' }),
    post(bodies.at(), '{ "metadata" : {} }', { type: 'application/json' }),
    post(bodies.at(), '"text"', { type: 'application/json' }),
    post(bodies.at(), '{"a":', { type: 'application/json' }),
    post(bodies.at(), '{"apiVersion":"bodies.example.com/v1","kind":"Bodies","metadata":{"name":"a"}} trailing', {
      type: 'application/json',
    }),
    post(bodies.at(), { apiVersion: 'v1', kind: 'List', items: [bodies.object('a')] }),
    post(bodies.at(), { apiVersion: 'bodies.example.com/v1', kind: 'Bodies', metadata: { name: 'a' }, items: [] }),
  ],
  updates: [
    ...updates.make,
    updates.create('a', { spec: { x: 1 } }, { save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' } }),
    put(updates.at('a'), updates.object('a', { spec: { x: 2 } })),
    put(updates.at('a'), updates.object('a', { metadata: { resourceVersion: '{{rv}}' }, spec: { x: 3 } })),
    patch('merge', updates.at('a'), { spec: { x: 4 } }, { save: { rv: 'metadata.resourceVersion' } }),
    put(
      updates.at('a'),
      updates.object('a', { metadata: { resourceVersion: '{{rv}}' }, spec: { x: 5 }, status: { s: 1 } }),
      {
        save: { rv: 'metadata.resourceVersion' },
      },
    ),
    put(
      updates.at('a'),
      updates.object('a', {
        metadata: { resourceVersion: '{{rv}}', generation: 77, creationTimestamp: '2020-01-01T00:00:00Z' },
        spec: { x: 5 },
      }),
    ),
    put(updates.at('a'), updates.object('b', { metadata: { resourceVersion: '{{rv}}' } })),
    put(
      updates.at('a'),
      updates.object('a', { metadata: { resourceVersion: '{{rv}}', uid: 'b6e1e3f0-0000-4000-8000-000000000000' } }),
    ),
    put(updates.at('a'), updates.object('a', { metadata: { resourceVersion: 'abc' } })),
    put(updates.at('a'), updates.object('a', { metadata: { resourceVersion: '0' } })),
    put(updates.at('a'), updates.object('a', { metadata: { namespace: 'elsewhere', resourceVersion: '{{rv}}' } })),
    put(updates.at('new'), updates.object('new', { spec: {} })),
    put(updates.at('new'), updates.object('new', { metadata: { resourceVersion: '5' } })),
    put(
      updates.at('new'),
      updates.object('new', { metadata: { uid: 'b6e1e3f0-0000-4000-8000-000000000000', resourceVersion: '1' } }),
    ),
    get(updates.at('a')),
  ],
  'merge patches': [
    ...merges.make,
    merges.create(
      'a',
      { metadata: { labels: { l: '1' } }, spec: { a: 'x', list: ['1', '2'] } },
      { save: { rv: 'metadata.resourceVersion' } },
    ),
    patch('merge', merges.at('a'), { spec: { a: null, list: ['3'] } }),
    patch('merge', merges.at('a'), { spec: { n: 5 } }),
    patch('merge', merges.at('a'), {}),
    patch('merge', merges.at('a'), { spec: null }),
    patch('merge', merges.at('a'), { spec: { n: 'text' } }),
    patch('merge', merges.at('a'), { metadata: { name: 'b' } }),
    patch('merge', merges.at('a'), { metadata: { resourceVersion: '{{rv}}' }, spec: { n: 6 } }),
    patch('merge', merges.at('a'), { kind: 'Other' }),
    patch('merge', merges.at('a'), { apiVersion: 'merges.example.com/v2' }),
    patch('merge', merges.at('a'), { spec: { odd: 1 } }),
    patch('merge', merges.at('a'), { metadata: { labels: { l: 5 } } }),
    patch('merge', merges.at('a'), { metadata: null }),
    patch('merge', merges.at('a'), '[]'),
    patch('merge', merges.at('a'), '{'),
    patch('merge', merges.at('a'), 'spec: {n: 1}'),
    patch('merge', merges.at('missing'), {}),
    patch('strategic', merges.at('a'), { spec: { n: 1 } }),
    send('PATCH', merges.at('a'), { body: { spec: {} }, type: 'application/json' }),
    get(merges.at('a')),
  ],
  'json patches': [
    ...jsonPatches.make,
    jsonPatches.create('a', { spec: { a: 'x', list: ['1', '2'] } }),
    patch('json', jsonPatches.at('a'), [{ op: 'add', path: '/spec/list/-', value: '3' }]),
    patch('json', jsonPatches.at('a'), [{ op: 'test', path: '/spec/a', value: 'y' }]),
    patch('json', jsonPatches.at('a'), [
      { op: 'remove', path: '/spec/list/0' },
      { op: 'copy', from: '/spec/a', path: '/spec/list/1' },
    ]),
    patch('json', jsonPatches.at('a'), [{ op: 'replace', path: '/spec/a', value: 5 }]),
    patch('json', jsonPatches.at('a'), [{ op: 'add', path: '/spec/odd', value: 5 }]),
    patch('json', jsonPatches.at('a'), [{ op: 'remove', path: '/spec/none' }]),
    patch('json', jsonPatches.at('a'), [{ op: 'remove', path: '/spec' }]),
    patch('json', jsonPatches.at('a'), [{ op: 'replace', path: '/metadata/labels', value: 'x' }]),
    patch('json', jsonPatches.at('a'), { op: 'add' }),
    get(jsonPatches.at('a')),
  ],
  'apply patches': [
    ...managed.make,
    patch('apply', `${managed.at('a')}?fieldManager=me`, managed.object('a', { spec: { x: 1 } })),
  ],
  'generated names': [
    ...generated.make,
    post(generated.at(), {
      apiVersion: 'generated.example.com/v1',
      kind: 'Generated',
      metadata: { generateName: 'gen-' },
    }),
    post(generated.at(), {
      apiVersion: 'generated.example.com/v1',
      kind: 'Generated',
      metadata: { generateName: 'Bad_' },
    }),
    post(generated.at(), {
      apiVersion: 'generated.example.com/v1',
      kind: 'Generated',
      metadata: { generateName: 'gen-', name: 'given' },
    }),
    generated.create('a'.repeat(253)),
    generated.create('a'.repeat(254)),
    generated.create('with.dots'),
  ],
  'dry run': [
    ...dries.make,
    dries.create('a', { spec: {} }, { query: '?dryRun=All' }),
    get(dries.at('a')),
    dries.create('a', { spec: {} }),
    put(`${dries.at('a')}?dryRun=All`, dries.object('a', { spec: { a: 'changed' } })),
    patch('merge', `${dries.at('a')}?dryRun=All`, { spec: { a: 'changed' } }),
    del(`${dries.at('a')}?dryRun=All`),
    dries.create('b', {}, { query: '?dryRun=Some' }),
    del(`${dries.at()}?dryRun=All`),
    get(dries.at('a')),
  ],
  deletes: [
    ...deletes.make,
    deletes.create('a', {}, { save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' } }),
    del(deletes.at('a'), { preconditions: { uid: 'b6e1e3f0-0000-4000-8000-000000000000' } }),
    del(deletes.at('a'), { preconditions: { uid: '{{uid}}', resourceVersion: '1' } }),
    del(deletes.at('a'), { preconditions: { uid: '{{uid}}', resourceVersion: '{{rv}}' } }),
    del(deletes.at('a')),
    deletes.create('f', { metadata: { finalizers: ['example.com/hold'] } }),
    del(deletes.at('f')),
    del(deletes.at('f')),
    patch('merge', deletes.at('f'), { spec: { changed: true } }),
    patch('merge', deletes.at('f'), { metadata: { finalizers: ['example.com/hold', 'example.com/more'] } }),
    patch('merge', deletes.at('f'), { metadata: { finalizers: null } }),
    get(deletes.at('f')),
    deletes.create('g'),
    del(`${deletes.at('g')}?propagationPolicy=Foreground`),
    patch('merge', deletes.at('g'), { metadata: { finalizers: null } }),
    deletes.create('o'),
    del(`${deletes.at('o')}?propagationPolicy=Orphan`),
    deletes.create('p'),
    del(`${deletes.at('p')}?gracePeriodSeconds=30`),
    deletes.create('q'),
    del(deletes.at('q'), { kind: 'DeleteOptions', apiVersion: 'removals.example.com/v1', gracePeriodSeconds: 0 }),
    deletes.create('r'),
    del(deletes.at('r'), { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Odd' }),
    del(deletes.at('r'), 'not json', { type: 'application/json' }),
    del(deletes.at('r'), undefined, { accept: 'application/yaml' }),
  ],
  deletecollection: [
    ...collections.make,
    ...['a', 'b', 'c'].map((name) =>
      collections.create(name, { metadata: { labels: { set: name === 'c' ? 'two' : 'one' } } }),
    ),
    del(`${collections.at()}?labelSelector=set%3Done`, undefined, { view: sortedItems }),
    get(collections.at()),
    collections.create('held', { metadata: { finalizers: ['example.com/hold'] } }),
    del(`${collections.at()}?fieldSelector=metadata.name%3Dheld`),
    del(collections.cluster()),
    del(collections.at(), undefined, { view: sortedItems }),
    get(collections.at()),
  ],
  scopes: [
    ...scopes.make,
    ...narrow.make,
    post(scopes.at(), scopes.object('a')),
    get(scopes.at()),
    get(scopes.at('a')),
    post(scopes.cluster(), scopes.object('a')),
    post(scopes.cluster(), scopes.object('b', { metadata: { namespace: '{{ns}}' } })),
    get(scopes.cluster('a')),
    patch('merge', scopes.cluster('a'), { spec: { x: 1 } }),
    del(scopes.cluster('a')),
    post(narrow.cluster(), narrow.object('a')),
    get(narrow.cluster('a')),
    put(narrow.cluster('a'), narrow.object('a')),
    del(narrow.cluster('a')),
    post('/apis/narrows.example.com/v1/namespaces/missing-namespace/narrows', narrow.object('a')),
    get('/apis/narrows.example.com/v1/namespaces/missing-namespace/narrows'),
  ],
  forms: [
    ...forms.make,
    post(
      forms.at(),
      'apiVersion: forms.example.com/v1\nkind: Forms\nmetadata: {name: y}\nspec: {n: 1, t: "1", b: yes}\n',
      {
        type: 'application/yaml',
      },
    ),
    get(forms.at('y'), { accept: 'application/yaml', exact: true }),
    post(forms.at(), forms.object('p'), { type: PROTOBUF }),
    get(forms.at('y'), { accept: PROTOBUF }),
    get(forms.at('y'), { accept: `${PROTOBUF}, application/json` }),
    get(forms.at('y'), { accept: 'application/cbor' }),
    get(forms.at('y'), { accept: 'text/plain' }),
    get(forms.at('y'), { accept: '*/*' }),
    post(forms.at(), forms.object('t'), { type: 'text/plain' }),
    post(forms.at(), JSON.stringify(forms.object('n'))),
    post(forms.at(), forms.object('numbers', { spec: { big: 9007199254740991, small: 1e-7, whole: 5 } })),
    post(
      forms.at(),
      '{"apiVersion":"forms.example.com/v1","kind":"Forms","metadata":{"name":"raw"},"spec":{"int":9223372036854775807,"float":1.5e300,"one":1.0}}',
      {
        type: 'application/json',
      },
    ),
    get(`${forms.at('y')}?pretty=true`, { exact: true, bodyless: true }),
    del(forms.at('y'), 'propagationPolicy: Background\n', { type: 'application/yaml' }),
  ],
  metadata: [
    ...meta.make,
    meta.create('a', { metadata: { labels: { 'bad key': 'x', ok: 'bad value' } } }, { anyOrder: true }),
    meta.create('a', { metadata: { annotations: { 'Bad Key': 'x' } } }),
    meta.create('a', { metadata: { finalizers: ['plain'] } }),
    meta.create('a', { metadata: { finalizers: ['Bad Name/x'] } }),
    meta.create('a', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }] } }),
    meta.create('a', {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u', controller: true }] },
    }),
    meta.create('b', { metadata: { resourceVersion: '5' } }),
    meta.create('b', {
      metadata: {
        uid: 'given',
        creationTimestamp: '2020-01-01T00:00:00Z',
        generation: 9,
        selfLink: '/x',
        deletionTimestamp: '2020-01-01T00:00:00Z',
      },
    }),
    meta.create('c', { metadata: { unknown: 'x' } }),
    meta.create('d', { metadata: { unknown: 'x' } }, { query: '?fieldValidation=Strict' }),
    meta.create('d', { metadata: { creationTimestamp: null, labels: null } }),
    meta.create('e', { metadata: { managedFields: [{ manager: 'x' }] } }),
    patch('merge', meta.at('d'), { metadata: { labels: { x: 'y' } } }),
    patch('merge', meta.at('d'), { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }),
    patch('merge', meta.at('d'), { metadata: { generation: 100 } }),
    patch('merge', meta.at('d'), {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'x', uid: 'u' }] },
    }),
  ],
  'who may not': [
    ...nobody.make,
    get(nobody.at(), { user: 'alice' }),
    nobody.create('a', {}, { user: 'alice' }),
    get(nobody.at('a'), { user: 'anonymous' }),
  ],
});

function sortedItems(body: unknown): never {
  const list = body as { items?: { metadata: { name: string } }[] };
  list.items?.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return list as never;
}
