/**
 * Aggregated ClusterRoles: the rules of those whose labels match. Invariant: pure; the order is that of the selectors, then of the names,
 * then of the rules, and a rule that is already there is not repeated.
 */

import { compileLabelSelectorForRecord } from '../../apimachinery/selectors/label-selector-match.ts';
import { labelSelectorFromObject } from '../../apimachinery/selectors/label-selector-object.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { type ClusterRole, nameOf, type PolicyRule } from './policy.ts';

export type Aggregation =
  /** Not an aggregated role, or one whose rules are right as they are. */
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'changed'; readonly rules: readonly PolicyRule[] }
  /** A selector that cannot be used; nothing is aggregated. */
  | { readonly outcome: 'bad-selector'; readonly message: string };

const UNCHANGED: Aggregation = { outcome: 'unchanged' };

/** The rules that an aggregated role should have, if they are others than it has. `roles` may contain the role itself; it is passed over. */
export function aggregateRules(role: ClusterRole, roles: readonly ClusterRole[]): Aggregation {
  const { aggregationRule } = role;
  if (aggregationRule === undefined || aggregationRule === null) return UNCHANGED;
  const rules = new Map<string, PolicyRule>();
  const others = roles
    .filter((other) => nameOf(other) !== nameOf(role))
    .sort((a, b) => compareUtf8(nameOf(a), nameOf(b)));
  for (const object of aggregationRule.clusterRoleSelectors ?? []) {
    const converted = labelSelectorFromObject(object);
    if (!converted.ok) return { outcome: 'bad-selector', message: converted.message };
    const matches = compileLabelSelectorForRecord(converted.selector);
    for (const other of others) {
      if (!matches(other.metadata?.labels)) continue;
      for (const rule of other.rules ?? []) {
        const key = ruleKey(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  const keys = [...rules.keys()];
  const present = role.rules ?? [];
  if (keys.length === present.length && present.every((rule, i) => ruleKey(rule) === keys[i])) return UNCHANGED;
  return { outcome: 'changed', rules: [...rules.values()] };
}

/** Equal for rules that are equal value by value; absent, null and empty lists are the same. */
function ruleKey(rule: PolicyRule): string {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  return JSON.stringify([verbs ?? [], apiGroups ?? [], resources ?? [], resourceNames ?? [], nonResourceURLs ?? []]);
}
