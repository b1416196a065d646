/**
 * Authorizers without a policy, and the union of several authorizers. The first one that allows or denies decides; one
 * without an opinion only adds its reason.
 */

import { formatAggregate, quote } from '../../apimachinery/go-format.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { ConfigError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { AuthorizationResult, Authorizer, RequestAttributes, UserRules } from '../authorizer.ts';

const ALLOWED: AuthorizationResult = { decision: 'allow', reason: '', error: '' };
const NO_OPINION: AuthorizationResult = { decision: 'no-opinion', reason: '', error: '' };
const NO_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false, error: '' };

/** Mode `AlwaysAllow`. */
export const ALWAYS_ALLOW: Authorizer = {
  authorize: () => ALLOWED,
  rulesFor: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
    error: '',
  }),
};

/** Mode `AlwaysDeny`. It has no opinion, so another authorizer may still allow a request. */
export const ALWAYS_DENY: Authorizer = {
  authorize: () => ({ decision: 'no-opinion', reason: 'Everything is forbidden.', error: '' }),
  rulesFor: () => NO_RULES,
};

/** Allows everything to members of the groups (`system:masters`). It lists no rules, as in the reference. */
export function privilegedGroupsAuthorizer(groups: readonly string[]): Authorizer {
  const only = groups.length === 1 ? groups[0] : undefined;
  const isPrivileged =
    only === undefined
      ? (user: UserInfo): boolean => user.groups.some((group) => groups.includes(group))
      : (user: UserInfo): boolean => user.groups.includes(only);
  return {
    authorize: ({ user }) => (isPrivileged(user) ? ALLOWED : NO_OPINION),
    rulesFor: () => NO_RULES,
  };
}

/**
 * Allows every verb on these paths to every user. A path may end in `*`; a leading slash is optional. Throws
 * ConfigError for a `*` elsewhere.
 */
export function pathsAuthorizer(paths: readonly string[]): Authorizer {
  const whole = new Set<string>();
  const prefixes: string[] = [];
  for (const path of paths.map(withoutSlash)) {
    if (path.slice(0, -1).includes('*')) throw new ConfigError(`only trailing * allowed in ${quote(path)}`);
    if (path.endsWith('*')) prefixes.push(path.slice(0, -1));
    else whole.add(path);
  }
  return {
    authorize: (attributes) => {
      if (attributes.isResourceRequest) return NO_OPINION;
      const path = withoutSlash(attributes.path);
      return whole.has(path) || prefixes.some((prefix) => path.startsWith(prefix)) ? ALLOWED : NO_OPINION;
    },
    rulesFor: () => NO_RULES,
  };
}

function withoutSlash(path: string): string {
  return path.startsWith('/') ? path.slice(1) : path;
}

/**
 * Calls the authorizers in order; the rules are those of all. A single authorizer is returned itself. An empty union
 * has no opinion.
 */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  if (authorizers.length === 1) return authorizers[0] as Authorizer;
  const authorizeFrom = (
    at: number,
    attributes: RequestAttributes,
    reasons: readonly string[],
    errors: readonly string[],
  ): MaybePromise<AuthorizationResult> => {
    for (let i = at; i < authorizers.length; i++) {
      const answer = (authorizers[i] as Authorizer).authorize(attributes);
      if (isPromise(answer))
        return answer.then((result) =>
          result.decision === 'no-opinion'
            ? authorizeFrom(i + 1, attributes, append(reasons, result.reason), append(errors, result.error))
            : result,
        );
      if (answer.decision !== 'no-opinion') return answer;
      reasons = append(reasons, answer.reason);
      errors = append(errors, answer.error);
    }
    if (reasons.length === 0 && errors.length === 0) return NO_OPINION;
    return { decision: 'no-opinion', reason: reasons.join('\n'), error: formatAggregate(errors) };
  };
  return {
    authorize: (attributes) => authorizeFrom(0, attributes, NONE, NONE),
    rulesFor: (user, namespace) => unionRules(authorizers, user, namespace),
  };
}

const NONE: readonly string[] = [];

function append(list: readonly string[], text: string): readonly string[] {
  return text === '' ? list : [...list, text];
}

/** Returns the rules of all authorizers. One that cannot list its rules makes the answer incomplete. */
async function unionRules(authorizers: readonly Authorizer[], user: UserInfo, namespace: string): Promise<UserRules> {
  const parts: UserRules[] = [];
  for (const authorizer of authorizers)
    parts.push((await authorizer.rulesFor?.(user, namespace)) ?? { ...NO_RULES, incomplete: true });
  return {
    resourceRules: parts.flatMap((part) => part.resourceRules),
    nonResourceRules: parts.flatMap((part) => part.nonResourceRules),
    incomplete: parts.some((part) => part.incomplete),
    error: formatAggregate(parts.map((part) => part.error).filter((error) => error !== '')),
  };
}
