/**
 * The compiler from checked expressions to programs.
 *
 * Invariant: a program keeps no state between evaluations, so that it may be shared and may run inside another
 * evaluation.
 */
import type { CheckedExpression, Evaluation, EvaluationLimits, Outcome, Program } from './environment.ts';
import { beginAllowance, endAllowance } from './runtime/allowance.ts';
import { compile } from './runtime/compile.ts';
import { Frame, type Result, type Step } from './runtime/frame.ts';
import { CelError, CelStopped, type Value } from './values.ts';

/**
 * Throws CelError if the expression fails with any variables: `int('x')`, a constant pattern that does not compile,
 * constants that are too large to build.
 */
export function compileProgram(checked: CheckedExpression): Program {
  const outer = beginAllowance();
  try {
    const { step, locals } = compile(checked);
    return new ClosureProgram(step, locals);
  } catch (thrown) {
    throw thrown instanceof CelStopped ? new CelError(thrown.message) : thrown;
  } finally {
    endAllowance(outer);
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
    const outer = beginAllowance();
    let value: Result;
    try {
      value = this.#step(frame);
    } finally {
      endAllowance(outer);
    }
    frame.checkLimit();
    if (value instanceof CelError) throw value;
    return { value, cost: frame.cost };
  }

  run(variables: readonly (Value | undefined)[], limits?: EvaluationLimits): Outcome {
    const frame = new Frame(variables, this.#locals, limits);
    const outer = beginAllowance();
    let result: Result | CelStopped;
    let steps = 0;
    try {
      result = this.#step(frame);
      frame.checkLimit();
    } catch (thrown) {
      // Values of the caller throw a CelError if a part of them does not fit its type, also inside a comparison.
      if (!(thrown instanceof CelStopped || thrown instanceof CelError)) throw thrown;
      result = thrown;
    } finally {
      steps = endAllowance(outer);
    }
    return result instanceof CelError || result instanceof CelStopped
      ? { error: result, cost: frame.cost, steps }
      : { value: result, cost: frame.cost, steps };
  }
}
