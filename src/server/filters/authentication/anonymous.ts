/**
 * The anonymous authenticator. It is the last one of a union, so a request with a wrong credential is never anonymous.
 */
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import type { AuthenticationResult, Authenticator } from '../../authenticator.ts';
import { NOT_RECOGNIZED } from '../../authenticator.ts';

export const ANONYMOUS_USER = 'system:anonymous';
export const AUTHENTICATED_GROUP = 'system:authenticated';
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

const ANONYMOUS: UserInfo = { name: ANONYMOUS_USER, uid: '', groups: [UNAUTHENTICATED_GROUP], extra: {} };
const RESULT: AuthenticationResult = { outcome: 'ok', user: ANONYMOUS };

/**
 * Authenticates every request as `system:anonymous`. With `paths`, only requests to exactly one of these paths; the
 * query is ignored.
 */
export function anonymousAuthenticator(paths: readonly string[] = []): Authenticator {
  if (paths.length === 0) return () => RESULT;
  const allowed = new Set(paths);
  return (incoming) => {
    const mark = incoming.target.indexOf('?');
    return allowed.has(mark < 0 ? incoming.target : incoming.target.slice(0, mark)) ? RESULT : NOT_RECOGNIZED;
  };
}

/** Reports whether the user is `system:anonymous` or a member of `system:unauthenticated`. */
export function isAnonymous(user: UserInfo): boolean {
  return user.name === ANONYMOUS_USER || user.groups.includes(UNAUTHENTICATED_GROUP);
}
