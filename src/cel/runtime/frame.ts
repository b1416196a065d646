/**
 * What one evaluation works on. Invariant: a step returns its value, or the error instead of one: only what stops the whole evaluation (CelStopped) is thrown, so costs are
 * counted in the places where cel-go counts them, errors or not.
 */
import type { EvaluationLimits } from '../environment.ts';
import { CelError, CelStopped, type Value } from '../values.ts';

export type Result = Value | CelError;

export type Step = (frame: Frame) => Result;

/** Iterations between two questions whether to go on; the reference's number. */
const INTERRUPT_EVERY = 100;

export class Frame {
  readonly variables: readonly (Value | undefined)[];
  /** Variables of comprehensions, by slot. */
  readonly locals: (Result | undefined)[];
  cost: number = 0;
  readonly #limit: number;
  readonly #limits: EvaluationLimits | undefined;
  #iterations: number = 0;

  constructor(variables: readonly (Value | undefined)[], locals: number, limits: EvaluationLimits | undefined) {
    this.variables = variables;
    this.locals = locals === 0 ? NO_LOCALS : new Array<Result | undefined>(locals);
    this.#limit = limits?.cost ?? Number.POSITIVE_INFINITY;
    this.#limits = limits;
  }

  /** Throws CelStopped once the budget is spent. Asked where much may have been spent: loops and calls that cost by size; and at the end. */
  checkLimit(): void {
    if (this.cost > this.#limit) throw new CelStopped('cost', 'operation cancelled: actual cost limit exceeded');
  }

  /** Once per iteration of any loop. */
  iterate(): void {
    this.checkLimit();
    if (++this.#iterations % INTERRUPT_EVERY !== 0) return;
    if (this.#limits?.cancelled?.() === true) throw new CelStopped('cancelled', 'operation interrupted');
  }
}

const NO_LOCALS: (Result | undefined)[] = [];

/** Runs what may throw a CelError, and returns it instead. */
export function caught(compute: () => Value): Result {
  try {
    return compute();
  } catch (thrown) {
    return errorOf(thrown);
  }
}

/** A CelError that was thrown; anything else is thrown again. */
export function errorOf(thrown: unknown): CelError {
  if (thrown instanceof CelError) return thrown;
  throw thrown;
}

export const NO_SUCH_OVERLOAD: CelError = new CelError('no such overload');
