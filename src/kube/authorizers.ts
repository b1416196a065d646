/**
 * The authorizers that need no objects, and the chain of all. Invariant: members of system:masters are always allowed; the first that allows or denies decides, and
 * reasons of those without an opinion are told together.
 */
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import {
  type AuthorizationResult,
  type Authorizer,
  MASTERS_GROUP,
  type RequestAttributes,
  type UserRules,
} from '../server/authorization.ts';

const ALLOW: AuthorizationResult = { decision: 'allow', reason: '', error: '' };
const NO_OPINION: AuthorizationResult = { decision: 'no-opinion', reason: '', error: '' };
const NO_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false, error: '' };

/** Whoever is in system:masters may do anything; nothing is said about others, nor about rules. */
export const mastersAuthorizer: Authorizer = {
  authorize: ({ user }) => (user.groups.includes(MASTERS_GROUP) ? ALLOW : NO_OPINION),
  rulesFor: () => NO_RULES,
};

export const alwaysAllowAuthorizer: Authorizer = {
  authorize: () => ALLOW,
  rulesFor: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
    error: '',
  }),
};

/** Allows nothing; another authorizer may still allow, as in the reference. */
export const alwaysDenyAuthorizer: Authorizer = {
  authorize: () => ({ decision: 'no-opinion', reason: 'Everything is forbidden.', error: '' }),
  rulesFor: () => NO_RULES,
};

/** Asks one after the other; the rules are those of all. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  const askFrom = (
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
            ? askFrom(i + 1, attributes, append(reasons, result.reason), append(errors, result.error))
            : result,
        );
      if (answer.decision !== 'no-opinion') return answer;
      reasons = append(reasons, answer.reason);
      errors = append(errors, answer.error);
    }
    if (reasons.length === 0 && errors.length === 0) return NO_OPINION;
    return { decision: 'no-opinion', reason: reasons.join('\n'), error: joined(errors) };
  };
  return {
    authorize: (attributes) => askFrom(0, attributes, NONE, NONE),
    rulesFor: (user, namespace) => unionRules(authorizers, user, namespace),
  };
}

const NONE: readonly string[] = [];

function append(list: readonly string[], text: string): readonly string[] {
  return text === '' ? list : [...list, text];
}

function joined(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length > 1 ? `[${distinct.join(', ')}]` : (distinct[0] ?? '');
}

/** An authorizer that cannot tell its rules makes the answer incomplete. */
async function unionRules(authorizers: readonly Authorizer[], user: UserInfo, namespace: string): Promise<UserRules> {
  const parts: UserRules[] = [];
  for (const authorizer of authorizers)
    parts.push((await authorizer.rulesFor?.(user, namespace)) ?? { ...NO_RULES, incomplete: true });
  return {
    resourceRules: parts.flatMap((part) => part.resourceRules),
    nonResourceRules: parts.flatMap((part) => part.nonResourceRules),
    incomplete: parts.some((part) => part.incomplete),
    error: joined(parts.map((part) => part.error).filter((error) => error !== '')),
  };
}
