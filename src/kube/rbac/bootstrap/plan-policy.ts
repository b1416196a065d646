/**
 * What a server writes at start so that it has the bootstrap policy. Invariant: pure; roles come before the bindings that refer to them,
 * cluster-wide ones first.
 */
import type { Binding, ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../policy.ts';
import { type Reconciliation, reconcileBinding, reconcileRole } from '../reconcile.ts';
import type { BootstrapPolicy } from './bootstrap-policy.ts';

/** What is stored; each answers undefined if it is not. */
export interface StoredPolicy {
  clusterRole(name: string): ClusterRole | undefined;
  clusterRoleBinding(name: string): ClusterRoleBinding | undefined;
  role(namespace: string, name: string): Role | undefined;
  roleBinding(namespace: string, name: string): RoleBinding | undefined;
}

export type PolicyStep = Reconciliation<ClusterRole | Role | Binding<string>>;

export interface PolicyPlan {
  /** To be carried out in this order. */
  readonly writes: readonly PolicyStep[];
  /** Objects that lack something but opted out: worth a warning. */
  readonly skipped: readonly PolicyStep[];
}

/** Compares the policy with what is stored. */
export function planPolicy(policy: BootstrapPolicy, stored: StoredPolicy): PolicyPlan {
  const key = (object: ClusterRole | Role | Binding<string>): [namespace: string, name: string] => [
    object.metadata?.namespace ?? '',
    object.metadata?.name ?? '',
  ];
  const steps: PolicyStep[] = [
    ...policy.clusterRoles.map((role) => reconcileRole(stored.clusterRole(key(role)[1]), role)),
    ...policy.clusterRoleBindings.map((binding) =>
      reconcileBinding(stored.clusterRoleBinding(key(binding)[1]), binding),
    ),
    ...policy.roles.map((role) => reconcileRole(stored.role(...key(role)), role)),
    ...policy.roleBindings.map((binding) => reconcileBinding(stored.roleBinding(...key(binding)), binding)),
  ].filter((step) => step.operation !== 'none');
  return { writes: steps.filter((step) => !step.isProtected), skipped: steps.filter((step) => step.isProtected) };
}
