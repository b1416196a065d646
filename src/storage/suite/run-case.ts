/**
 * Runs one case of the suite against a driver, for any test runner: `for (const each of storageSuite)
 * it.skipIf(skipReason(each, driver) !== undefined)(each.name, () => runSuiteCase(each, driver))`. Invariant: after a
 * case every store it opened is stopped, and no timer of the clock is left.
 */
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Storage } from '../storage.ts';
import { expectEqual } from '../suite-assert.ts';
import type { SuiteCase, SuiteContext } from './context.ts';

export interface SuiteDriver {
  /** A fresh, empty store. */
  open(clock: VirtualClock): Storage | Promise<Storage>;
  /** Stops the store if it is not yet, and opens its data again. Absent: the driver keeps nothing. */
  readonly reopen?: (storage: Storage, clock: VirtualClock) => Promise<Storage>;
  /** Whether the stores can be forked. */
  readonly fork: boolean;
  /** Default: all microtasks have run. */
  readonly settle?: () => Promise<void>;
  /** See SuiteContext. */
  readonly maxKeyBytes?: number;
  readonly maxValueBytes?: number;
}

/** Why this case cannot run on this driver; undefined if it can. */
export function skipReason(each: SuiteCase, driver: SuiteDriver): string | undefined {
  if (each.needs === 'reopen' && driver.reopen === undefined) return 'the driver keeps nothing';
  if (each.needs === 'fork' && !driver.fork) return 'the driver cannot fork';
  return undefined;
}

export async function runSuiteCase(each: SuiteCase, driver: SuiteDriver): Promise<void> {
  const clock = new VirtualClock();
  const opened: Storage[] = [];
  const keep = (storage: Storage): Storage => {
    opened.push(storage);
    return storage;
  };
  const { reopen } = driver;
  const context: SuiteContext = {
    open: async () => keep(await driver.open(clock)),
    reopen: reopen === undefined ? undefined : async (storage) => keep(await reopen(storage, clock)),
    clock,
    settle: driver.settle ?? settle,
    ...(driver.maxKeyBytes === undefined ? {} : { maxKeyBytes: driver.maxKeyBytes }),
    ...(driver.maxValueBytes === undefined ? {} : { maxValueBytes: driver.maxValueBytes }),
  };
  try {
    await each.run(context);
  } finally {
    for (const storage of opened) await storage.stop();
  }
  expectEqual(clock.pendingTimers, 0, 'timers left behind');
}
