/**
 * Garbage collection while the process is idle. V8 itself collects only on allocation, so the garbage of a busy minute
 * would stay in memory. Never collects while the process is busy, and leaves large heaps to V8.
 *
 * A collection in one step also drops the hidden classes that no object has at the time, and with them the optimised
 * code that depends on them: V8 keeps such classes only in collections that it marks incrementally. On an idle server
 * these are the classes of requests. The next few thousand requests then cost up to twice as much. So only the garbage
 * of the start is collected soon.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../base/clock.ts';
import { processCpuMicros, sampleCpu } from './cpu-sampler.ts';

const CHECK_MS = 5000;
/** Microseconds of CPU time per check below which the process counts as idle: 3 % of a core. */
const IDLE_MICROS = CHECK_MS * 30;
/** Idle checks in a row before a collection, once one was made: 10 to 15 seconds. */
const LATER_CHECKS = 2;
/** Heap growth since the last collection that makes another one worthwhile. */
const WORTH_BYTES = 16 * 2 ** 20;
/** Larger heaps are not collected here. V8 marks a heap of this size in a fifth of a second. */
const LARGEST_BYTES = 256 * 2 ** 20;

export interface IdleCollectionOptions {
  readonly clock: Clock;
  /** CPU time of the process in microseconds. */
  cpuMicros(): number;
  /** Returns the used bytes of the heap. */
  heapBytes(): number;
  /** Collects all garbage, `times` times in a row. */
  collect(times: number): void;
}

/** Checks every CHECK_MS until it is stopped, without keeping the process alive. */
export function collectWhenIdle({ clock, cpuMicros, heapBytes, collect }: IdleCollectionOptions): { stop(): void } {
  /** Heap size after the last collection. */
  let kept = heapBytes();
  /**
   * Whether a second collection is due: V8 shrinks the young generation only in a collection that finds few new objects
   * since the last one.
   */
  let again = false;
  /** The idle checks in a row, and how many of them a collection needs. */
  let idleChecks = 0;
  let neededChecks = 1;
  let hasCollected = false;
  const sampled = (usedMicros: number): void => {
    if (usedMicros < IDLE_MICROS) idleChecks++;
    else {
      idleChecks = 0;
      if (hasCollected) neededChecks = LATER_CHECKS;
    }
    const bytes = heapBytes();
    const isWorth = bytes - kept >= WORTH_BYTES;
    if (idleChecks < neededChecks || bytes > LARGEST_BYTES || !(isWorth || again)) return;
    again = isWorth;
    hasCollected = true;
    // The first collection clears weak references and runs finalizers; the second returns the pages.
    collect(isWorth ? 2 : 1);
    kept = heapBytes();
  };
  return sampleCpu({ clock, intervalMs: CHECK_MS, cpuMicros, sampled });
}

/** Returns the options for this process. */
export function processCollectionOptions(clock: Clock): IdleCollectionOptions {
  let collect: (() => void) | undefined;
  return {
    clock,
    cpuMicros: processCpuMicros,
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
