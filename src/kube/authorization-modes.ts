/** The authorizers of `--authorization-mode`. */
import { type Authorizer, MASTERS_GROUP } from '../server/authorizer.ts';
import {
  ALWAYS_ALLOW,
  ALWAYS_DENY,
  privilegedGroupsAuthorizer,
  unionAuthorizer,
} from '../server/filters/authorizers.ts';

/** `Node` is accepted and has no opinion on any request. */
export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'RBAC' | 'Node';

export const AUTHORIZATION_MODES: readonly AuthorizationMode[] = ['AlwaysAllow', 'AlwaysDeny', 'RBAC', 'Node'];

/** Returns the union of the modes, in their order. Members of system:masters are allowed before any mode is asked. */
export function authorizerOf(modes: readonly AuthorizationMode[], rbac: Authorizer): Authorizer {
  const byMode: Readonly<Record<AuthorizationMode, readonly Authorizer[]>> = {
    AlwaysAllow: [ALWAYS_ALLOW],
    AlwaysDeny: [ALWAYS_DENY],
    RBAC: [rbac],
    Node: [],
  };
  return unionAuthorizer([privilegedGroupsAuthorizer([MASTERS_GROUP]), ...modes.flatMap((mode) => byMode[mode])]);
}
