/**
 * Tells a burst of work from sustained load, by the CPU time of the process: what V8 should do about them differs (see
 * `v8-flags.ts`).
 */
import type { Clock, Timer } from '../../base/clock.ts';

const CHECK_MS = 1000;
/** Microseconds of CPU time per check from which the process counts as busy: 30 % of a core. */
const BUSY_MICROS = CHECK_MS * 300;
/** Below this the process counts as idle: 3 % of a core. */
const IDLE_MICROS = CHECK_MS * 30;
/** Busy checks in a row that make a load. A burst, such as a few hundred definitions, is over by then. */
const BUSY_CHECKS = 2;
/** Idle checks in a row that end it. */
const IDLE_CHECKS = 30;

export interface SustainedLoadOptions {
  readonly clock: Clock;
  /** CPU time of the process in microseconds. */
  cpuMicros(): number;
  /** Called with true when a load has lasted for two seconds, and with false after half a minute without one. */
  changed(isSustained: boolean): void;
}

/** Checks every second, without keeping the process alive. */
export function followLoad(options: SustainedLoadOptions): { stop(): void } {
  let cpu = options.cpuMicros();
  let isSustained = false;
  /** The checks in a row that speak for a change. */
  let checks = 0;
  let timer: Timer | undefined;
  const check = (): void => {
    const now = options.cpuMicros();
    const used = now - cpu;
    cpu = now;
    const isOther = isSustained ? used < IDLE_MICROS : used >= BUSY_MICROS;
    checks = isOther ? checks + 1 : 0;
    if (checks >= (isSustained ? IDLE_CHECKS : BUSY_CHECKS)) {
      isSustained = !isSustained;
      checks = 0;
      options.changed(isSustained);
    }
    arm();
  };
  const arm = (): void => {
    timer = options.clock.setTimer(CHECK_MS, check, { background: true });
  };
  arm();
  return { stop: () => timer?.cancel() };
}
