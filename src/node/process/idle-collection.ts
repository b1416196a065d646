/**
 * Garbage collection while the process is idle. V8 collects only on allocation, so without it the garbage of a busy
 * minute would stay in memory. Never collects while the process is busy, and leaves large heaps to V8.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock, Timer } from '../../base/clock.ts';

const CHECK_MS = 5000;
/** Microseconds of CPU time per check below which the process counts as idle: 3 % of a core. */
const IDLE_MICROS = CHECK_MS * 30;
/** Heap growth since the last collection that makes another one worthwhile. */
const WORTH_BYTES = 16 * 2 ** 20;
/** Larger heaps are not collected here. V8 marks a heap of this size in a fifth of a second. */
const LARGEST_BYTES = 256 * 2 ** 20;

export interface IdleCollectionOptions {
  readonly clock: Clock;
  /** CPU time of the process in microseconds. */
  cpuMicros(): number;
  heapBytes(): number;
  collect(times: number): void;
}

/** Checks every few seconds, without keeping the process alive. */
export function collectWhenIdle(options: IdleCollectionOptions): { stop(): void } {
  let cpu = options.cpuMicros();
  /** Heap size after the last collection. */
  let kept = options.heapBytes();
  /**
   * A second collection is due: V8 shrinks the young generation only in a collection that finds few new objects since
   * the last one.
   */
  let again = false;
  let timer: Timer | undefined;
  const check = (): void => {
    const now = options.cpuMicros();
    const isIdle = now - cpu < IDLE_MICROS;
    cpu = now;
    const bytes = options.heapBytes();
    const isWorth = bytes - kept >= WORTH_BYTES;
    if (isIdle && bytes <= LARGEST_BYTES && (isWorth || again)) {
      again = isWorth;
      // The first collection clears weak references and runs finalizers; the second returns the pages.
      options.collect(isWorth ? 2 : 1);
      kept = options.heapBytes();
      cpu = options.cpuMicros();
    }
    arm();
  };
  const arm = (): void => {
    timer = options.clock.setTimer(CHECK_MS, check, { background: true });
  };
  arm();
  return { stop: () => timer?.cancel() };
}

/** Returns the options for this process. */
export function processCollectionOptions(clock: Clock): IdleCollectionOptions {
  let collect: (() => void) | undefined;
  return {
    clock,
    cpuMicros: () => {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    heapBytes: () => process.memoryUsage().heapUsed,
    collect: (times) => {
      collect ??= collector();
      for (let i = 0; i < times; i++) collect();
    },
  };
}

/** Returns V8's collector. Node has no function for it, but a context created under this flag has a global `gc`. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
