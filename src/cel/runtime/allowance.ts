/**
 * The step allowance of an evaluation: a bound on its work that is independent of its cost. cel-go's costs are counted
 * after a call has returned and do not cover everything that a call does. Steps are taken before the work is done, so
 * that no call can fill the memory or run for minutes. Steps count work, not time: which evaluation is stopped does not
 * depend on the machine.
 *
 * The allowance is a variable of this module and not a parameter. Steps are taken deep inside values and library
 * functions (`CelObject.equals`, `Overload.evaluate`, `Overload.runtimeCost`), which are public interfaces and the most
 * frequent calls of an evaluation; a parameter would have to pass through all of them. A variable is safe because an
 * evaluation is synchronous: it begins and ends without yielding to the event loop. An evaluation that starts inside
 * another one has an allowance of its own, and its end restores the allowance of the outer one.
 *
 * Invariant: every `beginAllowance` is followed by one `endAllowance` in the same turn of the event loop, also if the
 * evaluation throws.
 */
import { CelStopped } from '../values.ts';

/** Expressions within kube-apiserver's cost limits that build no huge texts use a small part of it. */
const STEPS_MAX = 200_000_000;

/** Unlimited outside of evaluations, where values are compared too. */
let left = Number.POSITIVE_INFINITY;
let evaluations = 0;

/**
 * Starts the allowance of an evaluation. Returns the rest of the allowance of the surrounding evaluation, for
 * `endAllowance`.
 */
export function beginAllowance(): number {
  const outer = left;
  left = STEPS_MAX;
  evaluations++;
  return outer;
}

/** Ends the allowance of an evaluation and restores the outer one. Returns the number of steps taken. */
export function endAllowance(outer: number): number {
  const taken = Math.min(STEPS_MAX - left, STEPS_MAX);
  left = outer;
  return taken;
}

/** Increases with every evaluation that starts. Values that are cached for one evaluation carry this number. */
export function evaluationNumber(): number {
  return evaluations;
}

/** Called before work of the given size. Throws CelStopped once the allowance is spent. */
export function takeSteps(steps: number): void {
  left -= steps;
  if (left < 0) throw new CelStopped('cost', 'operation cancelled: actual cost limit exceeded');
}
