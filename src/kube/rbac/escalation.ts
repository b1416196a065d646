/**
 * The rules of privilege escalation: a user can only grant permissions that the user holds, unless an authorizer allows
 * the verb `escalate` on the role or `bind` on the bound role. The caller asks the union of all authorizers about the
 * attributes that this file makes, because not only RBAC may allow them.
 */
import { quote, quoteList } from '../../apimachinery/go-format.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { MASTERS_GROUP, type RequestAttributes } from '../../server/authorizer.ts';
import type { PolicyRule, PolicyRules, RoleRef } from './policy.ts';
import type { RoleIndex } from './role-index.ts';
import { formatProblems } from './role-problem.ts';
import { compactRules, covers, formatRule } from './rule-cover.ts';

/** The permissions that setting an aggregationRule requires, because it can select every rule. */
export const FULL_AUTHORITY: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export const AGGREGATION_NEEDS_ADMIN = 'must have cluster-admin privileges to use the aggregationRule';

/**
 * The limit in characters of the list of missing permissions in a message. A longer list ends with AND_MORE. The
 * reference has no limit.
 */
export const MAX_TEXT: number = 256 * 1024;
const AND_MORE = 'and more: the rules grant too many permissions to list them all';

/** Members of system:masters may grant anything. */
export function mayAlwaysEscalate(user: UserInfo): boolean {
  return user.groups.includes(MASTERS_GROUP);
}

/** The attributes of the request that, if allowed, exempts a write to this role from the escalation check. */
export function escalateAttributes(
  user: UserInfo,
  role: { readonly apiGroup: string; readonly resource: string; readonly name: string; readonly namespace: string },
): RequestAttributes {
  return { user, verb: 'escalate', ...role, apiVersion: '*', subresource: '', path: '', isResourceRequest: true };
}

/**
 * The attributes of the request that, if allowed, exempts a binding to this role from the escalation check. The
 * namespace is '' for a ClusterRoleBinding. Returns undefined if the role reference has an unknown kind.
 */
export function bindAttributes(user: UserInfo, roleRef: RoleRef, namespace: string): RequestAttributes | undefined {
  const { kind, apiGroup = '', name = '' } = roleRef;
  if (kind !== 'ClusterRole' && kind !== 'Role') return undefined;
  const resource = kind === 'Role' ? 'roles' : 'clusterroles';
  return {
    user,
    verb: 'bind',
    namespace,
    apiGroup,
    resource,
    apiVersion: '*',
    subresource: '',
    name,
    path: '',
    isResourceRequest: true,
  };
}

/**
 * Returns the message that refuses the grant of the rules in the namespace, with the permissions that the user lacks.
 * Returns undefined if the user holds all of them.
 */
export function describeEscalation(
  index: RoleIndex,
  user: UserInfo,
  namespace: string,
  rules: PolicyRules,
): string | undefined {
  const held = index.rulesFor(user, namespace);
  const { covered, uncovered, cut } = covers(held.rules, rules);
  if (covered) return undefined;
  const missing = new Set<string>();
  let room = MAX_TEXT;
  for (const rule of compactRules(uncovered)) {
    if (room <= 0) break;
    const text = formatRule(rule);
    if (!missing.has(text)) room -= text.length;
    missing.add(text);
  }
  const lines = [...missing].sort(compareUtf8);
  if (cut || room <= 0) lines.push(AND_MORE);
  const who = `user ${quote(user.name)} (groups=${quoteList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;
  if (held.problems.length === 0) return text;
  return `${text}; resolution errors: [${formatProblems(held.problems, 'storage')}]`;
}
