/**
 * TokenReview and SelfSubjectReview: who is behind a token, who is asking. Invariant: a token is judged exactly as one that comes with a request; the token itself
 * goes back only to who sent it.
 */

import { textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { formatTime, instantFromMillis } from '../../../apimachinery/scalars/time.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest, internalError } from '../../../apimachinery/status/status-catalogue.ts';
import type { Clock } from '../../../base/clock.ts';
import { type JsonObject, setField } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import { INVALID_BEARER_TOKEN } from '../../../pki/service-account-tokens.ts';
import type { AuthenticationResult, TokenAuthenticator } from '../../../server/authentication.ts';
import type { ResourceDefinition } from '../../../server/resource/resource-definition.ts';
import type { WriteAnswer } from '../../../server/resource/resource-store.ts';
import { builtInVersion, reviewResource } from '../../shared/built-in.ts';
import { reviewAnswer } from '../authorization/review-answer.ts';

export const AUTHENTICATION_GROUP = 'authentication.k8s.io';
const AUTHENTICATED_GROUP = 'system:authenticated';

export interface TokenReviewOptions {
  readonly authenticateToken: TokenAuthenticator;
  /** What a token must be for, if the review does not say. */
  readonly apiAudiences: readonly string[];
}

export function tokenReview(options: TokenReviewOptions): ResourceDefinition {
  const version = builtInVersion({ group: AUTHENTICATION_GROUP, version: 'v1', kind: 'TokenReview', stored: false });
  return reviewResource(version, 'Cluster', (_context, review, request) => {
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
}

/** A credential that is bound to no audience is one for this server. */
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

/** Everybody with a name is in the group of the authenticated. */
function authenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}

export function selfSubjectReview(clock: Clock): ResourceDefinition {
  const version = builtInVersion({
    group: AUTHENTICATION_GROUP,
    version: 'v1',
    kind: 'SelfSubjectReview',
    stored: false,
  });
  return reviewResource(version, 'Cluster', (context, review, request) =>
    andThen(request.validate(review), () =>
      reviewAnswer(version, {
        metadata: { creationTimestamp: formatTime(instantFromMillis(clock.now())) },
        status: { userInfo: userFields(context.request.user) },
      }),
    ),
  );
}

function userFields(user: UserInfo): JsonObject {
  const extra: JsonObject = {};
  for (const key of Object.keys(user.extra).sort()) setField(extra, key, [...(user.extra[key] ?? [])]);
  return {
    ...(user.name === '' ? undefined : { username: user.name }),
    ...(user.uid === '' ? undefined : { uid: user.uid }),
    ...(user.groups.length === 0 ? undefined : { groups: [...user.groups] }),
    ...(Object.keys(extra).length === 0 ? undefined : { extra }),
  };
}
