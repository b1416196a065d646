/**
 * What an authorizer decides on: who asks for what. Invariant: plain data that nobody changes after authentication; an absent text is ''.
 */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';

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
