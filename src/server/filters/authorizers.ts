/** The authorizers that need no policy, and several as one. Invariant: a union decides with the first that allows or denies; whoever has no opinion only adds its reason. */

import { quote } from '../../apimachinery/go-format.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { ConfigError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type {
  AuthorizationResult,
  Authorizer,
  NonResourceRule,
  RequestAttributes,
  ResourceRule,
  UserRules,
} from '../authorization.ts';

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

/** Mode `AlwaysDeny`: nobody may do anything, unless another authorizer allows it. */
export const ALWAYS_DENY: Authorizer = {
  authorize: () => ({ decision: 'no-opinion', reason: 'Everything is forbidden.', error: '' }),
  rulesFor: () => NO_RULES,
};

/** Members of one of the groups may do anything (`system:masters`). It lists no rules: the reference does not either. */
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

/** Everybody may ask for these paths, with every verb. A path may end in `*`; a leading slash is optional. Throws ConfigError for a `*` elsewhere. */
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

/** One is itself. None has no opinion about anything. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  if (authorizers.length === 1) return authorizers[0] as Authorizer;
  return {
    authorize: (attributes) => ask(authorizers, attributes, 0, NO_OPINION),
    rulesFor: (user, namespace) => collectRules(authorizers, user, namespace),
  };
}

function ask(
  authorizers: readonly Authorizer[],
  attributes: RequestAttributes,
  from: number,
  before: AuthorizationResult,
): MaybePromise<AuthorizationResult> {
  let all = before;
  for (let i = from; i < authorizers.length; i++) {
    const result = (authorizers[i] as Authorizer).authorize(attributes);
    if (isPromise(result)) {
      const soFar = all;
      return result.then((settled) =>
        settled.decision === 'no-opinion' ? ask(authorizers, attributes, i + 1, joined(soFar, settled)) : settled,
      );
    }
    if (result.decision !== 'no-opinion') return result;
    all = joined(all, result);
  }
  return all;
}

/** Reasons on lines of their own; several errors in brackets. */
function joined(a: AuthorizationResult, b: AuthorizationResult): AuthorizationResult {
  if (b === NO_OPINION || (b.reason === '' && b.error === '')) return a;
  if (a === NO_OPINION) return b;
  return {
    decision: 'no-opinion',
    reason: a.reason === '' || b.reason === '' ? a.reason + b.reason : `${a.reason}\n${b.reason}`,
    error: joinErrors(a.error, b.error),
  };
}

function joinErrors(a: string, b: string): string {
  if (a === '' || b === '' || a === b) return a === '' ? b : a;
  return a.startsWith('[') && a.endsWith(']') ? `${a.slice(0, -1)}, ${b}]` : `[${a}, ${b}]`;
}

async function collectRules(authorizers: readonly Authorizer[], user: UserInfo, namespace: string): Promise<UserRules> {
  const resourceRules: ResourceRule[] = [];
  const nonResourceRules: NonResourceRule[] = [];
  let incomplete = false;
  let error = '';
  for (const authorizer of authorizers) {
    const rules = await authorizer.rulesFor?.(user, namespace);
    if (rules === undefined) {
      incomplete = true;
      continue;
    }
    resourceRules.push(...rules.resourceRules);
    nonResourceRules.push(...rules.nonResourceRules);
    incomplete ||= rules.incomplete;
    error = joinErrors(error, rules.error);
  }
  return { resourceRules, nonResourceRules, incomplete, error };
}
