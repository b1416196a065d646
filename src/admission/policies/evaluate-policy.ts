/** The evaluation of a policy for one request, one binding and one parameter. */
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Outcome } from '../../cel/environment.ts';
import { valueFromJson } from '../../cel/runtime/native-values.ts';
import type { Value } from '../../cel/values.ts';
import { EXPRESSION_COST, OUT_OF_BUDGET, POLICY_COST } from '../cost-limits.ts';
import type { ExpressionScope } from '../expression-compiler.ts';
import type { ExpressionInput } from '../matching/expression-input.ts';
import { matchesConditions } from '../matching/match-conditions.ts';
import type { PolicyExpression, PolicyValidation, ValidatingPolicy } from './policy.ts';
import { PolicyVariables } from './policy-variables.ts';

/** Longer messages are replaced by the fixed one. */
const MAX_MESSAGE = 5 * 1024;

/** A validation that does not hold, or an expression that fails. */
export interface Denial {
  /** The position of the validation. */
  readonly index: number;
  readonly message: string;
  /** '' for an expression that fails. */
  readonly reason: string;
}

export interface PolicyVerdict {
  readonly denials: readonly Denial[];
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** The texts of annotations that fail: they deny the request whatever the actions of the binding are. */
  readonly annotationErrors: readonly string[];
  /** The texts of validations that fail although the failure policy ignores that. */
  readonly ignored: readonly string[];
}

const NOTHING: PolicyVerdict = { denials: [], annotations: [], annotationErrors: [], ignored: [] };

/** Called with the time and the number of errors of conditions. */
export type ConditionTally = (milliseconds: number, errors: number) => void;

export interface EvaluationObserver {
  /** On a monotonic axis, in milliseconds. */
  now(): number;
  readonly conditions: ConditionTally;
}

/** Evaluates conditions, validations and annotations. */
export async function evaluatePolicy(
  policy: ValidatingPolicy,
  input: ExpressionInput,
  params: JsonObject | undefined,
  observer?: EvaluationObserver,
): Promise<PolicyVerdict> {
  const run = new PolicyRun(policy, input, params === undefined ? null : valueFromJson(params));
  const matches = await run.conditions(observer);
  if (typeof matches === 'string') return run.failed(matches);
  return matches ? run.validate() : NOTHING;
}

type Evaluated = { readonly value: Value } | { readonly error: string };

class PolicyRun {
  readonly #policy: ValidatingPolicy;
  readonly #input: ExpressionInput;
  readonly #params: Value;

  constructor(policy: ValidatingPolicy, input: ExpressionInput, params: Value) {
    this.#policy = policy;
    this.#input = input;
    this.#params = params;
  }

  /** Returns whether the conditions hold, or why they fail. */
  async conditions(observer: EvaluationObserver | undefined): Promise<boolean | string> {
    const { conditions, scope, ignoresFailures } = this.#policy;
    if (conditions.length === 0) return true;
    const { variables } = this.#variables(scope);
    const started = observer?.now() ?? 0;
    const result = await matchesConditions(conditions, this.#input, variables);
    observer?.conditions(observer.now() - started, result.errors);
    if ('matches' in result) return result.matches;
    return ignoresFailures ? false : result.error;
  }

  /** The verdict of an evaluation that fails as a whole. */
  failed(message: string): PolicyVerdict {
    if (this.#policy.ignoresFailures) return { ...NOTHING, ignored: [message] };
    return { ...NOTHING, denials: [{ index: 0, message, reason: '' }] };
  }

  async validate(): Promise<PolicyVerdict> {
    const { validations, annotations, scope, messageScope } = this.#policy;
    const results = await this.#evaluateAll(validations, scope, POLICY_COST);
    if (results === undefined) return this.failed(OUT_OF_BUDGET);
    const messages = await this.#evaluateAll(
      validations.map(({ messageExpression }) => messageExpression),
      messageScope,
      results.budget,
    );
    const values = await this.#evaluateAll(annotations, scope, POLICY_COST);
    if (values === undefined) return this.failed(OUT_OF_BUDGET);
    const ignored: string[] = [];
    const denials = results.evaluated.flatMap((result, index) => {
      const message = messages === undefined ? 'out-of-budget' : messages.evaluated[index];
      const denial = this.#denialOf(index, result, message);
      if (denial === undefined || !(denial.isFailure && this.#policy.ignoresFailures)) return denial ?? [];
      ignored.push(denial.message);
      return [];
    });
    return { denials, ignored, ...this.#annotations(values.evaluated) };
  }

  /** Returns undefined if the validation holds. `isFailure`: it could not be evaluated. */
  #denialOf(
    index: number,
    result: Evaluated | undefined,
    message: Evaluated | 'out-of-budget' | undefined,
  ): (Denial & { readonly isFailure: boolean }) | undefined {
    const { validations } = this.#policy;
    const failure =
      result !== undefined && 'error' in result
        ? result.error
        : message === 'out-of-budget'
          ? `failed messageExpression: ${OUT_OF_BUDGET}`
          : undefined;
    if (failure !== undefined) return { index, message: failure, reason: '', isFailure: true };
    if (result !== undefined && 'value' in result && result.value === true) return undefined;
    const validation = validations[index] as PolicyValidation;
    const text = messageOf(validation, message === 'out-of-budget' ? undefined : message);
    return { index, message: text, reason: validation.reason || 'Invalid', isFailure: false };
  }

  #annotations(values: readonly (Evaluated | undefined)[]): Pick<PolicyVerdict, 'annotations' | 'annotationErrors'> {
    const { annotations, ignoresFailures } = this.#policy;
    const found: (readonly [string, string])[] = [];
    const errors: string[] = [];
    values.forEach((value, i) => {
      const { key, source } = annotations[i] as (typeof annotations)[number];
      if (value === undefined) return;
      if ('error' in value) {
        if (!ignoresFailures) errors.push(value.error);
      } else if (typeof value.value === 'string') {
        const text = value.value.trim();
        if (text !== '') found.push([key, text]);
      } else if (value.value !== null)
        errors.push(
          `valueExpression '${source}' resulted in unsupported return type: ${typeof value.value}. Return type must be either string or null.`,
        );
    });
    return { annotations: found, annotationErrors: errors };
  }

  /** Evaluates expressions with a common budget. Returns undefined if it is exceeded. */
  async #evaluateAll(
    expressions: readonly (PolicyExpression | undefined)[],
    scope: ExpressionScope,
    budget: number,
  ): Promise<{ readonly evaluated: readonly (Evaluated | undefined)[]; readonly budget: number } | undefined> {
    const evaluated: (Evaluated | undefined)[] = [];
    const { variables, composed } = this.#variables(scope);
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
      const running: MaybePromise<Outcome> = this.#input.authorizer.run(compiled.program, variables, {
        cost: EXPRESSION_COST,
      });
      const outcome = isPromise(running) ? await running : running;
      left -= outcome.cost + (composed?.takeCost() ?? 0);
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
  #variables(scope: ExpressionScope): {
    readonly variables: readonly (Value | undefined)[];
    readonly composed: PolicyVariables | undefined;
  } {
    const { variables } = this.#policy;
    const valuesWith = (composed: PolicyVariables | undefined, values: ExpressionScope) =>
      this.#input.variables(values, this.#params, composed);
    if (variables.length === 0) return { variables: valuesWith(undefined, scope), composed: undefined };
    const composed = new PolicyVariables(variables, (all) => valuesWith(all, this.#policy.scope));
    return { variables: valuesWith(composed, scope), composed };
  }
}

function messageOf({ message, source }: PolicyValidation, evaluated: Evaluated | undefined): string {
  const computed =
    evaluated !== undefined && 'value' in evaluated && typeof evaluated.value === 'string'
      ? evaluated.value.trim()
      : '';
  if (computed !== '' && computed.length <= MAX_MESSAGE && !computed.includes('\n')) return computed;
  return message === '' ? `failed expression: ${source.trim()}` : message;
}
