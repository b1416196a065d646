/** Namespaces: status and finalize subresources, protected namespaces, and requests in a terminating one. */
import { configMap, configMaps, del, get, patch, post, put, type Topic, topic } from '../request.ts';

const NS = '/api/v1/namespaces';
const NAMED = `${NS}/{{ns}}-x`;
const body = (fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: '{{ns}}-x' },
  ...fields,
});

export const namespaces: Topic = topic('namespaces', {
  'what a fresh server has': ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) =>
    get(`${NS}/${name}`),
  ),
  life: [
    post(NS, body(), { save: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' } }),
    post(NS, body()),
    get(NAMED),
    get(`${NAMED}-missing`),
    put(NAMED, body({ metadata: { name: '{{ns}}-x', labels: { team: 'blue' } } })),
    put(NAMED, body({ metadata: { name: '{{ns}}-x', resourceVersion: '{{rv}}' } })),
    put(NAMED, body({ metadata: { name: '{{ns}}-x', uid: 'b6e1e3f0-0000-4000-8000-000000000000' } })),
    put(NAMED, body({ metadata: { name: 'other' } })),
    patch('merge', NAMED, { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } }),
    patch('merge', NAMED, { metadata: { labels: { 'kubernetes.io/metadata.name': null } } }),
    del(NAMED),
    get(NAMED),
    del(NAMED),
  ],
  'names and labels that are refused': [
    post(NS, body({ metadata: { name: 'Upper' } })),
    post(NS, body({ metadata: { name: 'has.dots' } })),
    post(NS, body({ metadata: { name: 'a'.repeat(64) } })),
    post(NS, body({ metadata: {} })),
    post(NS, body({ metadata: { name: '-x' } })),
    post(NS, body({ metadata: { name: 'ok-{{ns}}', namespace: 'default' } })),
    post(NS, body({ metadata: { name: 'lab-{{ns}}', labels: { 'bad key!': 'bad value!' } } })),
    post(NS, body({ metadata: { name: 'ann-{{ns}}', annotations: { 'bad key!': 'v' } } })),
    post(NS, body({ metadata: { generateName: 'gen-{{ns}}-' } })),
    post(
      NS,
      body({ metadata: { name: 'fin-{{ns}}' }, spec: { finalizers: ['bad finalizer', 'plain', 'example.com/ok'] } }),
    ),
  ],
  'protected namespaces': [
    del(`${NS}/default`),
    del(`${NS}/kube-system`),
    del(`${NS}/kube-public`),
    del(`${NS}/kube-node-lease?dryRun=All`),
    del(NS),
  ],
  status: [
    post(NS, body()),
    get(`${NAMED}/status`),
    put(
      `${NAMED}/status`,
      body({ metadata: { name: '{{ns}}-x', labels: { ignored: 'yes' } }, status: { phase: 'Active' } }),
    ),
    put(`${NAMED}/status`, body({ status: { phase: 'Odd' } })),
    put(`${NAMED}/status`, body({ status: { phase: 'Terminating' } })),
    patch('merge', `${NAMED}/status`, {
      status: { conditions: [{ type: 'NamespaceContentRemaining', status: 'True', reason: 'R', message: 'm' }] },
    }),
    patch('strategic', `${NAMED}/status`, {
      status: { conditions: [{ type: 'NamespaceDeletionContentFailure', status: 'False' }] },
    }),
    get(NAMED),
  ],
  'finalize and terminate': [
    post(NS, body()),
    get(`${NAMED}/finalize`),
    put(`${NAMED}/finalize`, body({ spec: { finalizers: ['kubernetes', 'example.com/hold'] } })),
    get(NAMED),
    del(NAMED),
    post(`${NS}/{{ns}}-x/configmaps`, configMap('late')),
    put(`${NAMED}/finalize`, body({ spec: { finalizers: ['example.com/hold'] } })),
    put(`${NAMED}/finalize`, body({ spec: { finalizers: [] } })),
    get(NAMED),
    get(`${NS}/{{ns}}-x/configmaps`),
  ],
  'nothing is made in a missing namespace': [
    post(`${NS}/{{ns}}-missing/configmaps`, configMap('a')),
    post(`${NS}/{{ns}}-missing/serviceaccounts`, { metadata: { name: 'a' } }),
    get(`${NS}/{{ns}}-missing/configmaps`),
    get(`${NS}/{{ns}}-missing/configmaps/a`),
    del(`${NS}/{{ns}}-missing/configmaps`),
  ],
  'namespace of the path and of the body': [
    post(configMaps(), configMap('a', { metadata: { namespace: 'default' } })),
    post(configMaps(), configMap('a', { metadata: { namespace: '{{ns}}' } })),
    put(configMaps('a'), configMap('a', { metadata: { namespace: 'default' } })),
    post('/api/v1/configmaps', configMap('b', { metadata: { namespace: '{{ns}}' } })),
    patch('merge', configMaps('a'), { metadata: { namespace: 'default' } }),
  ],
  selectors: [
    post(NS, body({ metadata: { name: '{{ns}}-x', labels: { of: '{{ns}}' } } })),
    get(`${NS}?labelSelector=of%3D{{ns}}`),
    get(`${NS}?fieldSelector=metadata.name%3D{{ns}}-x`),
    get(`${NS}?fieldSelector=metadata.name%3D{{ns}}-x,status.phase%3DActive`),
    get(`${NS}?fieldSelector=metadata.name%3D{{ns}}-x,status.phase%3DTerminating`),
    get(`${NS}?fieldSelector=spec.finalizers%3Dkubernetes`),
  ],
});
