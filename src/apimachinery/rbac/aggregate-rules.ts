/**
 * The rules of an aggregated ClusterRole, computed from the ClusterRoles whose labels its selectors match.
 * Invariant: the rules are ordered by selector, then by role name, then by position in the role, and none occurs twice.
 */

import { compareUtf8 } from '../../base/utf8.ts';
import { compileLabelSelectorForRecord } from '../selectors/label-selector-match.ts';
import { type LabelSelectorObject, labelSelectorFromObject } from '../selectors/label-selector-object.ts';

type StringList = readonly string[] | null | undefined;

/** A rule of a role. Absent, null and empty lists mean the same. */
export interface AggregatedRule {
  readonly verbs?: StringList;
  readonly apiGroups?: StringList;
  readonly resources?: StringList;
  readonly resourceNames?: StringList;
  readonly nonResourceURLs?: StringList;
}

/** The fields of a ClusterRole that aggregation reads. */
export interface AggregatedRole<R extends AggregatedRule> {
  readonly metadata?:
    | { readonly name?: string | undefined; readonly labels?: Readonly<Record<string, string>> | undefined }
    | undefined;
  readonly rules?: readonly R[] | null | undefined;
  readonly aggregationRule?:
    | { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] | null | undefined }
    | null
    | undefined;
}

export type Aggregation<R> =
  /** The role is not aggregated, or it already has these rules. */
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'changed'; readonly rules: readonly R[] }
  /** A selector is invalid, so no rules were computed. */
  | { readonly outcome: 'bad-selector'; readonly message: string };

const UNCHANGED: Aggregation<never> = { outcome: 'unchanged' };

/**
 * Computes the rules of an aggregated role and compares them with its present rules. `roles` may contain the role
 * itself.
 */
export function aggregateRules<R extends AggregatedRule>(
  role: AggregatedRole<R>,
  roles: readonly AggregatedRole<R>[],
): Aggregation<R> {
  const { aggregationRule } = role;
  if (aggregationRule === undefined || aggregationRule === null) return UNCHANGED;
  const rules = new Map<string, R>();
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

/** Returns the same key for equal rules. Absent, null and empty lists are equal. */
function ruleKey(rule: AggregatedRule): string {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  return JSON.stringify([verbs ?? [], apiGroups ?? [], resources ?? [], resourceNames ?? [], nonResourceURLs ?? []]);
}

function nameOf({ metadata }: AggregatedRole<AggregatedRule>): string {
  return metadata?.name ?? '';
}
