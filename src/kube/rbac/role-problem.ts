/** Why a binding gives no rules, and how that is told. Invariant: texts as the reference's, each once. */
import { quote } from '../../apimachinery/go-format.ts';
import { RBAC_GROUP, type RoleRef } from './policy.ts';

/** The role is missing, or is of a kind that is none of the two. */
export interface RoleProblem {
  readonly problem: 'missing' | 'unsupported-kind';
  readonly roleRef: RoleRef;
}

/** Who tells: the authorizer names a resource in the singular, the storage in the plural. */
export type ProblemTeller = 'authorizer' | 'storage';

export function formatProblem({ problem, roleRef }: RoleProblem, teller: ProblemTeller): string {
  const { kind = '', name = '' } = roleRef;
  if (problem === 'unsupported-kind') return `unsupported role reference kind: ${quote(kind)}`;
  const resource = `${kind === 'Role' ? 'role' : 'clusterrole'}${teller === 'storage' ? 's' : ''}`;
  return `${resource}.${RBAC_GROUP} ${quote(name)} not found`;
}

/** One as it is, several in brackets; '' for none. */
export function formatProblems(problems: readonly RoleProblem[], teller: ProblemTeller): string {
  const texts = [...new Set(problems.map((problem) => formatProblem(problem, teller)))];
  return texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? '');
}
