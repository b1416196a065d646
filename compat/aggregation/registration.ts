/** The objects that register an extension server which runs on this machine, outside of any Pod. */
import type { Step } from '../kubectl/script.ts';
import { $ } from './lines.ts';

export interface Registered {
  readonly namespace: string;
  readonly service: string;
  /** The ServiceAccount of the server. */
  readonly account: string;
}

/** The namespace of the server, its ServiceAccount and the rights of every server with delegated authentication. */
export function accountObjects({ namespace, account }: Registered): string {
  const subjects = `subjects: [{kind: ServiceAccount, name: ${account}, namespace: ${namespace}}]`;
  return `apiVersion: v1
kind: Namespace
metadata: {name: ${namespace}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${account}, namespace: ${namespace}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: '${namespace}:system:auth-delegator'}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: 'system:auth-delegator'}
${subjects}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${namespace}-auth-reader, namespace: kube-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader}
${subjects}
`;
}

/** A ClusterRole with the rules, bound to the ServiceAccount. */
export function roleObjects({ namespace, account }: Registered, rules: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: '${namespace}:${account}'}
rules: ${rules}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: '${namespace}:${account}'}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: '${namespace}:${account}'}
subjects: [{kind: ServiceAccount, name: ${account}, namespace: ${namespace}}]
`;
}

/** A Service of the type that reaches the loopback address on both servers: addresses of EndpointSlices may not. */
export function serviceObject({ namespace, service }: Registered): string {
  return `apiVersion: v1
kind: Service
metadata: {name: ${service}, namespace: ${namespace}}
spec: {type: ExternalName, externalName: localhost}
`;
}

/** Uses the variables `port` and `caBundle`. */
export function apiService({ namespace, service }: Registered, group: string, version: string, priority = 15): string {
  return `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: ${version}.${group}}
spec:
  group: ${group}
  version: ${version}
  groupPriorityMinimum: 1000
  versionPriority: ${priority}
  service: {name: ${service}, namespace: ${namespace}, port: {{port}}}
  caBundle: {{caBundle}}
`;
}

/** Waits for the condition of APIServices. kube-apiserver checks a server that answered every 30 s. */
export function availability(status: 'True' | 'False', ...names: readonly string[]): Step {
  const what = names.map((name) => `apiservice/${name}`).join(' ');
  return $(`wait ${what} --for=condition=Available=${status} --timeout=70s`, { timeoutMs: 75_000 });
}
