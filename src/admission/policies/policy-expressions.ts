/** The evaluation of the expressions of a policy for one request, one binding and one parameter. */
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Outcome } from '../../cel/environment.ts';
import { valueFromJson } from '../../cel/runtime/native-values.ts';
import type { Value } from '../../cel/values.ts';
import type { Operation } from '../../server/admission.ts';
import { EXPRESSION_COST } from '../cost-limits.ts';
import type { ExpressionScope } from '../expression-compiler.ts';
import type { HookMetrics } from '../hook-metrics.ts';
import type { ExpressionInput } from '../matching/expression-input.ts';
import { type ConditionsResult, matchesConditions } from '../matching/match-conditions.ts';
import type { PolicyExpression, PolicyParts } from './policy.ts';
import { PolicyVariables } from './policy-variables.ts';

export type Evaluated = { readonly value: Value } | { readonly error: string };

/** Called with the time and the number of errors of conditions. */
export type ConditionTally = (milliseconds: number, errors: number) => void;

export interface EvaluationObserver {
  /** On a monotonic axis, in milliseconds. */
  now(): number;
  readonly conditions: ConditionTally;
}

/** Returns the observer that counts the conditions of a policy. Mutating policies have the type `validate` too. */
export function conditionObserver(
  metrics: HookMetrics | undefined,
  { name }: PolicyParts,
  operation: Operation,
): EvaluationObserver | undefined {
  return (
    metrics && {
      now: () => metrics.now(),
      conditions: (milliseconds, errors) =>
        metrics.conditionsRefused({ name, kind: 'policy', type: 'validate', operation }, milliseconds, errors),
    }
  );
}

export class PolicyExpressions {
  /** The cost of all that `evaluate` has evaluated. */
  cost = 0;
  readonly #policy: PolicyParts;
  readonly #input: ExpressionInput;
  readonly #params: Value;

  constructor(policy: PolicyParts, input: ExpressionInput, params: JsonObject | undefined) {
    this.#policy = policy;
    this.#input = input;
    this.#params = params === undefined ? null : valueFromJson(params);
  }

  /** Returns whether the conditions hold, or why they fail. A failure that the policy ignores is false. */
  async conditionsHold(observer: EvaluationObserver | undefined): Promise<boolean | string> {
    const { conditions, ignoresFailures } = this.#policy;
    if (conditions.length === 0) return true;
    const started = observer?.now() ?? 0;
    const result = await this.conditions();
    if ('matches' in result && result.matches) return true;
    observer?.conditions(observer.now() - started, result.errors);
    if ('matches' in result) return false;
    return ignoresFailures ? false : result.error;
  }

  /** Evaluates the conditions. */
  conditions(): MaybePromise<ConditionsResult> {
    const { conditions, scope } = this.#policy;
    const input = this.#input.forConditions();
    return matchesConditions(conditions, input, this.#valuesFor(input, scope).values);
  }

  /** Evaluates expressions with a common budget. Returns undefined if it is exceeded. */
  async evaluate(
    expressions: readonly (PolicyExpression | undefined)[],
    scope: ExpressionScope,
    budget: number,
  ): Promise<{ readonly evaluated: readonly (Evaluated | undefined)[]; readonly budget: number } | undefined> {
    const evaluated: (Evaluated | undefined)[] = [];
    const { values, composed } = this.#valuesFor(this.#input, scope);
    let left = budget;
    for (const expression of expressions) {
      if (expression === undefined) {
        evaluated.push(undefined);
        continue;
      }
      const { compiled, source } = expression;
      if (!compiled.ok) {
        evaluated.push({ error: `compilation error: ${compiled.message}` });
        continue;
      }
      composed?.limit(left);
      const running: MaybePromise<Outcome> = this.#input.authorizer.run(compiled.program, values, {
        cost: EXPRESSION_COST,
      });
      const outcome = isPromise(running) ? await running : running;
      const cost = outcome.cost + (composed?.takeCost() ?? 0);
      this.cost += cost;
      left -= cost;
      if (left < 0) return undefined;
      evaluated.push(
        'error' in outcome
          ? { error: `expression '${source}' resulted in error: ${outcome.error.message}` }
          : { value: outcome.value },
      );
    }
    return { evaluated, budget: left };
  }

  /** The values of all variables. Those of the policy are evaluated anew for each list of expressions. */
  #valuesFor(
    input: ExpressionInput,
    scope: ExpressionScope,
  ): { readonly values: readonly (Value | undefined)[]; readonly composed: PolicyVariables | undefined } {
    const { variables } = this.#policy;
    const valuesWith = (composed: PolicyVariables | undefined, values: ExpressionScope) =>
      input.variables(values, this.#params, composed);
    if (variables.length === 0) return { values: valuesWith(undefined, scope), composed: undefined };
    const composed = new PolicyVariables(variables, (all) => valuesWith(all, this.#policy.scope));
    return { values: valuesWith(composed, scope), composed };
  }
}
