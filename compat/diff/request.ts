/**
 * The vocabulary of cases: a topic has cases, a case has steps, a step is one request. Invariant: a case has a
 * namespace of its own (`{{ns}}`, created beforehand) and shares nothing with other cases, so cases run side by side.
 */
import type { CertificateUser, TokenUser } from '../peers/peer.ts';
import type { View } from './views.ts';

/** A JSON value. `{{name}}` in strings is replaced by the value that an earlier step saved. */
export type Body = Readonly<Record<string, unknown>> | readonly unknown[] | string;

export interface StepOptions {
  /** Default `admin`. `anonymous` sends no credentials. */
  readonly user?: TokenUser | CertificateUser | 'anonymous';
  /** A bearer token instead of a user. May contain `{{saved}}`. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly accept?: string;
  /** The Content-Type. Default `application/json` for a body that is not a string, none for a string. */
  readonly type?: string;
  readonly body?: Body;
  /** Names and dotted paths into the JSON answer. Later steps write `{{name}}`. */
  readonly save?: Readonly<Record<string, string>>;
  /** The part of the answer that is compared. Default: all of it. */
  readonly view?: View;
  /** Compares the text with white space and the order of keys. */
  readonly exact?: boolean;
  /** Compares only status and headers. */
  readonly bodyless?: boolean;
  /**
   * Compares causes, the parts of the message about them, and warnings in any order, because the reference takes theirs
   * from a hash table. `causes`: only the causes.
   */
  readonly anyOrder?: boolean | 'causes';
  /**
   * Repeats the request on each server until it answers with this code, because loops take time. Only for steps that
   * change nothing.
   */
  readonly until?: number;
}

export interface Step extends StepOptions {
  readonly method: string;
  readonly path: string;
}

export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface Topic {
  readonly name: string;
  readonly cases: readonly Case[];
}

export function topic(name: string, cases: Readonly<Record<string, readonly Step[]>>): Topic {
  return { name, cases: Object.entries(cases).map(([title, steps]) => ({ name: title, steps })) };
}

export function get(path: string, options: StepOptions = {}): Step {
  return { method: 'GET', path, ...options };
}

export function post(path: string, body: Body, options: StepOptions = {}): Step {
  return { method: 'POST', path, body, ...options };
}

export function put(path: string, body: Body, options: StepOptions = {}): Step {
  return { method: 'PUT', path, body, ...options };
}

export function del(path: string, body?: Body, options: StepOptions = {}): Step {
  return { method: 'DELETE', path, ...(body === undefined ? {} : { body }), ...options };
}

const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export function patch(kind: keyof typeof PATCH_TYPES, path: string, body: Body, options: StepOptions = {}): Step {
  return { method: 'PATCH', path, body, type: PATCH_TYPES[kind], ...options };
}

/** A watch that the server ends after a second. The answer is its events. `path` may have a query. */
export function watch(path: string, options: StepOptions = {}): Step {
  return get(`${path}${path.includes('?') ? '&' : '?'}watch=true&timeoutSeconds=1`, options);
}

/** Selects ServiceAccounts that both servers have: only ours creates the one called `default` with its namespace. */
export const NOT_DEFAULT = 'fieldSelector=metadata.name!%3Ddefault';

/** Any other method. */
export function send(method: string, path: string, options: StepOptions = {}): Step {
  return { method, path, ...options };
}

/** Returns the collection of a namespaced resource in the case's namespace. `core` is the core group. */
export function inNamespace(groupVersion: string, resource: string, name?: string): string {
  const prefix = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
  return `${prefix}/namespaces/{{ns}}/${resource}${name === undefined ? '' : `/${name}`}`;
}

export function configMaps(name?: string): string {
  return inNamespace('v1', 'configmaps', name);
}

export function secrets(name?: string): string {
  return inNamespace('v1', 'secrets', name);
}

export function serviceAccounts(name?: string): string {
  return inNamespace('v1', 'serviceaccounts', name);
}

export function leases(name?: string): string {
  return inNamespace('coordination.k8s.io/v1', 'leases', name);
}

export const RBAC = '/apis/rbac.authorization.k8s.io/v1';

export function roles(name?: string): string {
  return inNamespace('rbac.authorization.k8s.io/v1', 'roles', name);
}

export function roleBindings(name?: string): string {
  return inNamespace('rbac.authorization.k8s.io/v1', 'rolebindings', name);
}

/** Returns the body of a ConfigMap. */
export function configMap(name: string, fields: Readonly<Record<string, unknown>> = {}): Body {
  const { metadata, ...rest } = fields as { metadata?: Record<string, unknown> };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...rest };
}

/** Creates the ConfigMap `a` and saves its uid and revision as `{{uid}}` and `{{rv}}`. */
export function postConfigMap(fields: Readonly<Record<string, unknown>> = {}): Step {
  return post(configMaps(), configMap('a', fields), { save: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' } });
}

/** Returns the two steps that grant a user the rules in the case's namespace. */
export function grant(
  user: string,
  rules: readonly Readonly<Record<string, unknown>>[],
  name = `grant-${user}`,
): Step[] {
  return [
    post(roles(), { metadata: { name }, rules }),
    post(roleBindings(), {
      metadata: { name },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    }),
  ];
}
