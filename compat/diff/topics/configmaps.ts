/** ConfigMaps: the object, its validation, and create, read, update, delete with their edge cases. */
import { configMap, configMaps, del, get, patch, post, put, type Topic, topic } from '../request.ts';

const LONG = 'k'.repeat(254);

export const configmaps: Topic = topic('configmaps', {
  life: [
    post(configMaps(), configMap('a', { data: { k: 'v' } }), {
      save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' },
    }),
    post(configMaps(), configMap('a')),
    get(configMaps('a')),
    get(configMaps()),
    put(configMaps('a'), configMap('a', { data: { k: 'w' } })),
    put(configMaps('a'), configMap('a', { metadata: { resourceVersion: '{{rv}}' }, data: { k: 'x' } })),
    put(configMaps('a'), configMap('a', { data: { k: 'w' } })),
    put(configMaps('a'), configMap('a', { metadata: { uid: '{{uid}}' }, data: { k: 'y' } })),
    put(configMaps('a'), configMap('a', { metadata: { uid: 'b6e1e3f0-0000-4000-8000-000000000000' } })),
    put(configMaps('b'), configMap('b')),
    put(configMaps('b'), configMap('c')),
    put(configMaps('a'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
    del(configMaps('a')),
    get(configMaps('a')),
    del(configMaps('a')),
    put(configMaps('a'), configMap('a', { metadata: { resourceVersion: '{{rv}}' } })),
    put(configMaps('a'), configMap('a', { metadata: { uid: '{{uid}}' } })),
  ],
  'kind and version may be left out': [
    post(configMaps(), { metadata: { name: 'a' }, data: { k: 'v' } }),
    post(configMaps(), { kind: 'ConfigMap', metadata: { name: 'b' } }),
    post(configMaps(), { apiVersion: 'v1', metadata: { name: 'c' } }),
  ],
  'names and keys that are refused': [
    post(configMaps(), configMap('Bad_Name')),
    post(configMaps(), configMap('')),
    post(configMaps(), configMap('a/b')),
    post(configMaps(), configMap('x'.repeat(254))),
    ...['bad key', '..', '.', '..x', ''].map((key) => post(configMaps(), configMap('keys', { data: { [key]: 'v' } }))),
    post(configMaps(), configMap('long', { data: { [LONG]: 'v' } })),
    post(configMaps(), configMap('both', { data: { same: 'v' }, binaryData: { same: 'AA==' } })),
    post(configMaps(), configMap('binary', { binaryData: { k: 'not base64!' } })),
    post(configMaps(), configMap('binary', { binaryData: { k: 'AAEC/w==' } })),
    post(configMaps(), configMap('type', { data: { k: 1 } })),
    post(configMaps(), configMap('type', { data: [1] })),
    post(configMaps(), configMap('null', { data: { k: null } })),
    post(configMaps(), configMap('big', { data: { k: 'x'.repeat(1024 * 1024 + 1) } })),
  ],
  metadata: [
    // One at a time: the reference walks maps in random order.
    ...[
      { 'a/b/c': 'v' },
      { 'x.y/ok': 'bad value' },
      { ['l'.repeat(64)]: 'v' },
      { '': 'v' },
      { ok: 'v'.repeat(64) },
    ].map((labels) => post(configMaps(), configMap('labels', { metadata: { labels } }))),
    post(configMaps(), configMap('annotations', { metadata: { annotations: { 'Bad Key': 'v' } } })),
    post(configMaps(), configMap('annotations', { metadata: { annotations: { big: 'x'.repeat(256 * 1024) } } })),
    post(
      configMaps(),
      configMap('finalizers', { metadata: { finalizers: ['bad finalizer!', 'example.com/ok', 'plain'] } }),
    ),
    post(
      configMaps(),
      configMap('owners', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }] } }),
    ),
    post(
      configMaps(),
      configMap('owners', {
        metadata: {
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u1', controller: true },
            { apiVersion: 'apps/v1', kind: 'Deployment', name: 'y', uid: 'u2', controller: true },
          ],
        },
      }),
    ),
    post(
      configMaps(),
      configMap('owners', {
        metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'u' }] },
      }),
    ),
    post(
      configMaps(),
      configMap('given', {
        metadata: {
          uid: 'given-uid',
          creationTimestamp: '2001-01-01T00:00:00Z',
          deletionTimestamp: '2001-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 30,
          generation: 7,
          selfLink: '/x',
        },
      }),
    ),
    post(configMaps(), configMap('rv', { metadata: { resourceVersion: '12' } })),
    post(configMaps(), configMap('gen', { metadata: { generation: -1 } })),
    post(configMaps(), configMap('negative', { metadata: { deletionGracePeriodSeconds: -1 } })),
    post(
      configMaps(),
      configMap('strange', { metadata: { labels: null, annotations: {}, finalizers: [], ownerReferences: null } }),
    ),
  ],
  'generated names': [
    post(configMaps(), { metadata: { generateName: 'gen-' } }, { save: { name: 'metadata.name' } }),
    get(configMaps('{{name}}')),
    post(configMaps(), { metadata: { generateName: 'Bad_' } }),
    post(configMaps(), { metadata: { name: 'named', generateName: 'gen-' } }),
    post(configMaps(), { metadata: { generateName: `${'x'.repeat(260)}-` } }),
  ],
  immutable: [
    post(configMaps(), configMap('fixed', { immutable: true, data: { k: 'v' } })),
    put(configMaps('fixed'), configMap('fixed', { immutable: true, data: { k: 'w' }, binaryData: { b: 'AA==' } })),
    put(configMaps('fixed'), configMap('fixed', { data: { k: 'v' } })),
    patch('merge', configMaps('fixed'), { metadata: { labels: { a: 'b' } } }),
    patch('merge', configMaps('fixed'), { immutable: null }),
    del(configMaps('fixed')),
  ],
  'fields that an update may not change': [
    post(configMaps(), configMap('a', { metadata: { labels: { a: 'b' }, generateName: 'g-' } })),
    put(configMaps('a'), configMap('a', { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } })),
    put(configMaps('a'), configMap('a', { metadata: { generation: 4, deletionTimestamp: '2001-01-01T00:00:00Z' } })),
    put(configMaps('a'), configMap('a', { metadata: { generateName: 'h-' } })),
    put(configMaps('a'), configMap('a', { metadata: { resourceVersion: 'abc' } })),
    put(configMaps('a'), configMap('a', { metadata: { resourceVersion: '0' } })),
    patch('json', configMaps('a'), [{ op: 'replace', path: '/metadata/name', value: 'b' }]),
  ],
  'values are kept to the byte': [
    post(configMaps(), configMap('text', { data: { k: 'π 😀 \u0000\u001f\u2028<>&"\\/', empty: '' } })),
    get(configMaps('text')),
  ],
});
