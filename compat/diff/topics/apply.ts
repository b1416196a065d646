/** Server-side apply and managedFields: single requests whose answers are worth naming. */
import {
  configMap,
  configMaps,
  del,
  get,
  grant,
  inNamespace,
  patch,
  post,
  put,
  type Step,
  type StepOptions,
  send,
  serviceAccounts,
  type Topic,
  topic,
  watch,
} from '../request.ts';
import { withoutAges } from '../views.ts';
import type { Fields } from './definition-bodies.ts';

const at = configMaps('a');

/** Applies the ConfigMap `a` with these fields. */
function applyMap(manager: string, fields: Fields = {}, query = '', options: StepOptions = {}): Step {
  return patch('apply', `${at}?fieldManager=${manager}${query}`, configMap('a', fields), options);
}

function data(...pairs: readonly (readonly [string, string])[]): Fields {
  return { data: Object.fromEntries(pairs) };
}

function raw(body: string, type = 'application/apply-patch+yaml'): Step {
  return send('PATCH', `${at}?fieldManager=m`, { body, type });
}

const deployments = (name?: string, rest = ''): string => `${inNamespace('apps/v1', 'deployments', name)}${rest}`;
const pods = (name?: string, rest = ''): string => `${inNamespace('v1', 'pods', name)}${rest}`;
const services = (name?: string): string => inNamespace('v1', 'services', name);

function deployment(fields: Fields = {}): Fields {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      ...fields,
    },
  };
}

const scale = (replicas: number): Fields => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'd', namespace: '{{ns}}' },
  spec: { replicas },
});

export const apply: Topic = topic('apply', {
  'create, change, abandon': [
    applyMap('one', data(['k', 'v'], ['l', 'w'])),
    applyMap('one', data(['k', 'v'], ['l', 'w'])),
    applyMap('two', data(['k', 'v'])),
    applyMap('one', data(['l', 'x'])),
    applyMap('one', {}),
    applyMap('two', {}),
    get(at),
    del(at),
    get(at),
  ],
  conflicts: [
    applyMap('one', { ...data(['k', 'v'], ['l', 'w']), metadata: { labels: { a: 'b' } } }),
    applyMap('two', data(['k', 'other'])),
    applyMap('two', { ...data(['k', 'other'], ['l', 'other']), metadata: { labels: { a: 'other' } } }),
    patch('merge', `${at}?fieldManager=three`, { data: { m: 'x' } }),
    patch('merge', `${at}?fieldManager=three`, { data: { n: 'x' } }),
    applyMap('two', data(['m', 'other'], ['n', 'other'])),
    applyMap('two', data(['m', 'other'], ['n', 'other']), '&force=true'),
    applyMap('one', data(['k', 'v']), '&force=false'),
    get(at),
  ],
  options: [
    patch('apply', at, configMap('a')),
    patch('apply', `${at}?fieldManager=`, configMap('a')),
    patch('apply', `${at}?fieldManager=a%20b%2Fc`, configMap('a')),
    patch('apply', `${at}?fieldManager=a%0Ab`, configMap('a')),
    applyMap('m'.repeat(128)),
    applyMap('m'.repeat(129)),
    applyMap('m', {}, '&force=odd'),
    applyMap('m', {}, '&dryRun=All'),
    applyMap('m', {}, '&dryRun=Odd'),
    applyMap('m', {}, '&fieldValidation=Strict'),
    applyMap('m', { odd: 1 }, '&fieldValidation=Strict'),
    applyMap('m', {}, '&fieldValidation=Odd'),
    applyMap('m', data(['k', 'v']), '', { accept: 'application/yaml' }),
    applyMap('m', data(['k', 'v']), '', { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
    put(`${at}?fieldManager=${'m'.repeat(129)}`, configMap('a')),
    post(`${configMaps()}?fieldManager=${'m'.repeat(129)}`, configMap('b')),
    post(`${configMaps()}?fieldManager=a%0Ab`, configMap('b')),
  ],
  bodies: [
    raw(''),
    raw('{'),
    raw('[]'),
    raw('null'),
    raw('text'),
    raw('{}'),
    raw('a: b\na: c'),
    raw('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v, k: w}'),
    raw('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  yaml: "1"\n'),
    raw('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  yaml: 1\n'),
    raw('apiVersion: v1\nkind: ConfigMap\n---\nmetadata: {name: a}'),
    raw(JSON.stringify(configMap('a')), 'application/apply-patch+json'),
    raw(JSON.stringify(configMap('a')), 'application/apply-patch+cbor'),
    raw(JSON.stringify(configMap('a')), 'application/apply-patch+yaml; charset=utf-8'),
    raw(JSON.stringify({ kind: 'ConfigMap', metadata: { name: 'a' } })),
    raw(JSON.stringify({ apiVersion: 'v1', metadata: { name: 'a' } })),
    raw(JSON.stringify({ apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } })),
    raw(JSON.stringify({ apiVersion: 'apps/v1', kind: 'ConfigMap', metadata: { name: 'a' } })),
    raw(JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } })),
    raw(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap' })),
    raw(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: null })),
    raw(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} })),
    raw(JSON.stringify(configMap('b'))),
    raw(JSON.stringify(configMap('a', { metadata: { namespace: 'other' } }))),
    raw(JSON.stringify(configMap('a', { metadata: { generateName: 'x' } }))),
    raw(JSON.stringify(configMap('a', { data: null }))),
    raw(JSON.stringify(configMap('a', { data: { k: null } }))),
  ],
  'metadata in the body': [
    applyMap('m', { metadata: { managedFields: [] } }),
    applyMap('m', { metadata: { managedFields: null } }),
    applyMap('m', { metadata: { managedFields: [{ manager: 'x', operation: 'Apply', apiVersion: 'v1' }] } }),
    applyMap('m', { metadata: { uid: 'b6e1e3f0-0000-4000-8000-000000000000' } }),
    applyMap('m', { metadata: { resourceVersion: '5' } }),
    applyMap('m', {}, '', { save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' } }),
    applyMap('m', { metadata: { resourceVersion: '{{rv}}' } }),
    applyMap('m', { ...data(['k', 'v']), metadata: { resourceVersion: '{{rv}}' } }),
    applyMap('m', { ...data(['k', 'w']), metadata: { resourceVersion: '{{rv}}' } }),
    applyMap('m', { metadata: { resourceVersion: '' } }),
    applyMap('m', { metadata: { resourceVersion: '0' } }),
    applyMap('m', { metadata: { uid: '{{uid}}' } }),
    applyMap('m', { metadata: { uid: 'b6e1e3f0-0000-4000-8000-000000000000' } }),
    applyMap('m', { metadata: { creationTimestamp: '2001-01-01T00:00:00Z', generation: 7, selfLink: '/x' } }),
    applyMap('m', { metadata: { creationTimestamp: null } }),
    applyMap('m', { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } }),
    applyMap('m', { metadata: { finalizers: ['example.com/a'], labels: { a: 'b' }, annotations: { c: 'd' } } }),
    applyMap('n', { metadata: { finalizers: ['example.com/b'] } }),
    applyMap('m', { metadata: { finalizers: [] } }),
    get(at),
  ],
  places: [
    patch('apply', `${configMaps()}?fieldManager=m`, configMap('a')),
    patch('apply', '/api/v1/namespaces/apply-missing/configmaps/a?fieldManager=m', configMap('a')),
    patch('apply', `${configMaps('Bad_Name')}?fieldManager=m`, configMap('Bad_Name')),
    patch('apply', `${inNamespace('v1', 'odds', 'a')}?fieldManager=m`, configMap('a')),
    patch('apply', `${inNamespace('none.example.com/v1', 'odds', 'a')}?fieldManager=m`, configMap('a')),
    patch('apply', `${inNamespace('v1', 'bindings', 'a')}?fieldManager=m`, configMap('a')),
    patch('apply', `${deployments('d', '/status')}?fieldManager=m`, deployment()),
    patch('apply', `${deployments('d', '/scale')}?fieldManager=m`, scale(3)),
  ],
  'rights to apply': [
    ...grant('alice', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }]),
    ...grant('bob', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get'] }]),
    ...grant('carol', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }]),
    applyMap('m', {}, '', { user: 'alice' }),
    applyMap('m', {}, '', { user: 'bob' }),
    applyMap('m', {}, '', { user: 'carol' }),
    applyMap('m', data(['k', 'v']), '', { user: 'alice' }),
    applyMap('n', data(['k', 'w']), '&force=true', { user: 'alice' }),
    get(at),
  ],
  'managers of updates': [
    post(configMaps(), configMap('a'), { headers: { 'user-agent': 'kubectl/v1.36.3 (linux/amd64) kubernetes/abc' } }),
    patch('merge', at, { data: { a: '1' } }, { headers: { 'user-agent': 'no-slash' } }),
    patch('merge', at, { data: { b: '1' } }, { headers: { 'user-agent': '/leading' } }),
    patch('merge', at, { data: { c: '1' } }, { headers: { 'user-agent': `${'m'.repeat(200)}/1` } }),
    patch('merge', at, { data: { d: '1' } }, { headers: { 'user-agent': 'with space/1' } }),
    patch('merge', at, { data: { e: '1' } }, { headers: { 'user-agent': 'tab\there/1' } }),
    patch('merge', at, { data: { f: '1' } }),
    patch('merge', `${at}?fieldManager=given`, { data: { g: '1' } }, { headers: { 'user-agent': 'x/1' } }),
    patch('merge', `${at}?fieldManager=given`, { data: { g: '1' } }),
    patch('json', `${at}?fieldManager=json`, [{ op: 'remove', path: '/data/a' }]),
    patch('strategic', `${at}?fieldManager=strategic`, { data: { b: '2' } }),
    put(`${at}?fieldManager=put`, configMap('a', data(['h', '1']))),
    put(`${at}?fieldManager=put&dryRun=All`, configMap('a', data(['i', '1']))),
    get(at),
  ],
  stripping: [
    applyMap('one', data(['k', 'v'])),
    patch('merge', `${at}?fieldManager=x`, { metadata: { managedFields: [] } }),
    applyMap('two', data(['k', 'w'])),
    applyMap('two', data(['k', 'w']), '&force=true'),
    patch('merge', `${at}?fieldManager=x`, { metadata: { managedFields: [{}] } }),
    patch('merge', `${at}?fieldManager=x`, { metadata: { managedFields: null } }),
    patch('json', `${at}?fieldManager=x`, [{ op: 'remove', path: '/metadata/managedFields' }]),
    patch('json', `${at}?fieldManager=x`, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
    put(`${at}?fieldManager=y`, configMap('a', { metadata: { managedFields: [] }, data: { k: 'z' } })),
    put(`${at}?fieldManager=y`, configMap('a', { data: { k: 'z2' } })),
    put(`${at}?fieldManager=y`, configMap('a', { metadata: { managedFields: [{ manager: 'x' }] } })),
    get(at),
  ],
  'client-side apply first': [
    post(
      `${configMaps()}?fieldManager=kubectl-client-side-apply`,
      configMap('a', {
        metadata: {
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration':
              '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v","gone":"x"}}',
          },
        },
        data: { k: 'v', gone: 'x' },
      }),
    ),
    applyMap('other', data(['k', 'w'])),
    applyMap('kubectl', data(['k', 'w'])),
    applyMap('kubectl', {
      data: { k: 'w' },
      metadata: {
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration':
            '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"w"}}',
        },
      },
    }),
    get(at),
  ],
  'status of a Deployment': [
    patch('apply', `${deployments('d')}?fieldManager=m`, { ...deployment(), status: { replicas: 3 } }),
    patch('apply', `${deployments('d', '/status')}?fieldManager=s`, { ...deployment(), status: { replicas: 3 } }),
    patch('apply', `${deployments('d', '/status')}?fieldManager=t`, { ...deployment(), status: { replicas: 4 } }),
    patch('apply', `${deployments('d')}?fieldManager=s`, deployment({ replicas: 2 })),
    put(`${deployments('d', '/status')}?fieldManager=u`, { ...deployment(), status: { replicas: 5 } }),
    patch('merge', `${deployments('d', '/status')}?fieldManager=v`, { status: { readyReplicas: 1 } }),
    get(deployments('d')),
    get(deployments('d', '/status')),
  ],
  'scale of a Deployment': [
    patch('apply', `${deployments('d')}?fieldManager=m`, deployment({ replicas: 1 })),
    patch('apply', `${deployments('d', '/scale')}?fieldManager=hpa`, scale(3)),
    patch('apply', `${deployments('d', '/scale')}?fieldManager=hpa&force=true`, scale(3)),
    patch('apply', `${deployments('d')}?fieldManager=m`, deployment({ replicas: 1 })),
    patch('apply', `${deployments('d')}?fieldManager=m`, deployment()),
    put(`${deployments('d', '/scale')}?fieldManager=put`, scale(4)),
    patch('merge', `${deployments('d', '/scale')}?fieldManager=patch`, { spec: { replicas: 5 } }),
    patch('apply', `${deployments('d', '/scale')}?fieldManager=hpa`, scale(6)),
    get(deployments('d', '/scale')),
    get(deployments('d')),
  ],
  'other subresources': [
    post(serviceAccounts(), { metadata: { name: 'runner' } }),
    post(`${pods()}?fieldManager=m`, {
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        serviceAccountName: 'runner',
        automountServiceAccountToken: false,
      },
    }),
    patch('apply', `${pods('p', '/ephemeralcontainers')}?fieldManager=e`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] },
    }),
    patch('merge', `${pods('p', '/resize')}?fieldManager=r`, {
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
    }),
    post(`${pods('p', '/binding')}?fieldManager=b`, { target: { kind: 'Node', name: 'n' } }),
    get(pods('p')),
    post(`${serviceAccounts()}?fieldManager=m`, { metadata: { name: 's' } }),
    post(`${serviceAccounts('s')}/token`, { spec: {} }),
    get(serviceAccounts('s')),
  ],
  deletes: [
    applyMap('m', { metadata: { finalizers: ['example.com/a'] } }),
    del(at, undefined, { headers: { 'user-agent': 'deleter/1' } }),
    get(at),
    applyMap('m', { ...data(['k', 'v']), metadata: { finalizers: ['example.com/a'] } }),
    applyMap('n', { metadata: { finalizers: ['example.com/b'] } }),
    applyMap('m', {}),
    get(at),
    applyMap('m', { metadata: { finalizers: [] } }),
    post(configMaps(), configMap('b')),
    del(configMaps('b'), { propagationPolicy: 'Foreground' }, { headers: { 'user-agent': 'deleter/1' } }),
    get(configMaps('b')),
  ],
  lists: [
    patch('apply', `${services('s')}?fieldManager=one`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { clusterIP: 'None', ports: [{ name: 'a', port: 80 }] },
    }),
    patch('apply', `${services('s')}?fieldManager=two`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ name: 'b', port: 80, protocol: 'UDP' }] },
    }),
    patch('apply', `${services('s')}?fieldManager=one`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [] },
    }),
    get(services('s')),
  ],
  forms: [
    applyMap('m', data(['k', 'v'])),
    get(at, { accept: 'application/yaml' }),
    get(at, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
    get(`${configMaps()}?fieldSelector=metadata.name=a`),
    get(`${configMaps()}?includeObject=Metadata&fieldSelector=metadata.name=a`, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      view: withoutAges,
    }),
    watch(`${configMaps()}?fieldSelector=metadata.name=a`),
  ],
});
