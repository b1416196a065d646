/** The verdicts of policies on one object, and the outcome for it. */
import type { BindingExplanation, PolicyEvaluation } from '../../admission/policies/explain-policy.ts';
import type { Explanation } from './policy-reporter.ts';

/** `denied` goes before `warned`, and `warned` before `admitted`. */
export type Outcome = 'denied' | 'warned' | 'admitted';

/** One evaluation of a policy for one binding and one parameter, or the failure of a binding. */
export interface Verdict {
  readonly policy: string;
  readonly binding: string;
  readonly actions: readonly string[];
  readonly params: string | undefined;
  readonly outcome: Outcome;
  readonly problems: readonly VerdictProblem[];
  readonly cost: number;
}

export interface VerdictProblem {
  /** The position of the validation; undefined for a problem of the policy as a whole. */
  readonly validation: number | undefined;
  readonly message: string;
}

/** Returns the verdicts of the policies and bindings that match, in order. */
export function verdictsOf({ policies }: Explanation): readonly Verdict[] {
  return policies.flatMap(({ policy, bindings }) =>
    bindings.flatMap((binding) => {
      if (binding.fails)
        return [verdict(policy, binding, undefined, [{ validation: undefined, message: binding.because ?? '' }], true)];
      return binding.evaluations.flatMap((evaluation) => evaluationVerdict(policy, binding, evaluation));
    }),
  );
}

function evaluationVerdict(policy: string, binding: BindingExplanation, evaluation: PolicyEvaluation): Verdict[] {
  const { verdict: decided } = evaluation;
  if (decided === undefined) return [];
  const problems: VerdictProblem[] = decided.denials.map(({ index, message }) => ({ validation: index, message }));
  for (const message of decided.annotationErrors) problems.push({ validation: undefined, message });
  return [verdict(policy, binding, evaluation, problems, decided.annotationErrors.length > 0)];
}

function verdict(
  policy: string,
  { binding, actions }: BindingExplanation,
  evaluation: PolicyEvaluation | undefined,
  problems: readonly VerdictProblem[],
  isFailure: boolean,
): Verdict {
  const outcome: Outcome =
    problems.length === 0
      ? 'admitted'
      : isFailure || actions.includes('Deny')
        ? 'denied'
        : actions.includes('Warn')
          ? 'warned'
          : 'admitted';
  const cost = evaluation?.verdict?.cost ?? 0;
  return { policy, binding, actions, params: evaluation?.params, outcome, problems, cost };
}

/** Returns the outcome of the whole request. */
export function outcomeOf(verdicts: readonly Verdict[]): Outcome {
  for (const outcome of ['denied', 'warned'] as const)
    if (verdicts.some((one) => one.outcome === outcome)) return outcome;
  return 'admitted';
}
