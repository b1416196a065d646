/** The reason why a binding grants no rules, and its message. Invariant: the messages equal the reference's. */
import { formatAggregate, quote } from '../../apimachinery/go-format.ts';
import { RBAC_GROUP, type RoleRef } from './policy.ts';

/** The role does not exist, or the reference names a kind other than Role and ClusterRole. */
export interface RoleProblem {
  readonly problem: 'missing' | 'unsupported-kind';
  readonly roleRef: RoleRef;
}

/**
 * The component that looked the role up. The authorizer's messages name the resource in singular, storage's in plural.
 */
export type RoleLookup = 'authorizer' | 'storage';

export function formatProblem({ problem, roleRef }: RoleProblem, lookup: RoleLookup): string {
  const { kind = '', name = '' } = roleRef;
  if (problem === 'unsupported-kind') return `unsupported role reference kind: ${quote(kind)}`;
  const resource = `${kind === 'Role' ? 'role' : 'clusterrole'}${lookup === 'storage' ? 's' : ''}`;
  return `${resource}.${RBAC_GROUP} ${quote(name)} not found`;
}

/** Joins the distinct messages: one is returned as it is, several in brackets. Returns '' if there are none. */
export function formatProblems(problems: readonly RoleProblem[], lookup: RoleLookup): string {
  return formatAggregate(problems.map((problem) => formatProblem(problem, lookup)));
}
