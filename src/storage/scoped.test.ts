import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { ForkableStorage, Snapshot } from './embedded-storage.ts';
import { MAX_KEY_BYTES } from './keys.ts';
import { createMemoryStorage } from './memory/memory-storage.ts';
import { scoped } from './scoped.ts';
import { storageSuite } from './storage.suite.ts';
import type { Storage } from './storage.ts';
import { keysOf, put, Recorder } from './suite/context.ts';
import { runSuiteCase, type SuiteDriver, skipReason } from './suite/run-case.ts';

/** Stopping the scoped store also stops the outer store, so that the suite detects anything that it left behind. */
function together(outer: ForkableStorage, inner: ForkableStorage): Storage {
  const stop = inner.stop.bind(inner);
  return Object.assign(inner, { stop: () => stop().then(() => outer.stop()) });
}

const driver: SuiteDriver = {
  open(clock) {
    const outer = createMemoryStorage({ clock });
    return together(outer, scoped(outer, 'scope/'));
  },
  fork: true,
  maxKeyBytes: MAX_KEY_BYTES - 'scope/'.length,
};

/** A prefix may end anywhere, and scopes nest. */
const nested: SuiteDriver = {
  ...driver,
  open(clock) {
    const outer = createMemoryStorage({ clock });
    return together(outer, scoped(scoped(outer, 'scope/'), 'inner'));
  },
  maxKeyBytes: MAX_KEY_BYTES - 'scope/inner'.length,
};

describe('the storage suite on a scoped store', () => {
  for (const each of storageSuite)
    it.skipIf(skipReason(each, driver) !== undefined)(each.name, () => runSuiteCase(each, driver));
});

describe('the storage suite on a scoped store in a scoped store', () => {
  for (const each of storageSuite)
    it.skipIf(skipReason(each, nested) !== undefined)(each.name, () => runSuiteCase(each, nested));
});

describe('scoped', () => {
  it('keeps the scopes of one store apart and shares its revision', async () => {
    const outer = createMemoryStorage({ clock: new VirtualClock() });
    const [a, b] = [scoped(outer, 'a/'), scoped(outer, 'b/')];
    const watcher = Recorder.start(a, '', { after: 1 });
    await put(outer, 'a', 'before');
    await put(outer, 'a0', 'after');
    await put(a, 'x', '1');
    const revision = await put(b, 'x', '2');
    expect(await keysOf(a, '')).toEqual(['x']);
    expect(await keysOf(outer, '')).toEqual(['a', 'a/x', 'a0', 'b/x']);
    expect(await a.revision()).toBe(revision);
    await watcher.caughtUp(a);
    expect(watcher.seen.map((event) => event.key)).toEqual(['x']);
    await outer.stop();
    expect(watcher.ended).toEqual({ reason: 'closed' });
  });

  it('stops only what was made through it', async () => {
    const outer = createMemoryStorage({ clock: new VirtualClock() });
    const [a, b] = [scoped(outer, 'a/'), scoped(outer, 'a/')];
    const watchers = [Recorder.start(a, '', 'now'), Recorder.start(b, '', 'now'), Recorder.start(outer, '', 'now')];
    const snapshot = await a.snapshot();
    await a.stop();
    expect(watchers.map((watcher) => watcher.ended)).toEqual([{ reason: 'closed' }, undefined, undefined]);
    expect(() => snapshot.get('x')).toThrow('stopped');
    await put(b, 'x', '1');
    await watchers[1]!.caughtUp(b);
    expect(watchers[1]!.seen).toHaveLength(1);
    await outer.stop();
  });

  it('stops a snapshot that is being taken when it is stopped', async () => {
    const outer = createMemoryStorage({ clock: new VirtualClock() });
    const taken: Snapshot[] = [];
    const take = outer.snapshot.bind(outer);
    const slow = Object.assign(outer, {
      async snapshot(): Promise<Snapshot> {
        const snapshot = await take();
        taken.push(snapshot);
        for (let i = 0; i < 20; i++) await Promise.resolve();
        return snapshot;
      },
    });
    const a = scoped(slow, 'a/');
    const snapshot = Promise.resolve(a.snapshot());
    await a.stop();
    await expect(snapshot).rejects.toMatchObject({ code: 'Closed' });
    expect(() => taken[0]!.get('x')).toThrow('stopped');
    await outer.stop();
  });

  it('gives a fork its own inner store', async () => {
    const clock = new VirtualClock();
    const outer = createMemoryStorage({ clock });
    const a = scoped(outer, 'a/');
    await put(a, 'x', '1', 60_000);
    const fork = a.fork();
    await outer.stop();
    expect(await keysOf(fork, '')).toEqual(['x']);
    await fork.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
