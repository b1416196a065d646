/**
 * The plan of writes that brings stored RBAC objects up to the bootstrap policy.
 * Invariant: cluster-scoped objects come first, and a role comes before the bindings that refer to it.
 */
import type { Binding, ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../policy.ts';
import { type Reconciliation, reconcileBinding, reconcileRole } from '../reconcile.ts';
import type { BootstrapPolicy } from './bootstrap-policy.ts';
import { inheritedBinding, inheritedRole } from './inherited-policy.ts';

/** Reads stored objects. Each method returns undefined if there is none. */
export interface StoredPolicy {
  clusterRole(name: string): ClusterRole | undefined;
  clusterRoleBinding(name: string): ClusterRoleBinding | undefined;
  role(namespace: string, name: string): Role | undefined;
  roleBinding(namespace: string, name: string): RoleBinding | undefined;
}

export type PolicyStep = Reconciliation<ClusterRole | Role | Binding<string>>;

export interface PolicyPlan {
  /** To be executed in this order. */
  readonly writes: readonly PolicyStep[];
  /** Protected objects that differ from the policy. The caller logs a warning for each. */
  readonly skipped: readonly PolicyStep[];
}

/** Compares the policy with the stored objects. */
export function planPolicy(policy: BootstrapPolicy, stored: StoredPolicy): PolicyPlan {
  const key = (object: ClusterRole | Role | Binding<string>): [namespace: string, name: string] => [
    object.metadata?.namespace ?? '',
    object.metadata?.name ?? '',
  ];
  const steps: PolicyStep[] = [
    ...policy.clusterRoles.flatMap((role) => {
      const existing = stored.clusterRole(key(role)[1]);
      const inherited = existing === undefined ? inheritedRole(role, stored.clusterRole) : undefined;
      return inherited === undefined
        ? reconcileRole(existing, role)
        : creations(reconcileRole(inherited, role), inherited);
    }),
    ...policy.clusterRoleBindings.flatMap((binding) => {
      const existing = stored.clusterRoleBinding(key(binding)[1]);
      const inherited = existing === undefined ? inheritedBinding(binding, stored.clusterRoleBinding) : undefined;
      return inherited === undefined
        ? reconcileBinding(existing, binding)
        : creations(reconcileBinding(inherited, binding), inherited);
    }),
    ...policy.roles.map((role) => reconcileRole(stored.role(...key(role)), role)),
    ...policy.roleBindings.map((binding) => reconcileBinding(stored.roleBinding(...key(binding)), binding)),
  ].filter((step) => step.operation !== 'none');
  return { writes: steps.filter((step) => !step.isProtected), skipped: steps.filter((step) => step.isProtected) };
}

/**
 * Returns the steps for an object that is created as a copy of another: its creation and, if the copy is protected and
 * differs from the policy, the difference that is skipped.
 */
function creations(step: PolicyStep, inherited: ClusterRole | ClusterRoleBinding): PolicyStep[] {
  const object = step.isProtected ? inherited : step.object;
  return [{ ...step, operation: 'create', isProtected: false, object }, ...(step.isProtected ? [step] : [])];
}
