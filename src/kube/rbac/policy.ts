/**
 * Types of the four RBAC kinds in rbac.authorization.k8s.io/v1.
 * Invariant: null, absent and empty lists mean the same everywhere, as in the reference, which stores a role without
 * rules as `rules: null`.
 */
import type { LabelSelectorObject } from '../../apimachinery/selectors/label-selector-object.ts';
import type { ObjectMetaFacts } from '../../apimachinery/validation/validate-object-meta.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
export const RBAC_API_VERSION: string = `${RBAC_GROUP}/v1`;

/** An object with the value "false" is not reconciled at startup. */
export const AUTOUPDATE_ANNOTATION = 'rbac.authorization.kubernetes.io/autoupdate';

export type StringList = readonly string[] | null | undefined;

/** A set of permissions. The item `*` of a list matches every value. */
export interface PolicyRule {
  readonly verbs?: StringList;
  readonly apiGroups?: StringList;
  /** `pods`, `pods/log`, `*`, or `*` + `/scale` for one subresource of every resource. */
  readonly resources?: StringList;
  /** An empty list matches every name. */
  readonly resourceNames?: StringList;
  /** Paths of non-resource requests. A trailing `*` matches every suffix. */
  readonly nonResourceURLs?: StringList;
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
  /** The namespace of a service account. Default in a RoleBinding: the namespace of the binding. */
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
  /** If set, the rules are computed from the ClusterRoles that it selects. */
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

/** Returns '' for a cluster-scoped object. */
export function namespaceOf(object: RbacObject<string>): string {
  return object.metadata?.namespace ?? '';
}
