/**
 * What an evaluation may do beside what it costs. Costs are the reference's, counted when a call is over, and blind to what some calls make; the allowance is taken from before the
 * work is done, so that no call fills the memory or takes minutes, whatever it costs. Invariant: evaluation is synchronous, so there is one allowance at a time; what is stopped does not
 * depend on the machine.
 */
import { CelStopped } from '../values.ts';

/** In simple steps. Expressions that stay within the reference's cost limits and make no huge texts use a small part of it. */
const STEPS_MAX = 200_000_000;

let left = STEPS_MAX;

/** To be called once before each evaluation. */
export function renewAllowance(): void {
  left = STEPS_MAX;
}

/** Throws CelStopped once an evaluation has done too much. */
export function takeSteps(steps: number): void {
  left -= steps;
  if (left < 0) throw new CelStopped('cost', 'operation cancelled: actual cost limit exceeded');
}
