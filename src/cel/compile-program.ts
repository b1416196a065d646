/**
 * Programs: what a checked expression becomes to be run. Invariant: a program holds nothing of an evaluation, so it may be shared and run at any time.
 */
import type { CheckedExpression, Evaluation, EvaluationLimits, Outcome, Program } from './environment.ts';
import { endAllowance, renewAllowance } from './runtime/allowance.ts';
import { compile } from './runtime/compile.ts';
import { Frame, type Result, type Step } from './runtime/frame.ts';
import { CelError, CelStopped, type Value } from './values.ts';

/** Throws CelError where the expression fails whatever its variables: `int('x')`, a bad constant pattern, constants that take too much to make. */
export function compileProgram(checked: CheckedExpression): Program {
  renewAllowance();
  try {
    const { step, locals } = compile(checked);
    return new ClosureProgram(step, locals);
  } catch (thrown) {
    throw thrown instanceof CelStopped ? new CelError(thrown.message) : thrown;
  } finally {
    endAllowance();
  }
}

class ClosureProgram implements Program {
  readonly #step: Step;
  readonly #locals: number;

  constructor(step: Step, locals: number) {
    this.#step = step;
    this.#locals = locals;
  }

  evaluate(variables: readonly (Value | undefined)[], limits?: EvaluationLimits): Evaluation {
    const frame = new Frame(variables, this.#locals, limits);
    renewAllowance();
    let value: Result;
    try {
      value = this.#step(frame);
    } finally {
      endAllowance();
    }
    frame.checkLimit();
    if (value instanceof CelError) throw value;
    return { value, cost: frame.cost };
  }

  run(variables: readonly (Value | undefined)[], limits?: EvaluationLimits): Outcome {
    const frame = new Frame(variables, this.#locals, limits);
    renewAllowance();
    try {
      const value = this.#step(frame);
      frame.checkLimit();
      return value instanceof CelError ? { error: value, cost: frame.cost } : { value, cost: frame.cost };
    } catch (thrown) {
      // Values from outside throw where what is read in them does not fit its type, also from inside a comparison.
      if (thrown instanceof CelStopped || thrown instanceof CelError) return { error: thrown, cost: frame.cost };
      throw thrown;
    } finally {
      endAllowance();
    }
  }
}
