/**
 * Gives memory back once the process has come to rest: V8 collects only when something allocates, so that what a busy minute left behind would stay for good. Invariant: nothing happens while there is work to do,
 * and a heap that takes long to walk is left to V8.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock, Timer } from '../../base/clock.ts';

const LOOK_MS = 5000;
/** Microseconds of CPU in between: 3 % of a core. */
const REST_MICROS = LOOK_MS * 30;
/** Less is not worth it. */
const WORTH_BYTES = 16 * 2 ** 20;
/** A heap of this size is walked in a fifth of a second. */
const LARGEST_BYTES = 256 * 2 ** 20;

export interface IdleCollectionOptions {
  readonly clock: Clock;
  /** Microseconds that the process has used. */
  cpuMicros(): number;
  heapBytes(): number;
  collect(times: number): void;
}

/** Looks every few seconds, without keeping the process alive. */
export function collectWhenIdle(options: IdleCollectionOptions): { stop(): void } {
  let cpu = options.cpuMicros();
  /** After the last collection. */
  let kept = options.heapBytes();
  /** V8 makes the space for new objects small in a collection that finds that hardly any were made since the last one. */
  let onceMore = false;
  let timer: Timer | undefined;
  const look = (): void => {
    const now = options.cpuMicros();
    const isAtRest = now - cpu < REST_MICROS;
    cpu = now;
    const bytes = options.heapBytes();
    const isWorth = bytes - kept >= WORTH_BYTES;
    if (isAtRest && bytes <= LARGEST_BYTES && (isWorth || onceMore)) {
      onceMore = isWorth;
      // The first finds what only finalizers and weak references still know; the second gives the pages back.
      options.collect(isWorth ? 2 : 1);
      kept = options.heapBytes();
      cpu = options.cpuMicros();
    }
    arm();
  };
  const arm = (): void => {
    timer = options.clock.setTimer(LOOK_MS, look, { background: true });
  };
  arm();
  return { stop: () => timer?.cancel() };
}

/** Of this process. */
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

/** Node has no call for it; a context that is made under this flag has. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
