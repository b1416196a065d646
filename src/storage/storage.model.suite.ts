/**
 * The model test of `storage.ts`: random scripts run against a store and against a naive model of it. It imports no
 * test runner.
 * Invariants: a script depends on its seed only; a failure names the seed and a script from which no command can be
 * removed.
 */
import { BugError, toError } from '../base/errors.ts';
import { settle, VirtualClock } from '../base/virtual-clock.ts';
import type { Storage } from './storage.ts';
import { Model } from './suite/model.ts';
import { type Command, generateScript, type Item, type Script } from './suite/model-script.ts';
import { ModelStore, type ScriptOptions, TapOvertaken } from './suite/model-store.ts';
import type { WriteCheckOptions } from './suite/model-writes.ts';
import type { SuiteDriver } from './suite/run-case.ts';
import { expectEqual } from './suite-assert.ts';

export interface ModelRun extends WriteCheckOptions {
  /** The seed of the first script. The next ones have the seeds `seed + 1`, `seed + 2`, ... */
  readonly seed: number;
  readonly scripts: number;
  /** The longest script. Default 120. */
  readonly commands?: number;
}

/** The most stores that a script has at a time, including forks. */
const MAX_STORES = 3;
/** The most runs of a failing script to make it shorter. */
const SHRINKS = 600;

/** Runs scripts until one fails. Throws a BugError with the seed, the shortest failing script and the failure. */
export async function checkAgainstModel(driver: SuiteDriver, run: ModelRun): Promise<void> {
  const features = {
    reopen: driver.reopen !== undefined,
    fork: driver.fork,
    embedded: driver.embedded ?? true,
    virtualTime: driver.realTime === undefined,
  };
  for (let seed = run.seed; seed < run.seed + run.scripts; seed++) {
    const script = generateScript(seed, run.commands ?? 120, features);
    const failure = await attemptCompared(driver, script, run);
    if (failure === undefined) continue;
    const found = { script, failure };
    const shortest = failure.message === NO_END ? found : await shrink(driver, run, found);
    const commands = shortest.script.map((command) => JSON.stringify(command)).join(',\n');
    const message = `seed ${seed}: ${shortest.failure.message}\nin the script\n[${commands}]`;
    throw new BugError(message, { cause: shortest.failure });
  }
}

/** Runs one script, and calls `progressed` after each command. Throws the failure. */
async function runScript(
  driver: SuiteDriver,
  script: Script,
  options: ScriptOptions,
  progressed: () => void,
): Promise<void> {
  const clock = new VirtualClock();
  const opened: Storage[] = [];
  const keep = (storage: Storage): Storage => {
    opened.push(storage);
    return storage;
  };
  try {
    const first = keep(await driver.open(clock));
    const storeOptions = { ...options, settle: driver.settle ?? settle };
    const stores = [new ModelStore(first, new Model(await first.revision()), clock, storeOptions)];
    for (const { store, items } of script) {
      if (stores.length === 0) break;
      await burst(stores, stores[store % stores.length]!, items, driver, keep);
      for (const each of stores) for (const fork of each.forks) keep(fork.storage);
      stores.push(...stores.flatMap((each) => each.forks.splice(0)));
      while (stores.length > MAX_STORES) await stop(stores.splice(1, 1)[0]!, false);
      progressed();
    }
    for (const store of stores) {
      await store.verifyWatches();
      await stop(store, false);
      progressed();
    }
  } finally {
    for (const storage of opened) await storage.stop();
  }
  expectEqual(clock.pendingTimers, 0, 'timers left behind');
}

async function burst(
  stores: ModelStore[],
  store: ModelStore,
  items: readonly Item[],
  driver: SuiteDriver,
  keep: (storage: Storage) => Storage,
): Promise<void> {
  let advanced = false;
  const finish = async (): Promise<void> => {
    for (const each of stores) await each.finish();
    if (advanced) for (const each of stores) await each.expire();
    advanced = false;
  };
  for (const item of items) {
    if (item.op === 'reopen') {
      const { reopen } = driver;
      // Keys may expire during a restart, but the model cannot know at which revision.
      if (advanced) await finish();
      if (reopen !== undefined) await store.reopen(async (storage) => keep(await reopen(storage, store.clock)));
    } else if (item.op === 'stop') {
      await stop(store, item.inside);
      stores.splice(stores.indexOf(store), 1);
      return;
    } else {
      await store.begin(item);
      advanced ||= item.op === 'advance';
    }
  }
  await finish();
}

async function stop(store: ModelStore, inside: boolean): Promise<void> {
  await store.stop(inside);
  await store.checkStopped();
}

/**
 * Runs a script. If its results could not be compared with the model, runs it again with compactions that wait for the
 * watch of the model.
 */
async function attemptCompared(
  driver: SuiteDriver,
  script: Script,
  options: ScriptOptions,
): Promise<Error | undefined> {
  const failure = await attempt(driver, script, options);
  return failure instanceof TapOvertaken ? attempt(driver, script, { ...options, tapFirst: true }) : failure;
}

/**
 * The most time for one command of a script. A script whose command takes longer has failed, because the store may
 * never answer. There is no limit for a whole script: the number of its commands is bounded, and machines differ in
 * speed.
 */
const COMMAND_TIMEOUT_MS = 20_000;

async function attempt(driver: SuiteDriver, script: Script, options: ScriptOptions): Promise<Error | undefined> {
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  let restart = (): void => undefined;
  const hangs = new Promise<Error>((resolve) => {
    restart = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => resolve(new BugError(NO_END)), COMMAND_TIMEOUT_MS);
    };
  });
  restart();
  try {
    return await Promise.race([hangs, runScript(driver, script, options, restart).then(() => undefined)]);
  } catch (caught) {
    return toError(caught);
  } finally {
    clearTimeout(watchdog);
  }
}

const NO_END = 'the script does not end';

interface Failing {
  readonly script: Script;
  readonly failure: Error;
}

/** Removes commands, then items, as long as the script still fails. */
async function shrink(driver: SuiteDriver, options: ScriptOptions, found: Failing): Promise<Failing> {
  let shortest = found;
  let attempts = 0;
  const take = async (shorter: Script): Promise<boolean> => {
    if (attempts++ >= SHRINKS) return false;
    const fails = await attemptCompared(driver, shorter, options);
    if (fails !== undefined) shortest = { script: shorter, failure: fails };
    return fails !== undefined;
  };
  for (let size = found.script.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < shortest.script.length; ) if (!(await take(shortest.script.toSpliced(at, size)))) at += size;
  }
  for (let at = 0; at < shortest.script.length; at++) {
    for (let item = 0; item < shortest.script[at]!.items.length; ) {
      const command: Command = shortest.script[at]!;
      const shorter = { ...command, items: command.items.toSpliced(item, 1) };
      if (!(await take(shortest.script.toSpliced(at, 1, shorter)))) item++;
    }
  }
  return shortest;
}
