/**
 * The four RBAC kinds as plain objects of rbac.authorization.k8s.io/v1. Invariant: null, absent and empty mean the same everywhere, as
 * they do to the reference, which stores a role without rules as `rules: null`.
 */
import type { LabelSelectorObject } from '../../apimachinery/selectors/label-selector-object.ts';
import type { ObjectMetaFacts } from '../../apimachinery/validation/validate-object-meta.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
export const RBAC_API_VERSION: string = `${RBAC_GROUP}/v1`;

/** With the value "false" an object opts out of being brought up to date at start. */
export const AUTOUPDATE_ANNOTATION = 'rbac.authorization.kubernetes.io/autoupdate';

/** Absent, null or a list. */
export type Texts = readonly string[] | null | undefined;

/** What may be done; `*` in a list stands for everything. */
export interface PolicyRule {
  readonly verbs?: Texts;
  readonly apiGroups?: Texts;
  /** `pods`, `pods/log`, `*`, or `*` + `/scale` for one subresource of every resource. */
  readonly resources?: Texts;
  /** None means any name. */
  readonly resourceNames?: Texts;
  /** Paths outside the resources; a trailing `*` matches every continuation. */
  readonly nonResourceURLs?: Texts;
}

export type PolicyRules = readonly PolicyRule[] | null | undefined;

export interface RoleRef {
  readonly apiGroup?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
}

/** A user, a group or a service account. */
export interface Subject {
  readonly kind?: string | undefined;
  readonly apiGroup?: string | undefined;
  readonly name?: string | undefined;
  /** Of a service account; in a RoleBinding the default is the binding's own. */
  readonly namespace?: string | undefined;
}

export interface RbacObject<K extends string> {
  readonly apiVersion?: string;
  readonly kind?: K;
  readonly metadata?: ObjectMetaFacts | undefined;
}

export interface Role extends RbacObject<'Role'> {
  readonly rules?: PolicyRules;
}

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelectorObject[] | null | undefined;
}

export interface ClusterRole extends RbacObject<'ClusterRole'> {
  readonly rules?: PolicyRules;
  /** Where set, the rules are computed from the roles it selects. */
  readonly aggregationRule?: AggregationRule | null | undefined;
}

export interface Binding<K extends string> extends RbacObject<K> {
  readonly subjects?: readonly Subject[] | null | undefined;
  readonly roleRef?: RoleRef | undefined;
}

export type RoleBinding = Binding<'RoleBinding'>;
export type ClusterRoleBinding = Binding<'ClusterRoleBinding'>;

export function nameOf(object: RbacObject<string>): string {
  return object.metadata?.name ?? '';
}

/** '' for a cluster-wide object. */
export function namespaceOf(object: RbacObject<string>): string {
  return object.metadata?.namespace ?? '';
}
