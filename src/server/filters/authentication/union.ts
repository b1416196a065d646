/**
 * Several authenticators as one. Invariant: they are asked in order, synchronously for as long as they answer so; a
 * wrong credential does not stop the others, but if nobody recognizes the request it is `failed` with what each of them
 * said, and such a request is never anonymous.
 */
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
  /** Asked if the others found nothing at all. Default: such a request is 401. */
  readonly anonymous?: Authenticator | undefined;
}

/** What a server asks: the authenticators in order, `system:authenticated` for whom they recognize, then anonymous. */
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
    // The usual request is over here, without a closure or a list.
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

/** One message, which is usually forgotten because somebody else recognizes the request, or several. */
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
  return { outcome: 'failed', message: typeof failures === 'string' ? failures : `[${failures.join(', ')}]` };
}

/** Adds `system:authenticated` to everybody who is neither anonymous nor in one of the two groups already. */
export function withAuthenticatedGroup(authenticator: Authenticator): Authenticator {
  // Authenticators that answer from memory hand out the same result again and again.
  const enlarged = new WeakMap<AuthenticationResult, AuthenticationResult>();
  const enlarge = (result: AuthenticationResult): AuthenticationResult => {
    if (result.outcome !== 'ok') return result;
    let larger = enlarged.get(result);
    if (larger === undefined) {
      const user = addAuthenticatedGroup(result.user);
      larger = user === result.user ? result : { ...result, user };
      enlarged.set(result, larger);
    }
    return larger;
  };
  return (incoming) => {
    const result = authenticator(incoming);
    return isPromise(result) ? result.then(enlarge) : enlarge(result);
  };
}

function addAuthenticatedGroup(user: UserInfo): UserInfo {
  const { groups } = user;
  if (user.name === ANONYMOUS_USER || groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP))
    return user;
  return { ...user, groups: [...groups, AUTHENTICATED_GROUP] };
}
