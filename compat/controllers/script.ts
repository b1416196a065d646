/**
 * Loops of kube-controller-manager that write with server-side apply: the aggregation of ClusterRoles, and ServiceCIDRs
 * with their finalizer and Ready condition.
 */
import { $, type Script, type Step } from '../kubectl/script.ts';

/** The loops that the scripts need. */
export const LOOPS = ['clusterrole-aggregation-controller', 'service-cidr-controller'] as const;

function role(name: string, rules: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${name}, labels: {compat.example.com/aggregate: "true"}}
rules: ${rules}
`;
}
const AGGREGATED = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: aggregated}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {compat.example.com/aggregate: "true"}}]}
rules: []
`;
const CIDR = `apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: extra}
spec: {cidrs: [10.9.0.0/28]}
`;
const SERVICE = `apiVersion: v1
kind: Service
metadata: {name: inside}
spec: {clusterIP: 10.9.0.5, ports: [{port: 80}]}
`;

/** Waits for a value of an object. */
function until(what: string, path: string, value: string): Step {
  return $(`wait ${what} --for=jsonpath='{${path}}'=${value} --timeout=15s`);
}

const AGGREGATED_RULES = $('get clusterrole aggregated -o yaml --show-managed-fields');

export const ROLES: Script = {
  name: 'roles',
  files: {
    'aggregated.yaml': AGGREGATED,
    'one.yaml': role('part-1', '[{apiGroups: [""], resources: [pods], verbs: [get]}]'),
    'two.yaml': role('part-2', '[{apiGroups: [apps], resources: [deployments], verbs: [list]}]'),
    'two-more.yaml': role('part-2', '[{apiGroups: [apps], resources: [deployments], verbs: [list, watch]}]'),
  },
  steps: [
    $('apply --server-side -f aggregated.yaml'),
    $('apply --server-side -f one.yaml'),
    until('clusterrole/aggregated', '.rules[0].verbs[0]', 'get'),
    AGGREGATED_RULES,
    $('apply --server-side -f two.yaml'),
    until('clusterrole/aggregated', '.rules[1].verbs[0]', 'list'),
    $('apply --server-side -f two-more.yaml'),
    until('clusterrole/aggregated', '.rules[1].verbs[1]', 'watch'),
    AGGREGATED_RULES,
    // The file has an empty list of rules, which conflicts with the loop. A patch empties the list; the loop restores it.
    $('apply --server-side -f aggregated.yaml'),
    $('patch clusterrole aggregated --type=merge -p \'{"rules":[]}\''),
    until('clusterrole/aggregated', '.rules[1].verbs[1]', 'watch'),
    AGGREGATED_RULES,
    $('delete clusterrole part-1'),
    until('clusterrole/aggregated', '.rules[0].verbs[0]', 'list'),
    AGGREGATED_RULES,
    // The roles of the bootstrap policy.
    $('create rolebinding viewers --clusterrole=view --user=alice'),
    $('create rolebinding editors --clusterrole=edit --user=bob'),
    $('create rolebinding admins --clusterrole=admin --user=carol'),
    $('auth can-i list deployments', { user: 'alice', retryUntil: 0 }),
    $('auth can-i create deployments', { user: 'bob', retryUntil: 0 }),
    $('auth can-i create rolebindings', { user: 'carol', retryUntil: 0 }),
    $('auth can-i delete deployments', { user: 'alice' }),
    $('get clusterrole view -o yaml --show-managed-fields'),
  ],
};

/**
 * The API server and the loop both apply the condition. The first one still owns its time if the second one wrote in the
 * same second.
 */
function withoutTransitionOwners(text: string): string {
  return text.replaceAll(/^ *f:lastTransitionTime: \{\}\n/gm, '');
}

export const SERVICE_CIDRS: Script = {
  name: 'service-cidrs',
  files: { 'cidr.yaml': CIDR, 'service.yaml': SERVICE },
  steps: [
    until('servicecidr/kubernetes', '.metadata.finalizers[0]', 'networking.k8s.io/service-cidr-finalizer'),
    $('wait servicecidr/kubernetes --for=condition=Ready --timeout=15s'),
    $('get servicecidr kubernetes -o yaml --show-managed-fields', { view: withoutTransitionOwners }),
    $('apply --server-side -f cidr.yaml'),
    until('servicecidr/extra', '.metadata.finalizers[0]', 'networking.k8s.io/service-cidr-finalizer'),
    $('wait servicecidr/extra --for=condition=Ready --timeout=15s'),
    $('get servicecidr extra -o yaml --show-managed-fields'),
    $('create -f service.yaml'),
    $('get ipaddress 10.9.0.5 -o yaml --show-managed-fields'),
    $('delete servicecidr extra --wait=false'),
    $('wait servicecidr/extra --for=condition=Ready=False --timeout=15s'),
    $('get servicecidr extra -o yaml --show-managed-fields'),
    $('delete -f service.yaml'),
    // kubectl prints nothing if the object is gone already: our loop does not wait before it releases a ServiceCIDR.
    $('wait servicecidr/extra --for=delete --timeout=18s', { view: () => '' }),
    $('get servicecidrs'),
    $('get ipaddresses -o name'),
  ],
};
