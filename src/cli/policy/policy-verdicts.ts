/** The verdicts of policies on one object, and the outcome for it. */
import type { BindingExplanation, PolicyEvaluation } from '../../admission/policies/explain-policy.ts';
import type { JsonPatch } from '../../apimachinery/patch/json-patch-decode.ts';
import type { ExplainedPolicy, Explanation } from './policy-reporter.ts';

/** In order of severity: a request has the first of these outcomes that one of its verdicts has. */
export type Outcome = 'denied' | 'warned' | 'admitted';

/** One evaluation of a policy for one binding and one parameter, or the failure of a binding. */
export interface Verdict {
  readonly policy: string;
  readonly isMutating: boolean;
  readonly binding: string;
  readonly actions: readonly string[];
  readonly params: string | undefined;
  readonly outcome: Outcome;
  readonly problems: readonly VerdictProblem[];
  /** The changes by a mutating policy. A mutation without an effect has none. */
  readonly changes: readonly VerdictChange[];
  readonly cost: number;
}

export interface VerdictChange {
  /** The index of the mutation in `spec.mutations`. */
  readonly mutation: number;
  readonly operations: JsonPatch;
}

export interface VerdictProblem {
  /** The index of the validation or mutation in the spec; undefined for a problem of the policy as a whole. */
  readonly index: number | undefined;
  readonly message: string;
}

/** Returns the verdicts of the policies and bindings that match, in the order of evaluation. */
export function verdictsOf({ policies }: Explanation): readonly Verdict[] {
  return policies.flatMap((policy) =>
    policy.bindings.flatMap((binding) => {
      if (binding.fails)
        return [newVerdict(policy, binding, undefined, [{ index: undefined, message: binding.because ?? '' }])];
      return binding.evaluations.flatMap((evaluation) => evaluationVerdict(policy, binding, evaluation));
    }),
  );
}

function evaluationVerdict(
  policy: ExplainedPolicy,
  binding: BindingExplanation,
  evaluation: PolicyEvaluation,
): readonly Verdict[] {
  if (policy.isMutating) return mutationVerdict(policy, binding, evaluation);
  const { verdict: decided } = evaluation;
  if (decided === undefined) return [];
  const problems: VerdictProblem[] = decided.denials.map(({ index, message }) => ({ index, message }));
  for (const message of decided.annotationErrors) problems.push({ index: undefined, message });
  const verdict = newVerdict(policy, binding, evaluation, problems);
  const { actions } = binding;
  const isDenied = problems.length > 0 && (decided.annotationErrors.length > 0 || actions.includes('Deny'));
  const isWarned = problems.length > 0 && actions.includes('Warn');
  return [{ ...verdict, outcome: isDenied ? 'denied' : isWarned ? 'warned' : 'admitted', cost: decided.cost }];
}

/** A mutation that fails refuses the request, unless the policy ignores failures. */
function mutationVerdict(
  policy: ExplainedPolicy,
  binding: BindingExplanation,
  evaluation: PolicyEvaluation,
): readonly Verdict[] {
  const { mutations, because } = evaluation;
  if (mutations.length === 0 && (because === undefined || !evaluation.fails)) return [];
  const problems: VerdictProblem[] = evaluation.fails
    ? mutations.flatMap(({ error }, index) => (error === undefined ? [] : [{ index, message: error }]))
    : [];
  if (evaluation.fails && mutations.length === 0) problems.push({ index: undefined, message: because ?? '' });
  const changes = mutations.flatMap(({ changes: operations }, mutation) =>
    operations.length === 0 ? [] : [{ mutation, operations }],
  );
  const cost = mutations.reduce((total, one) => total + one.cost, 0);
  return [{ ...newVerdict(policy, binding, evaluation, problems), changes, cost }];
}

/** Returns a verdict without changes and cost. It denies the request if there is a problem. */
function newVerdict(
  { policy, isMutating }: ExplainedPolicy,
  { binding, actions }: BindingExplanation,
  evaluation: PolicyEvaluation | undefined,
  problems: readonly VerdictProblem[],
): Verdict {
  const outcome = problems.length === 0 ? 'admitted' : 'denied';
  const params = evaluation?.params;
  return { policy, isMutating, binding, actions, params, outcome, problems, changes: [], cost: 0 };
}

/** Returns the outcome of the whole request. */
export function outcomeOf(verdicts: readonly Verdict[]): Outcome {
  for (const outcome of ['denied', 'warned'] as const)
    if (verdicts.some((one) => one.outcome === outcome)) return outcome;
  return 'admitted';
}
