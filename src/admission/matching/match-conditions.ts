/**
 * The match conditions of webhooks and policies. A condition that is false decides; an error counts only if no
 * condition is false, and then the failure policy decides.
 */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Outcome } from '../../cel/environment.ts';
import { BOOL } from '../../cel/types.ts';
import type { Value } from '../../cel/values.ts';
import { CONDITIONS_COST, EXPRESSION_COST, OUT_OF_BUDGET } from '../cost-limits.ts';
import {
  type CompiledExpression,
  type ExpressionCompiler,
  type ExpressionScope,
  sharedCompiler,
} from '../expression-compiler.ts';
import type { ExpressionInput } from './expression-input.ts';

export interface MatchCondition {
  readonly name: string;
  readonly source: string;
  readonly compiled: CompiledExpression;
}

/**
 * `condition` is the name of the condition that is false. `error` has the texts of all errors, for a refusal. `errors`
 * is the number of conditions that failed.
 */
export type ConditionsResult =
  | { readonly matches: true; readonly errors: number }
  | { readonly matches: false; readonly condition: string; readonly errors: number }
  | { readonly error: string; readonly errors: number };

/** Compiles the conditions of a configuration, which were compiled before when it was written. */
export function compileConditions(
  conditions: readonly JsonObject[],
  scope: ExpressionScope,
  compiler: ExpressionCompiler = sharedCompiler(),
): readonly MatchCondition[] {
  return conditions.map((condition) => {
    const source = textAt(condition, 'expression');
    return { name: textAt(condition, 'name'), source, compiled: compiler.compile(source, scope, [BOOL]) };
  });
}

/** Evaluates the conditions with these values of variables. Synchronous unless a check of the authorizer is not. */
export function matchesConditions(
  conditions: readonly MatchCondition[],
  input: ExpressionInput,
  variables: readonly (Value | undefined)[],
): MaybePromise<ConditionsResult> {
  return new ConditionRun(conditions, input, variables).from(0);
}

class ConditionRun {
  readonly #conditions: readonly MatchCondition[];
  readonly #input: ExpressionInput;
  readonly #variables: readonly (Value | undefined)[];
  readonly #errors: string[] = [];
  #budget = CONDITIONS_COST;

  constructor(
    conditions: readonly MatchCondition[],
    input: ExpressionInput,
    variables: readonly (Value | undefined)[],
  ) {
    this.#conditions = conditions;
    this.#input = input;
    this.#variables = variables;
  }

  from(start: number): MaybePromise<ConditionsResult> {
    for (let i = start; i < this.#conditions.length; i++) {
      const condition = this.#conditions[i] as MatchCondition;
      const { compiled } = condition;
      if (!compiled.ok) {
        this.#errors.push(`compilation error: ${compiled.message}`);
        continue;
      }
      const outcome = this.#input.authorizer.run(compiled.program, this.#variables, { cost: EXPRESSION_COST });
      if (isPromise(outcome)) return outcome.then((late) => this.#take(condition, late) ?? this.from(i + 1));
      const decided = this.#take(condition, outcome);
      if (decided !== undefined) return decided;
    }
    const errors = this.#errors.length;
    return errors === 0 ? { matches: true, errors } : { error: joinErrors(this.#errors), errors };
  }

  /** Returns the result if the condition decides. */
  #take({ name, source }: MatchCondition, outcome: Outcome): ConditionsResult | undefined {
    if (outcome.cost > this.#budget) return { error: OUT_OF_BUDGET, errors: 0 };
    this.#budget -= outcome.cost;
    if ('error' in outcome) {
      this.#errors.push(`expression '${source}' resulted in error: ${outcome.error.message}`);
      return undefined;
    }
    return outcome.value === false ? { matches: false, condition: name, errors: this.#errors.length } : undefined;
  }
}

/** Joins the texts as Go prints an aggregate of errors: duplicates once, in brackets if there are several. */
function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`;
}
