/** The variables of a policy: each is evaluated when an expression first reads it, and then kept. */
import type { Outcome, Program } from '../../cel/environment.ts';
import type { ObjectType } from '../../cel/types.ts';
import { CelError, CelObject, type Value } from '../../cel/values.ts';
import { EXPRESSION_COST } from '../cost-limits.ts';
import { declaredObject } from '../request-types.ts';
import type { PolicyVariable } from './policy.ts';

const TYPE = declaredObject('kubernetes.variables', {});

export class PolicyVariables extends CelObject {
  readonly type: ObjectType = TYPE;
  readonly #variables: ReadonlyMap<string, PolicyVariable>;
  readonly #values = new Map<string, Value>();
  readonly #inputs: (variables: PolicyVariables) => readonly (Value | undefined)[];
  #cost = 0;

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

  /** Throws CelError for a variable that fails. */
  get(field: string): Value | undefined {
    const known = this.#values.get(field);
    if (known !== undefined) return known;
    const variable = this.#variables.get(field);
    if (variable === undefined) return undefined;
    const { compiled, name } = variable;
    if (!compiled.ok) throw new CelError(`composited variable "${name}" fails to compile: ${compiled.message}`);
    const outcome = this.#run(compiled.program);
    this.#cost += outcome.cost;
    if ('error' in outcome)
      throw new CelError(`composited variable "${name}" fails to evaluate: ${outcome.error.message}`);
    this.#values.set(field, outcome.value);
    return outcome.value;
  }

  equals(other: CelObject): boolean {
    return this === other;
  }

  /** Returns the cost of the variables evaluated since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #run(program: Program): Outcome {
    return program.run(this.#inputs(this), { cost: EXPRESSION_COST });
  }
}
