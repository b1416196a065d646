/**
 * The state of one evaluation. A step returns a value or a CelError; it throws only to end the whole evaluation
 * (CelStopped, or an error of the caller's values and functions). Returning errors lets the steps count costs in the
 * same places as cel-go, also after an error.
 */
import type { EvaluationLimits } from '../environment.ts';
import { CelError, CelStopped, type Value } from '../values.ts';

export type Result = Value | CelError;

export type Step = (frame: Frame) => Result;

/** The number of iterations between two calls of `EvaluationLimits.cancelled`, as in kube-apiserver. */
const INTERRUPT_EVERY = 100;

export class Frame {
  readonly variables: readonly (Value | undefined)[];
  /** The variables and accumulators of comprehensions, by slot. */
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

  /**
   * Throws CelStopped once the cost limit is exceeded. Called in loops, after calls whose cost depends on a size, and
   * at the end.
   */
  checkLimit(): void {
    if (this.cost > this.#limit) throw new CelStopped('cost', 'operation cancelled: actual cost limit exceeded');
  }

  /** Called once per iteration of every loop. Throws CelStopped at a limit. */
  iterate(): void {
    this.checkLimit();
    if (++this.#iterations % INTERRUPT_EVERY !== 0) return;
    if (this.#limits?.cancelled?.() === true) throw new CelStopped('cancelled', 'operation interrupted');
  }
}

const NO_LOCALS: (Result | undefined)[] = [];

/** Calls a function that may throw a CelError, and returns the error instead. */
export function caught(compute: () => Value): Result {
  try {
    return compute();
  } catch (thrown) {
    return errorOf(thrown);
  }
}

/** Returns a caught CelError; throws every other error again. */
export function errorOf(thrown: unknown): CelError {
  if (thrown instanceof CelError) return thrown;
  throw thrown;
}

export const NO_SUCH_OVERLOAD: CelError = new CelError('no such overload');
