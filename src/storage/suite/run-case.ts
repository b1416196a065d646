/**
 * The runner of one case of the suite, for any test framework: `for (const each of storageSuite)
 * it.skipIf(skipReason(each, driver) !== undefined)(each.name, () => runSuiteCase(each, driver))`.
 * Invariant: after a case every store that it opened is stopped, and the clock has no timer left.
 */
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Storage } from '../storage.ts';
import { expectEqual } from '../suite-assert.ts';
import type { SuiteCase, SuiteContext } from './context.ts';

export interface SuiteDriver {
  /** Opens a fresh, empty store. */
  open(clock: VirtualClock): Storage | Promise<Storage>;
  /** Stops the store, unless it is stopped, and opens its data again. Absent: the driver does not persist data. */
  readonly reopen?: (storage: Storage, clock: VirtualClock) => Promise<Storage>;
  /** Whether the stores can be forked. */
  readonly fork: boolean;
  /** Whether the stores are an `EmbeddedStorage`. Default true. */
  readonly embedded?: boolean;
  /** Absent: the stores use the virtual clock. Otherwise they run on real time; see `SuiteContext`. */
  readonly realTime?: { readonly scale: number; advance(ms: number): Promise<void> };
  /** See `SuiteContext`. Default: waits until all microtasks have run. */
  readonly settle?: () => Promise<void>;
  /** See `SuiteContext`. */
  readonly maxKeyBytes?: number;
  readonly maxValueBytes?: number;
}

/** The reason why a case cannot run on a driver; undefined if it can. */
export function skipReason(each: SuiteCase, driver: SuiteDriver): string | undefined {
  if (each.needs === 'reopen' && driver.reopen === undefined) return 'the driver does not persist data';
  if (each.needs === 'fork' && !driver.fork) return 'the driver cannot fork';
  if (each.needs === 'embedded' && driver.embedded === false) return 'the driver is not embedded';
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
    advance: (ms) => (driver.realTime === undefined ? clock.advance(ms) : driver.realTime.advance(ms)),
    timeScale: driver.realTime?.scale ?? 1,
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
