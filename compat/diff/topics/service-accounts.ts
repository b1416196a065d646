/** ServiceAccounts and token requests. */
import {
  serviceAccounts as at,
  del,
  get,
  grant,
  inNamespace,
  NOT_DEFAULT,
  patch,
  post,
  put,
  secrets,
  type Topic,
  topic,
  watch,
} from '../request.ts';

const tokenRequest = (spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec,
});
const REVIEW = '/apis/authentication.k8s.io/v1/tokenreviews';
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

export const serviceAccounts: Topic = topic('serviceaccounts', {
  life: [
    post(at(), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } }),
    get(at('robot')),
    put(at('robot'), {
      metadata: { name: 'robot' },
      secrets: [{ name: 's', namespace: '{{ns}}' }],
      imagePullSecrets: [{ name: 'p' }],
      automountServiceAccountToken: false,
    }),
    patch('strategic', at('robot'), { secrets: [{ name: 't' }], imagePullSecrets: [{ name: 'q' }] }),
    patch('strategic', at('robot'), { imagePullSecrets: [{ name: 'q', $patch: 'delete' }] }),
    patch('merge', at('robot'), { automountServiceAccountToken: 'yes' }),
    post(at(), { metadata: { name: 'Bad' } }),
    post(at(), { metadata: { name: 'x'.repeat(254) } }),
    del(at('robot')),
    get(at('robot')),
  ],
  tokens: [
    post(at(), { metadata: { name: 'robot' } }),
    post(at('robot/token'), tokenRequest({}), { save: { token: 'status.token' } }),
    post(
      at('robot/token'),
      tokenRequest({ expirationSeconds: 700, audiences: ['https://kubernetes.default.svc', 'other'] }),
    ),
    post(at('robot/token'), tokenRequest({ audiences: ['vault'] }), { save: { vault: 'status.token' } }),
    post(WHO, {}, { token: '{{token}}' }),
    post(WHO, {}, { token: '{{vault}}' }),
    get('/api/v1/namespaces/{{ns}}/configmaps', { token: '{{token}}' }),
    post(REVIEW, { spec: { token: '{{token}}' } }),
    post(REVIEW, { spec: { token: '{{vault}}' } }),
    post(REVIEW, { spec: { token: '{{vault}}', audiences: ['vault', 'x'] } }),
    post(REVIEW, { spec: { token: '{{token}}', audiences: ['nobody'] } }),
    // The reference caches tokens for 10 s, so the next steps use new ones; a watch of one second lets its caches catch
    // up.
    post(at('robot/token'), tokenRequest({}), { save: { late: 'status.token' } }),
    post(at('robot/token'), tokenRequest({}), { save: { later: 'status.token' } }),
    del(at('robot')),
    watch(`${at()}?${NOT_DEFAULT}`),
    post(REVIEW, { spec: { token: '{{late}}' } }),
    get('/api/v1/namespaces/{{ns}}/configmaps', { token: '{{later}}' }),
  ],
  'requests that are refused': [
    post(at(), { metadata: { name: 'robot' } }),
    post(at('missing/token'), tokenRequest({})),
    post(at('robot/token'), tokenRequest({ expirationSeconds: 60 })),
    post(at('robot/token'), tokenRequest({ expirationSeconds: 5_000_000_000 })),
    post(at('robot/token'), tokenRequest({ boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'x' } })),
    post(at('robot/token'), tokenRequest({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'missing' } })),
    post(at('robot/token'), { apiVersion: 'v1', kind: 'ConfigMap' }),
    post(at('robot/token'), ''),
    get(at('robot/token')),
    put(at('robot/token'), tokenRequest({})),
    post(at('robot/token'), tokenRequest({}), { user: 'alice' }),
    post(at('robot/token?dryRun=All'), tokenRequest({})),
    post(at('robot/nothing'), {}),
    post(at('robot/token'), { ...tokenRequest({}), metadata: { name: 'other' } }),
    post(at('robot/token'), { ...tokenRequest({}), metadata: { namespace: 'other' } }),
  ],
  'bound to a secret': [
    post(at(), { metadata: { name: 'robot' } }),
    post(secrets(), { metadata: { name: 'anchor' } }, { save: { uid: 'metadata.uid' } }),
    post(
      at('robot/token'),
      tokenRequest({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'anchor', uid: 'wrong' } }),
    ),
    post(
      at('robot/token'),
      tokenRequest({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'anchor', uid: '{{uid}}' } }),
      {
        save: { token: 'status.token' },
      },
    ),
    post(REVIEW, { spec: { token: '{{token}}' } }),
    post(at('robot/token'), tokenRequest({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'anchor' } }), {
      save: { late: 'status.token' },
    }),
    del(secrets('anchor')),
    watch(secrets()),
    post(REVIEW, { spec: { token: '{{late}}' } }),
  ],
  'rights of a service account': [
    post(at(), { metadata: { name: 'robot' } }),
    ...grant(
      'system:serviceaccount:{{ns}}:robot',
      [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
      'robot',
    ),
    post(at('robot/token'), tokenRequest({}), { save: { token: 'status.token' } }),
    get(inNamespace('v1', 'configmaps'), { token: '{{token}}' }),
    get(inNamespace('v1', 'secrets'), { token: '{{token}}' }),
  ],
});
