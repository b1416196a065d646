/**
 * Distinguishes a burst of work from sustained load by the CPU time of the process, because the two need different V8
 * flags (see `v8-flags.ts`).
 */
import type { Clock } from '../../base/clock.ts';
import { sampleCpu } from './cpu-sampler.ts';

const CHECK_MS = 1000;
/** Microseconds of CPU time per check from which the process counts as busy: 30 % of a core. */
const BUSY_MICROS = CHECK_MS * 300;
/** Below this the process counts as idle: 3 % of a core. */
const IDLE_MICROS = CHECK_MS * 30;
/** Busy checks in a row that make a load. A burst, such as a few hundred definitions, is over by then. */
const BUSY_CHECKS = 2;
/** Idle checks in a row that end a load. */
const IDLE_CHECKS = 30;

export interface SustainedLoadOptions {
  readonly clock: Clock;
  /** CPU time of the process in microseconds. */
  cpuMicros(): number;
  /** Called with true when a load has lasted for two seconds, and with false after half a minute without one. */
  changed(isSustained: boolean): void;
}

/** Samples the CPU time every second until it is stopped, without keeping the process alive. */
export function followLoad({ clock, cpuMicros, changed }: SustainedLoadOptions): { stop(): void } {
  let isSustained = false;
  /** The checks in a row that speak for a change. */
  let checks = 0;
  const sampled = (usedMicros: number): void => {
    const isOther = isSustained ? usedMicros < IDLE_MICROS : usedMicros >= BUSY_MICROS;
    checks = isOther ? checks + 1 : 0;
    if (checks < (isSustained ? IDLE_CHECKS : BUSY_CHECKS)) return;
    isSustained = !isSustained;
    checks = 0;
    changed(isSustained);
  };
  return sampleCpu({ clock, intervalMs: CHECK_MS, cpuMicros, sampled });
}
