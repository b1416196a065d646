/**
 * The kind TokenReview: the user of a token. Invariant: a token is authenticated by the same authenticator as the token
 * of a request.
 */
import { textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest, internalError } from '../../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import { INVALID_BEARER_TOKEN } from '../../../pki/service-account-tokens.ts';
import type { AuthenticationResult, TokenAuthenticator } from '../../../server/authenticator.ts';
import type { WriteAnswer } from '../../../server/resource/resource-store.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, reviewResource } from '../../shared/built-in.ts';
import { reviewAnswer } from '../../shared/review-answer.ts';
import { userFields } from './user-fields.ts';

export const AUTHENTICATION_GROUP = 'authentication.k8s.io';
const AUTHENTICATED_GROUP = 'system:authenticated';

export interface TokenReviewOptions {
  readonly authenticateToken: TokenAuthenticator;
  /** The audiences of this server. A token must be for one of them unless the review names others. */
  readonly apiAudiences: readonly string[];
}

export function tokenReviewResource(options: TokenReviewOptions): KubeResource {
  const version = builtInVersion({ group: AUTHENTICATION_GROUP, version: 'v1', kind: 'TokenReview', stored: false });
  const definition = reviewResource(version, 'Cluster', (_context, review, request) => {
    const token = textAt(review, 'spec', 'token');
    if (token === '') throw new StatusError(badRequest('token is required for TokenReview in authentication'));
    return andThen(request.validate(review), (): MaybePromise<WriteAnswer> => {
      const asked = textsAt(review, 'spec', 'audiences');
      const wanted = asked.length > 0 ? asked : options.apiAudiences;
      return andThen(options.authenticateToken(token, wanted), (result) =>
        reviewAnswer(version, { ...review, status: tokenStatus(result, wanted, options.apiAudiences) }),
      );
    });
  });
  return { definition };
}

/** A token without audiences is for the audiences of this server. */
function tokenStatus(
  result: AuthenticationResult,
  wanted: readonly string[],
  apiAudiences: readonly string[],
): JsonObject {
  if (result.outcome !== 'ok')
    return { user: {}, error: result.outcome === 'failed' ? result.message : INVALID_BEARER_TOKEN };
  const bound = result.audiences;
  const audiences = bound ?? apiAudiences.filter((audience) => wanted.includes(audience));
  if (wanted.length > 0 && !audiences.some((audience) => wanted.includes(audience))) {
    if (bound === undefined) return { user: {}, error: INVALID_BEARER_TOKEN };
    throw new StatusError(internalError('error validating audiences'));
  }
  return {
    authenticated: true,
    user: userFields(authenticated(result.user)),
    ...(audiences.length === 0 ? undefined : { audiences: [...audiences] }),
  };
}

/** Adds the group `system:authenticated`. */
function authenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}
