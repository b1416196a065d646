/**
 * What an authorizer decides on: who asks for what. Invariant: plain data that nobody changes after authentication; an absent text is ''.
 */

/** The caller, as authentication established it. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** One request; `path` counts only if it is not about a resource, the other names only if it is. */
export interface RequestAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  /** '' for a cluster-wide request. */
  readonly namespace: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' where the request names no object: list, watch, create, deletecollection. */
  readonly name: string;
  readonly path: string;
  readonly isResourceRequest: boolean;
}

/** The group whose members may do anything: the server's own connections and the first admin are in it. */
export const MASTERS_GROUP = 'system:masters';

export const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';

/** The user name under which a service account asks. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`;
}
