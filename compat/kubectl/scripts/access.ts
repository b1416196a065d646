/** Authorization: `auth can-i` and related commands. */
import { $, type Script } from '../script.ts';
import { sortedLines } from '../views.ts';

const RBAC = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reconciled, namespace: {{ns}}}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reconciled, namespace: {{ns}}}
subjects: [{kind: User, name: alice, apiGroup: rbac.authorization.k8s.io}]
roleRef: {kind: Role, name: reconciled, apiGroup: rbac.authorization.k8s.io}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: kubectl-auth-reconciled}
rules: [{nonResourceURLs: [/x], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: kubectl-auth-reconciled}
subjects: [{kind: Group, name: g, apiGroup: rbac.authorization.k8s.io}]
roleRef: {kind: ClusterRole, name: kubectl-auth-reconciled, apiGroup: rbac.authorization.k8s.io}
`;

export const access: Script = {
  name: 'auth',
  files: {
    'rbac.yaml': RBAC,
    'rbac-more.yaml': RBAC.replace('verbs: [get]}]', 'verbs: [list]}]').replace('name: alice', 'name: bob'),
    'rbac-other.yaml': RBAC.replace('{kind: Role, name: reconciled', '{kind: ClusterRole, name: view'),
  },
  steps: [
    $('auth whoami'),
    $('auth whoami -o yaml', { user: 'carol' }),
    $('auth whoami -o json', { user: 'alice' }),
    $('auth whoami --as=eve --as-group=a --as-group=b --as-uid=u -o yaml'),
    $('auth can-i get cm'),
    $("auth can-i '*' '*'"),
    $('auth can-i get cm', { user: 'alice' }),
    $('auth can-i get cm/x -q', { user: 'alice' }),
    $('auth can-i get /healthz', { user: 'alice' }),
    $('auth can-i get /nothing', { user: 'alice' }),
    $('auth can-i list secrets -A', { user: 'alice' }),
    $('auth can-i get nothing'),
    $('auth can-i create serviceaccounts/token --as=alice'),
    $('auth can-i get ns --as=alice'),
    $('auth can-i get leases.coordination.k8s.io --as=eve --as-group=system:masters'),
    $('auth can-i --list', { view: sortedLines }),
    $('auth can-i --list', { user: 'alice', view: sortedLines }),
    $('auth can-i --list --no-headers --as=carol', { view: sortedLines }),
    $('auth reconcile -f rbac.yaml'),
    $('auth reconcile -f rbac.yaml'),
    $('auth reconcile -f rbac-more.yaml --dry-run=client -o yaml'),
    $('auth reconcile -f rbac-more.yaml'),
    $('auth reconcile -f rbac-more.yaml --remove-extra-permissions --remove-extra-subjects'),
    $('auth can-i list cm', { user: 'bob' }),
    $('auth can-i get cm', { user: 'alice' }),
    $('get cm', { user: 'bob' }),
    $('auth reconcile -f rbac-other.yaml'),
    $('get role,rolebinding -o yaml'),
    $('auth can-i list cm', { user: 'bob' }),
    $('auth can-i --list', { user: 'bob', view: sortedLines }),
    $('get cm', { user: 'bob' }),
    $('get cm', { user: 'alice' }),
    $('create role extra --verb=* --resource=*', { user: 'bob' }),
  ],
};
