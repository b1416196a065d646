/** The evaluation of a policy for one request, one binding and one parameter. */
import type { JsonObject } from '../../base/json-value.ts';
import { OUT_OF_BUDGET, POLICY_COST } from '../cost-limits.ts';
import type { ExpressionInput } from '../matching/expression-input.ts';
import type { PolicyValidation, ValidatingPolicy } from './policy.ts';
import { type Evaluated, type EvaluationObserver, PolicyExpressions } from './policy-expressions.ts';

/** A longer result of `messageExpression` is ignored, and `message` is used. */
const MAX_MESSAGE = 5 * 1024;

/** A validation that does not hold, or an expression that cannot be evaluated. */
export interface Denial {
  /** The position of the validation. */
  readonly index: number;
  readonly message: string;
  /** '' for an expression that cannot be evaluated. */
  readonly reason: string;
}

export interface PolicyVerdict {
  readonly denials: readonly Denial[];
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /**
   * The errors of audit annotations that the failure policy does not ignore. They deny the request, whatever the
   * actions of the binding are.
   */
  readonly annotationErrors: readonly string[];
  /** The errors that `failurePolicy: Ignore` ignores. */
  readonly ignored: readonly string[];
  /** The cost of all expressions without the match conditions, which have a budget of their own. */
  readonly cost: number;
}

const NOTHING: PolicyVerdict = { denials: [], annotations: [], annotationErrors: [], ignored: [], cost: 0 };

/** Evaluates the match conditions and, if they hold, the validations and audit annotations. */
export async function evaluatePolicy(
  policy: ValidatingPolicy,
  input: ExpressionInput,
  params: JsonObject | undefined,
  observer?: EvaluationObserver,
): Promise<PolicyVerdict> {
  const expressions = new PolicyExpressions(policy, input, params);
  const run = new PolicyRun(policy, expressions);
  const matches = await expressions.conditionsHold(observer);
  if (typeof matches === 'string') return run.failed(matches);
  return matches ? run.validate() : NOTHING;
}

class PolicyRun {
  readonly #policy: ValidatingPolicy;
  readonly #expressions: PolicyExpressions;

  constructor(policy: ValidatingPolicy, expressions: PolicyExpressions) {
    this.#policy = policy;
    this.#expressions = expressions;
  }

  /** Returns the verdict of an evaluation that fails as a whole. */
  failed(message: string): PolicyVerdict {
    const { cost } = this.#expressions;
    if (this.#policy.ignoresFailures) return { ...NOTHING, ignored: [message], cost };
    return { ...NOTHING, denials: [{ index: 0, message, reason: '' }], cost };
  }

  async validate(): Promise<PolicyVerdict> {
    const { validations, annotations, scope, messageScope } = this.#policy;
    const results = await this.#expressions.evaluate(validations, scope, POLICY_COST);
    if (results === undefined) return this.failed(OUT_OF_BUDGET);
    const messages = await this.#expressions.evaluate(
      validations.map(({ messageExpression }) => messageExpression),
      messageScope,
      results.budget,
    );
    const values = await this.#expressions.evaluate(annotations, scope, POLICY_COST);
    if (values === undefined) return this.failed(OUT_OF_BUDGET);
    const ignored: string[] = [];
    const denials = results.evaluated.flatMap((result, index) => {
      const message = messages === undefined ? 'out-of-budget' : messages.evaluated[index];
      const denial = this.#denialOf(index, result, message);
      if (denial === undefined || !(denial.isFailure && this.#policy.ignoresFailures)) return denial ?? [];
      ignored.push(denial.message);
      return [];
    });
    return { denials, ignored, ...this.#annotations(values.evaluated), cost: this.#expressions.cost };
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
}

function messageOf({ message, source }: PolicyValidation, evaluated: Evaluated | undefined): string {
  const computed =
    evaluated !== undefined && 'value' in evaluated && typeof evaluated.value === 'string'
      ? evaluated.value.trim()
      : '';
  if (computed !== '' && computed.length <= MAX_MESSAGE && !computed.includes('\n')) return computed;
  return message === '' ? `failed expression: ${source.trim()}` : message;
}
