/** RBAC objects: validation, immutable references, the bootstrap policy, and protection against escalation. */
import { del, get, grant, patch, post, put, RBAC, roleBindings, roles, type Topic, topic } from '../request.ts';

const GROUP = 'rbac.authorization.k8s.io';
const rule = (
  verbs: readonly string[],
  resources: readonly string[],
  apiGroups = [''],
): Readonly<Record<string, unknown>> => ({
  apiGroups,
  resources,
  verbs,
});
const read = rule(['get', 'list'], ['configmaps']);
const user = (name: string): Readonly<Record<string, unknown>> => ({ kind: 'User', apiGroup: GROUP, name });
const toRole = (name: string): Readonly<Record<string, unknown>> => ({ apiGroup: GROUP, kind: 'Role', name });
const toClusterRole = (name: string): Readonly<Record<string, unknown>> => ({
  apiGroup: GROUP,
  kind: 'ClusterRole',
  name,
});
const configMapList = '/api/v1/namespaces/{{ns}}/configmaps';

const BOOTSTRAP = [
  'cluster-admin',
  'admin',
  'edit',
  'view',
  'system:aggregate-to-view',
  'system:discovery',
  'system:basic-user',
  'system:public-info-viewer',
  'system:auth-delegator',
  'system:kube-scheduler',
  'system:node',
  'system:controller:namespace-controller',
];

export const rbac: Topic = topic('rbac', {
  'bootstrap roles': BOOTSTRAP.map((name) => get(`${RBAC}/clusterroles/${name}`)),
  'bootstrap bindings': [
    ...['cluster-admin', 'system:discovery', 'system:basic-user', 'system:public-info-viewer'].map((name) =>
      get(`${RBAC}/clusterrolebindings/${name}`),
    ),
    get(`${RBAC}/clusterroles?labelSelector=kubernetes.io%2Fbootstrapping%3Drbac-defaults`),
    get(`${RBAC}/clusterrolebindings?labelSelector=kubernetes.io%2Fbootstrapping%3Drbac-defaults`),
    get(`${RBAC}/namespaces/kube-system/roles`),
    get(`${RBAC}/namespaces/kube-system/rolebindings`),
    get(`${RBAC}/namespaces/kube-public/roles`),
    get(`${RBAC}/namespaces/kube-public/rolebindings`),
  ],
  roles: [
    post(roles(), { metadata: { name: 'r' }, rules: [read] }),
    get(roles('r')),
    put(roles('r'), { metadata: { name: 'r' }, rules: [] }),
    patch('strategic', roles('r'), { rules: [read, rule(['*'], ['*'], ['*'])] }),
    post(roles(), { metadata: { name: 'has:colons' }, rules: null }),
    post(roles(), { metadata: { name: 'has/slash' }, rules: [read] }),
    post(roles(), { metadata: { name: '..' }, rules: [read] }),
    post(roles(), { metadata: { name: 'has%percent' }, rules: [read] }),
    post(roles(), { metadata: { name: 'bad' }, rules: [{ verbs: [] }] }),
    post(roles(), { metadata: { name: 'bad' }, rules: [{ verbs: ['get'] }] }),
    post(roles(), { metadata: { name: 'bad' }, rules: [{ verbs: ['get'], resources: ['a'] }] }),
    post(roles(), { metadata: { name: 'bad' }, rules: [{ verbs: ['get'], apiGroups: [''] }] }),
    post(roles(), { metadata: { name: 'bad' }, rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }),
    del(roles('has:colons')),
    del(roles('r')),
  ],
  'cluster roles': [
    post(`${RBAC}/clusterroles`, {
      metadata: { name: '{{ns}}' },
      rules: [{ verbs: ['get'], nonResourceURLs: ['/x', '/y/*'] }],
    }),
    post(`${RBAC}/clusterroles`, {
      metadata: { name: '{{ns}}-b' },
      rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['y'], apiGroups: [''] }],
    }),
    post(`${RBAC}/clusterroles`, { metadata: { name: '{{ns}}-c' }, rules: [{ nonResourceURLs: ['/x'] }] }),
    post(`${RBAC}/clusterroles`, {
      metadata: { name: '{{ns}}-d' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'to-{{ns}}': 'true' } }] },
      rules: [],
    }),
    post(`${RBAC}/clusterroles`, { metadata: { name: '{{ns}}-e' }, aggregationRule: { clusterRoleSelectors: [] } }),
    post(`${RBAC}/clusterroles`, {
      metadata: { name: '{{ns}}-f' },
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'x', operator: 'Odd' }] }] },
    }),
    patch('merge', `${RBAC}/clusterroles/{{ns}}`, { metadata: { labels: { a: 'b' } } }),
    del(`${RBAC}/clusterroles/{{ns}}`),
  ],
  'role bindings': [
    post(roleBindings(), { metadata: { name: 'b' }, subjects: [user('alice')], roleRef: toRole('not-there') }),
    get(roleBindings('b')),
    put(roleBindings('b'), { metadata: { name: 'b' }, subjects: [user('bob')], roleRef: toRole('not-there') }),
    put(roleBindings('b'), { metadata: { name: 'b' }, subjects: [user('bob')], roleRef: toRole('other') }),
    post(roleBindings(), {
      metadata: { name: 'defaults' },
      subjects: [
        { kind: 'User', name: 'x' },
        { kind: 'ServiceAccount', name: 'd', namespace: 'n' },
      ],
      roleRef: { kind: 'ClusterRole', name: 'view' },
    }),
    post(roleBindings(), { metadata: { name: 'bad' }, subjects: [{ kind: 'Odd', name: 'x' }], roleRef: toRole('r') }),
    post(roleBindings(), { metadata: { name: 'bad' }, subjects: [{ kind: 'User', name: '' }], roleRef: toRole('r') }),
    post(roleBindings(), {
      metadata: { name: 'bad' },
      subjects: [{ kind: 'ServiceAccount', name: 'x' }],
      roleRef: toRole('r'),
    }),
    post(roleBindings(), {
      metadata: { name: 'bad' },
      subjects: [{ kind: 'ServiceAccount', name: 'Bad_Name', namespace: 'x', apiGroup: 'y' }],
      roleRef: toRole('r'),
    }),
    post(roleBindings(), {
      metadata: { name: 'bad' },
      subjects: [{ kind: 'Group', name: 'x', apiGroup: 'wrong' }],
      roleRef: toRole('r'),
    }),
    post(roleBindings(), {
      metadata: { name: 'bad' },
      subjects: [],
      roleRef: { kind: 'Odd', name: 'r', apiGroup: GROUP },
    }),
    post(roleBindings(), {
      metadata: { name: 'bad' },
      subjects: [],
      roleRef: { kind: 'Role', name: '', apiGroup: 'wrong' },
    }),
    post(roleBindings(), { metadata: { name: 'bad' } }),
    post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: '{{ns}}' },
      subjects: [user('alice')],
      roleRef: toRole('r'),
    }),
    post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: '{{ns}}' },
      subjects: [{ kind: 'ServiceAccount', name: 'x' }],
      roleRef: toClusterRole('view'),
    }),
    post(`${RBAC}/clusterrolebindings`, { metadata: { name: '{{ns}}' }, roleRef: toClusterRole('not-there') }),
    patch('merge', `${RBAC}/clusterrolebindings/{{ns}}`, { roleRef: { name: 'admin' } }),
    del(`${RBAC}/clusterrolebindings/{{ns}}`),
  ],
  'rights arrive with the binding': [
    get(configMapList, { user: 'alice' }),
    ...grant('alice', [read]),
    get(configMapList, { user: 'alice' }),
    get(`${configMapList}/missing`, { user: 'alice' }),
    post(configMapList, { metadata: { name: 'x' } }, { user: 'alice' }),
    get('/api/v1/configmaps', { user: 'alice' }),
    del(roleBindings('grant-alice')),
    get(configMapList, { user: 'alice' }),
  ],
  'groups, names and wildcards': [
    post(roles(), {
      metadata: { name: 'r' },
      rules: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'update', 'create'], resourceNames: ['one'] },
      ],
    }),
    post(roleBindings(), {
      metadata: { name: 'b' },
      subjects: [{ kind: 'Group', name: 'developers' }],
      roleRef: toRole('r'),
    }),
    post(configMapList, { metadata: { name: 'one' } }),
    post(configMapList, { metadata: { name: 'two' } }),
    get(`${configMapList}/one`, { user: 'bob' }),
    get(`${configMapList}/two`, { user: 'bob' }),
    get(configMapList, { user: 'bob' }),
    post(configMapList, { metadata: { name: 'one' } }, { user: 'bob' }),
    put(`${configMapList}/one`, { metadata: { name: 'one' }, data: { a: 'b' } }, { user: 'carol' }),
    get(`${configMapList}/one`, { user: 'dave' }),
  ],
});

export const escalation: Topic = topic('escalation', {
  'a role may hold only what its writer has': [
    ...grant('alice', [rule(['*'], ['roles', 'rolebindings'], [GROUP]), read]),
    post(roles(), { metadata: { name: 'less' }, rules: [rule(['get'], ['configmaps'])] }, { user: 'alice' }),
    post(
      roles(),
      { metadata: { name: 'more' }, rules: [rule(['get', 'delete'], ['configmaps', 'secrets'])] },
      { user: 'alice' },
    ),
    put(roles('less'), { metadata: { name: 'less' }, rules: [rule(['*'], ['*'], ['*'])] }, { user: 'alice' }),
    patch('merge', roles('less'), { rules: [rule(['watch'], ['configmaps'])] }, { user: 'alice' }),
    patch('merge', roles('less'), { metadata: { labels: { touched: 'yes' } } }, { user: 'alice' }),
    post(`${RBAC}/clusterroles`, { metadata: { name: '{{ns}}' }, rules: [] }, { user: 'alice' }),
  ],
  'a binding may give only what its writer has': [
    ...grant('alice', [rule(['create', 'update', 'get', 'delete'], ['rolebindings'], [GROUP]), read]),
    post(roles(), { metadata: { name: 'reader' }, rules: [read] }),
    post(roles(), { metadata: { name: 'writer' }, rules: [rule(['delete'], ['configmaps'])] }),
    post(
      roleBindings(),
      { metadata: { name: 'ok' }, subjects: [user('bob')], roleRef: toRole('reader') },
      { user: 'alice' },
    ),
    post(
      roleBindings(),
      { metadata: { name: 'no' }, subjects: [user('bob')], roleRef: toRole('writer') },
      { user: 'alice' },
    ),
    post(
      roleBindings(),
      { metadata: { name: 'no' }, subjects: [user('bob')], roleRef: toClusterRole('cluster-admin') },
      { user: 'alice' },
    ),
    post(
      roleBindings(),
      { metadata: { name: 'no' }, subjects: [user('bob')], roleRef: toRole('not-there') },
      { user: 'alice' },
    ),
    put(
      roleBindings('ok'),
      { metadata: { name: 'ok' }, subjects: [user('carol')], roleRef: toRole('reader') },
      { user: 'alice' },
    ),
    del(roleBindings('ok'), undefined, { user: 'alice' }),
  ],
  'bind and escalate lift the rule': [
    ...grant('alice', [
      rule(['create'], ['rolebindings'], [GROUP]),
      { apiGroups: [GROUP], resources: ['roles'], verbs: ['bind'], resourceNames: ['writer'] },
      rule(['create', 'escalate'], ['roles'], [GROUP]),
    ]),
    post(roles(), { metadata: { name: 'writer' }, rules: [rule(['delete'], ['configmaps'])] }),
    post(
      roleBindings(),
      { metadata: { name: 'ok' }, subjects: [user('bob')], roleRef: toRole('writer') },
      { user: 'alice' },
    ),
    post(roles(), { metadata: { name: 'more' }, rules: [rule(['*'], ['*'], ['*'])] }, { user: 'alice' }),
  ],
});
