/**
 * What an evaluation may do beside what it costs. Costs are the reference's, counted when a call is over, and blind to what some calls make; the allowance is taken from before the
 * work is done, so that no call fills the memory or takes minutes, whatever it costs. Invariant: evaluation is synchronous, so there is one allowance at a time; what is stopped does not
 * depend on the machine.
 */
import { CelStopped } from '../values.ts';

/** In simple steps. Expressions that stay within the reference's cost limits and make no huge texts use a small part of it. */
const STEPS_MAX = 200_000_000;

/** Outside of evaluations there is no end to it: others compare values too. */
let left = Number.POSITIVE_INFINITY;
let taken = 0;
let evaluations = 0;

/** To be called once before each evaluation, and `endAllowance` after it. */
export function renewAllowance(): void {
  left = STEPS_MAX;
  evaluations++;
}

/** Tells evaluations apart: what is remembered for one is not true for the next. */
export function evaluationNumber(): number {
  return evaluations;
}

export function endAllowance(): void {
  taken = Math.min(STEPS_MAX - left, STEPS_MAX);
  left = Number.POSITIVE_INFINITY;
}

/** What the last evaluation took, as far as it came. */
export function stepsTaken(): number {
  return taken;
}

/** Throws CelStopped once an evaluation has done too much. */
export function takeSteps(steps: number): void {
  left -= steps;
  if (left < 0) throw new CelStopped('cost', 'operation cancelled: actual cost limit exceeded');
}
