import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import { changedStorage } from '../../storage/changed-storage.fixtures.ts';
import type { ForkableStorage } from '../../storage/embedded-storage.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage, Watch, WatchEnd, WatchOptions, WatchSink } from '../../storage/storage.ts';
import { createStorageObjects } from './storage-objects.ts';

interface BreakableStorage {
  readonly storage: Storage;
  /** Ends each watch, in the order in which they were begun. */
  readonly breaks: ((reason: WatchEnd) => void)[];
}

function breakable(inner: ForkableStorage): BreakableStorage {
  const breaks: ((reason: WatchEnd) => void)[] = [];
  const watch = (options: WatchOptions, sink: WatchSink): Watch => {
    let isLive = true;
    const begun = inner.watch(options, {
      events: (events) => isLive && sink.events(events),
      progress: (revision) => isLive && sink.progress(revision),
      end: (reason) => isLive && sink.end(reason),
    });
    breaks.push((reason) => {
      isLive = false;
      begun.stop();
      sink.end(reason);
    });
    return begun;
  };
  return { storage: changedStorage(inner, { watch }), breaks };
}

function setUp() {
  const clock = new VirtualClock();
  const [main, other] = [createMemoryStorage({ clock }), createMemoryStorage({ clock })];
  const shown = breakable(other);
  const calls: string[] = [];
  const troubles: Error[] = [];
  const objects = createStorageObjects({
    storages: [main, shown.storage],
    storageOfKey: (key) => (key.startsWith('registry/secrets/') ? shown.storage : main),
    scope: 'registry',
    clock,
    prefixOf: (_, plural) => plural,
    onTrouble: (error) => troubles.push(error),
  });
  const listener = {
    reset: () => void calls.push('reset'),
    synced: () => void calls.push('synced'),
    put: (value: Uint8Array) => void calls.push(`put ${decodeUtf8(value)}`),
    delete: (value: Uint8Array) => void calls.push(`delete ${decodeUtf8(value)}`),
  };
  const taken = async (): Promise<readonly string[]> => {
    await clock.advance(0);
    // A follower takes changes in the turn after the next one.
    for (let turn = 0; turn < 2; turn++) await settle();
    return calls.splice(0);
  };
  return { clock, main, other, shown, objects, listener, troubles, taken };
}

const bytes = encodeUtf8;

describe('the stored objects of several storages', () => {
  it('are reported from the storage that serves them; those of Events and private keys are not', async () => {
    const { main, other, objects, listener, taken } = setUp();
    await main.create('registry/pods/a', bytes('pod'));
    await main.create('registry/secrets/a', bytes('outdated'));
    await main.create('registry/events/a', bytes('event'));
    await main.create('registry/ranges/servicenodeports', bytes('ports'));
    await other.create('registry/secrets/a', bytes('secret'));
    const following = objects.follow(listener);
    expect(await taken()).toEqual(['reset', 'put pod', 'put secret', 'synced']);
    await other.create('registry/pods/b', bytes('foreign'));
    await main.create('registry/pods/c', bytes('later'));
    await other.delete('registry/secrets/a');
    expect(await taken()).toEqual(['put later', 'delete secret']);
    following.stop();
  });

  it('are counted and read in that storage', async () => {
    const { main, other, objects } = setUp();
    await main.create('registry/secrets/default/old', bytes('outdated'));
    await other.create('registry/secrets/default/a', bytes('a'));
    await other.create('registry/secrets/default/b', bytes('b'));
    const secrets = { group: '', plural: 'secrets', stored: true } as unknown as Parameters<typeof objects.count>[0];
    expect(await objects.count(secrets, 'default')).toBe(2);
    const values: string[] = [];
    for await (const value of objects.values(secrets, 'default')) values.push(decodeUtf8(value));
    expect(values).toEqual(['a', 'b']);
  });

  it('are read again from all storages when the history of one is gone', async () => {
    const { main, other, shown, objects, listener, taken } = setUp();
    await main.create('registry/pods/a', bytes('pod'));
    await other.create('registry/secrets/a', bytes('secret'));
    const following = objects.follow(listener);
    await taken();
    shown.breaks[0]?.({ reason: 'compacted', horizon: 2 });
    expect(await taken()).toEqual(['reset', 'put pod', 'put secret', 'synced']);
    await main.create('registry/pods/b', bytes('once'));
    expect(await taken()).toEqual(['put once']);
    following.stop();
  });

  it('continue after a failure of one watch, without a new state', async () => {
    const { clock, other, shown, objects, listener, taken, troubles } = setUp();
    const following = objects.follow(listener);
    await taken();
    shown.breaks[0]?.({ reason: 'failed', error: new Error('lost') });
    expect(troubles.map(({ message }) => message)).toEqual(['lost']);
    await other.create('registry/secrets/a', bytes('meanwhile'));
    await clock.advance(200);
    expect(await taken()).toEqual(['put meanwhile']);
    expect(shown.breaks).toHaveLength(2);
    following.stop();
  });

  it('take changes that were delivered before a failure or a progress report first, and none after the stop', async () => {
    const { main, other, shown, objects, listener, taken } = setUp();
    const following = objects.follow(listener);
    await taken();
    await other.create('registry/secrets/a', bytes('before the failure'));
    shown.breaks[0]?.({ reason: 'failed', error: new Error('lost') });
    await main.create('registry/pods/a', bytes('later'));
    expect(await taken()).toEqual(['put before the failure', 'put later']);
    await main.create('registry/pods/b', bytes('too late'));
    following.stop();
    expect(await taken()).toEqual([]);
  });
});
