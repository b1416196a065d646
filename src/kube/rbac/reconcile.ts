/**
 * The comparison of stored bootstrap roles and bindings with the expected ones at startup.
 * Invariant: reconciliation keeps every rule, subject, label and annotation that the stored object has. It replaces
 * only a binding that refers to another role, and removes only an aggregationRule that is not expected. An object whose
 * autoupdate annotation is "false" is marked as protected.
 */
import { equalJson, type JsonValue } from '../../base/json-value.ts';
import {
  type AggregationRule,
  AUTOUPDATE_ANNOTATION,
  type Binding,
  type ClusterRole,
  type PolicyRule,
  type RbacObject,
  type Role,
  type RoleRef,
  type Subject,
} from './policy.ts';
import { covers } from './rule-cover.ts';

export interface Reconciliation<T> {
  /** `recreate` (bindings only): delete the stored object, with its uid as precondition, then create. */
  readonly operation: 'none' | 'create' | 'update' | 'recreate';
  /** True if the stored object has autoupdate "false". The caller must not write it, and logs the difference. */
  readonly isProtected: boolean;
  /** The object to write. */
  readonly object: T;
  /** The permissions that the stored role lacks, broken down. Empty for bindings. */
  readonly missingRules: readonly PolicyRule[];
  /** The subjects that the stored binding lacks. Empty for roles. */
  readonly missingSubjects: readonly Subject[];
}

/** Compares a Role or a ClusterRole. `existing` is undefined if none is stored. */
export function reconcileRole<T extends Role | ClusterRole>(existing: T | undefined, expected: T): Reconciliation<T> {
  if (existing === undefined) return creation(expected, expected.rules ?? [], []);
  const { changed, metadata } = mergeMeta(existing, expected);
  const missingRules = covers(existing.rules, expected.rules).uncovered;
  const aggregation = mergeAggregation(aggregationOf(existing), aggregationOf(expected));
  const object: T = { ...existing, metadata };
  const writable = object as { rules?: readonly PolicyRule[]; aggregationRule?: AggregationRule };
  if (missingRules.length > 0) writable.rules = [...(existing.rules ?? []), ...missingRules];
  if (aggregation.rule === undefined) delete writable.aggregationRule;
  else writable.aggregationRule = aggregation.rule;
  return {
    operation: changed || aggregation.changed || missingRules.length > 0 ? 'update' : 'none',
    isProtected: isProtected(existing),
    object,
    missingRules,
    missingSubjects: [],
  };
}

/** Compares a RoleBinding or a ClusterRoleBinding. `existing` is undefined if none is stored. */
export function reconcileBinding<T extends Binding<string>>(existing: T | undefined, expected: T): Reconciliation<T> {
  if (existing === undefined) return creation(expected, [], expected.subjects ?? []);
  if (!sameRole(existing.roleRef, expected.roleRef)) {
    return { ...creation(expected, [], []), operation: 'recreate', isProtected: isProtected(existing) };
  }
  const { changed, metadata } = mergeMeta(existing, expected);
  const held = new Set((existing.subjects ?? []).map(subjectKey));
  const missing = new Map<string, Subject>();
  for (const subject of expected.subjects ?? []) {
    const key = subjectKey(subject);
    if (!held.has(key) && !missing.has(key)) missing.set(key, subject);
  }
  const missingSubjects = [...missing.values()];
  const subjects = missing.size === 0 ? {} : { subjects: [...(existing.subjects ?? []), ...missingSubjects] };
  return {
    operation: changed || missing.size > 0 ? 'update' : 'none',
    isProtected: isProtected(existing),
    object: { ...existing, metadata, ...subjects },
    missingRules: [],
    missingSubjects,
  };
}

function creation<T>(
  object: T,
  missingRules: readonly PolicyRule[],
  missingSubjects: readonly Subject[],
): Reconciliation<T> {
  return { operation: 'create', isProtected: false, object, missingRules, missingSubjects };
}

function isProtected(existing: RbacObject<string>): boolean {
  return existing.metadata?.annotations?.[AUTOUPDATE_ANNOTATION] === 'false';
}

type Meta = NonNullable<RbacObject<string>['metadata']>;

function mergeMeta(
  existing: RbacObject<string>,
  expected: RbacObject<string>,
): { readonly changed: boolean; readonly metadata: Meta } {
  const before = existing.metadata ?? {};
  const labels = mergeTexts(expected.metadata?.labels, before.labels);
  const annotations = mergeTexts(expected.metadata?.annotations, before.annotations);
  const changed = labels.changed || annotations.changed;
  if (!changed) return { changed, metadata: before };
  return { changed, metadata: { ...before, labels: labels.merged, annotations: annotations.merged } };
}

type TextMap = Readonly<Record<string, string>> | undefined;

/** Merges both maps. Existing values take precedence. */
function mergeTexts(expected: TextMap, existing: TextMap): { readonly changed: boolean; readonly merged: TextMap } {
  const missing = Object.entries(expected ?? {}).filter(([key]) => !Object.hasOwn(existing ?? {}, key));
  if (missing.length === 0) return { changed: false, merged: existing };
  return { changed: true, merged: Object.fromEntries([...Object.entries(existing ?? {}), ...missing]) };
}

function aggregationOf(role: Role | ClusterRole): AggregationRule | undefined {
  return ('aggregationRule' in role ? role.aggregationRule : undefined) ?? undefined;
}

/** Adds missing selectors. Removes an aggregationRule that is not expected. */
function mergeAggregation(
  existing: AggregationRule | undefined,
  expected: AggregationRule | undefined,
): { readonly changed: boolean; readonly rule: AggregationRule | undefined } {
  if (expected === undefined) return { changed: existing !== undefined, rule: undefined };
  const held = existing?.clusterRoleSelectors ?? [];
  const missing = (expected.clusterRoleSelectors ?? []).filter(
    (selector) => !held.some((other) => equalJson(selector as JsonValue, other as JsonValue)),
  );
  if (missing.length === 0) return { changed: false, rule: existing };
  return { changed: true, rule: { clusterRoleSelectors: [...held, ...missing] } };
}

function sameRole(a: RoleRef | undefined, b: RoleRef | undefined): boolean {
  return (
    (a?.apiGroup ?? '') === (b?.apiGroup ?? '') &&
    (a?.kind ?? '') === (b?.kind ?? '') &&
    (a?.name ?? '') === (b?.name ?? '')
  );
}

function subjectKey({ kind = '', apiGroup = '', name = '', namespace = '' }: Subject): string {
  return JSON.stringify([kind, apiGroup, name, namespace]);
}
