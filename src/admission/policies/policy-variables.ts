/**
 * The variables of a policy: each is evaluated when an expression first reads it, and then its value or error is kept.
 * Invariant: variables cost no more than the budget that is left, and one expression in addition.
 */
import type { Outcome, Program } from '../../cel/environment.ts';
import type { ObjectType } from '../../cel/types.ts';
import { CelError, CelObject, CelStopped, type Value } from '../../cel/values.ts';
import { EXPRESSION_COST } from '../cost-limits.ts';
import { declaredObject } from '../request-types.ts';
import type { PolicyVariable } from './policy.ts';

const TYPE = declaredObject('kubernetes.variables', {});

export class PolicyVariables extends CelObject {
  readonly type: ObjectType = TYPE;
  readonly #variables: ReadonlyMap<string, PolicyVariable>;
  readonly #values = new Map<string, Value>();
  readonly #errors = new Map<string, CelError>();
  readonly #inputs: (variables: PolicyVariables) => readonly (Value | undefined)[];
  #cost = 0;
  #budget = Number.POSITIVE_INFINITY;

  /** `inputs` returns the values for the expressions of variables, to which it adds this object. */
  constructor(
    variables: readonly PolicyVariable[],
    inputs: (variables: PolicyVariables) => readonly (Value | undefined)[],
  ) {
    super();
    this.#variables = new Map(variables.map((variable) => [variable.name, variable]));
    this.#inputs = inputs;
  }

  get size(): number {
    return this.#variables.size;
  }

  /** Throws CelError for a variable that fails, and CelStopped if the budget is exceeded. */
  get(field: string): Value | undefined {
    const known = this.#values.get(field);
    if (known !== undefined) return known;
    const failed = this.#errors.get(field);
    if (failed !== undefined) throw failed;
    const variable = this.#variables.get(field);
    if (variable === undefined) return undefined;
    const { compiled, name } = variable;
    if (!compiled.ok) throw this.#fail(name, `fails to compile: ${compiled.message}`);
    const outcome = this.#run(compiled.program);
    this.#cost += outcome.cost;
    // The exception also ends the variables that read this one.
    if (this.#cost > this.#budget) throw new CelStopped('cost', 'operation cancelled: actual cost limit exceeded');
    if ('error' in outcome) throw this.#fail(name, `fails to evaluate: ${outcome.error.message}`);
    this.#values.set(field, outcome.value);
    return outcome.value;
  }

  equals(other: CelObject): boolean {
    return this === other;
  }

  /** Sets the cost up to which variables are evaluated, until it is set again. */
  limit(budget: number): void {
    this.#budget = budget;
  }

  /** Returns the cost of the variables evaluated since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #fail(name: string, reason: string): CelError {
    const error = new CelError(`composited variable "${name}" ${reason}`);
    this.#errors.set(name, error);
    return error;
  }

  #run(program: Program): Outcome {
    return program.run(this.#inputs(this), { cost: EXPRESSION_COST });
  }
}
