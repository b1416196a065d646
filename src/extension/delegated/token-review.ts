/**
 * Authentication of bearer tokens by the parent: one TokenReview per token. Results are cached.
 * Invariant: tokens are stored neither in memory nor in messages. The key of a cached result is a keyed hash of the
 * token.
 */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { formatHex } from '../../base/bytes.ts';
import { toError } from '../../base/errors.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import { randomBytes } from '../../base/random.ts';
import type { DeepReadonly } from '../../client/object-types.ts';
import {
  type UserInfo as ReviewedUser,
  TokenReview,
  type TokenReviewStatus,
} from '../../kinds/api/authentication/v1.ts';
import { type AuthenticationResult, NOT_RECOGNIZED, type TokenAuthenticator } from '../../server/authenticator.ts';
import { type ReviewSender, sendReview } from './send-review.ts';
import { SharedResults } from './shared-results.ts';

export interface TokenReviewOptions extends ReviewSender {
  /** A token must be for at least one of these audiences. Empty: the audiences of the parent. */
  readonly audiences: readonly string[];
  /** How long a result is cached, for good and for bad tokens; 0: never. k8s.io/apiserver uses 10 s. */
  readonly cacheMs: number;
  /** A cryptographic hash of a text. Called for each request with a token. */
  readonly hash: (text: string) => string;
  /** Called when a review cannot be sent to the parent. */
  readonly onFailure: (error: Error) => void;
}

/** The most cached results, as in k8s.io/apiserver. */
const KEPT_TOKENS = 32_768;

/**
 * An authenticator that asks the parent. The result is `none` for a token that the parent does not know, and `failed`
 * if the parent refuses the token with a message or cannot be asked. `failed` is not cached.
 */
export function tokenReviewAuthenticator(options: TokenReviewOptions): TokenAuthenticator {
  const { clock, cacheMs, hash, onFailure } = options;
  const results = new SharedResults<AuthenticationResult>({
    clock,
    limit: KEPT_TOKENS,
    lifetimeMs: ({ outcome }) => (outcome === 'failed' ? 0 : cacheMs),
  });
  const salt = formatHex(randomBytes(32));
  const failed = (caught: unknown): AuthenticationResult => {
    const error = toError(caught);
    onFailure(error);
    return { outcome: 'failed', message: `the token cannot be reviewed by the parent: ${error.message}` };
  };
  return (token, asked) => {
    const audiences = asked.length > 0 ? asked : options.audiences;
    const key = hash(audiences.length === 0 ? `${salt} ${token}` : salt + JSON.stringify([audiences, token]));
    const result = results.get(key, () => review(options, token, audiences));
    return isPromise(result) ? result.catch(failed) : result;
  };
}

async function review(
  options: TokenReviewOptions,
  token: string,
  audiences: readonly string[],
): Promise<AuthenticationResult> {
  const spec = { token, ...(audiences.length > 0 && { audiences }) };
  const { status } = await sendReview(options, TokenReview, { spec });
  return resultOf(status ?? {}, audiences);
}

function resultOf(status: DeepReadonly<TokenReviewStatus>, audiences: readonly string[]): AuthenticationResult {
  if (status.authenticated !== true)
    return status.error ? { outcome: 'failed', message: status.error } : NOT_RECOGNIZED;
  const user = userOf(status.user ?? {});
  if (audiences.length === 0) return { outcome: 'ok', user };
  const common = audiences.filter((audience) => status.audiences?.includes(audience));
  return common.length === 0 ? NOT_RECOGNIZED : { outcome: 'ok', user, audiences: common };
}

function userOf({ username = '', uid = '', groups = [], extra = {} }: DeepReadonly<ReviewedUser>): UserInfo {
  return { name: username, uid, groups, extra };
}
