/**
 * The union of several authenticators.
 *
 * Invariants: they are called in order, without a promise as long as they answer synchronously. A wrong credential does
 * not stop the union. If no authenticator recognizes the request, it is `failed` with all messages, and never
 * anonymous.
 */
import { formatAggregate } from '../../../apimachinery/go-format.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { isPromise, type MaybePromise } from '../../../base/maybe-promise.ts';
import {
  type AuthenticationResult,
  type Authenticator,
  NOT_RECOGNIZED,
  type TokenAuthenticator,
} from '../../authenticator.ts';
import type { Incoming } from '../../http/exchange.ts';
import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from './anonymous.ts';

export interface AuthenticatorOptions {
  /** In the reference's order: request header, client certificate, bearer tokens. */
  readonly authenticators: readonly Authenticator[];
  /** Called if no other authenticator finds a credential. Default: such a request is a 401. */
  readonly anonymous?: Authenticator | undefined;
}

/**
 * Returns the authenticator of a server: all authenticators in order, `system:authenticated` added to the users that
 * they recognize, then the anonymous one.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const known = withAuthenticatedGroup(unionAuthenticator(options.authenticators));
  const { anonymous } = options;
  if (anonymous === undefined) return known;
  const orAnonymous = (incoming: Incoming, result: AuthenticationResult): MaybePromise<AuthenticationResult> =>
    result.outcome === 'none' ? anonymous(incoming) : result;
  return (incoming) => {
    const result = known(incoming);
    return isPromise(result) ? result.then((settled) => orAnonymous(incoming, settled)) : orAnonymous(incoming, result);
  };
}

export function unionAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return (incoming) => {
    let failures: Failures;
    // Most requests end here, without a closure or a list.
    for (let i = 0; i < authenticators.length; i++) {
      const result = (authenticators[i] as Authenticator)(incoming);
      if (isPromise(result)) {
        const call = (authenticator: Authenticator): MaybePromise<AuthenticationResult> => authenticator(incoming);
        return authenticateLater(authenticators, i, failures, result, call);
      }
      if (result.outcome === 'ok') return result;
      if (result.outcome === 'failed') failures = added(failures, result.message);
    }
    return notRecognized(failures);
  };
}

export function unionTokenAuthenticator(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return (token, audiences) =>
    authenticateFrom(authenticators, 0, undefined, (authenticator) => authenticator(token, audiences));
}

/**
 * One message or several. The common case is a single one that is discarded, because a later authenticator recognizes
 * the request.
 */
type Failures = string | readonly string[] | undefined;

function authenticateFrom<A>(
  authenticators: readonly A[],
  from: number,
  before: Failures,
  call: (authenticator: A) => MaybePromise<AuthenticationResult>,
): MaybePromise<AuthenticationResult> {
  let failures = before;
  for (let i = from; i < authenticators.length; i++) {
    const result = call(authenticators[i] as A);
    if (isPromise(result)) return authenticateLater(authenticators, i, failures, result, call);
    if (result.outcome === 'ok') return result;
    if (result.outcome === 'failed') failures = added(failures, result.message);
  }
  return notRecognized(failures);
}

function authenticateLater<A>(
  authenticators: readonly A[],
  at: number,
  failures: Failures,
  pending: Promise<AuthenticationResult>,
  call: (authenticator: A) => MaybePromise<AuthenticationResult>,
): Promise<AuthenticationResult> {
  return pending.then((result) => {
    if (result.outcome === 'ok') return result;
    const all = result.outcome === 'failed' ? added(failures, result.message) : failures;
    return authenticateFrom(authenticators, at + 1, all, call);
  });
}

function added(failures: Failures, message: string): Failures {
  if (failures === undefined) return message;
  const list = typeof failures === 'string' ? [failures] : failures;
  return list.includes(message) ? failures : [...list, message];
}

function notRecognized(failures: Failures): AuthenticationResult {
  if (failures === undefined) return NOT_RECOGNIZED;
  return { outcome: 'failed', message: typeof failures === 'string' ? failures : formatAggregate(failures) };
}

/** Adds `system:authenticated` to every user that is not anonymous and is in neither of the two groups yet. */
export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  // Authenticators that answer from memory return the same result object each time.
  const byResult = new WeakMap<AuthenticationResult, AuthenticationResult>();
  const addGroup = (result: AuthenticationResult): AuthenticationResult => {
    if (result.outcome !== 'ok') return result;
    let grouped = byResult.get(result);
    if (grouped === undefined) {
      const user = addAuthenticatedGroup(result.user);
      grouped = user === result.user ? result : { ...result, user };
      byResult.set(result, grouped);
    }
    return grouped;
  };
  return (incoming) => {
    const result = authenticator(incoming);
    return isPromise(result) ? result.then(addGroup) : addGroup(result);
  };
}

function addAuthenticatedGroup(user: UserInfo): UserInfo {
  const { groups } = user;
  if (user.name === ANONYMOUS_USER || groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP))
    return user;
  return { ...user, groups: [...groups, AUTHENTICATED_GROUP] };
}
