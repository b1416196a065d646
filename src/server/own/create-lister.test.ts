import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import { changedStorage } from '../../storage/changed-storage.fixtures.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage, Watch, WatchEnd, WatchOptions, WatchSink } from '../../storage/storage.ts';
import { at, deletion, made, thing, thingDefinition, things } from '../registry/thing.fixtures.ts';
import { findObject } from './find-object.ts';
import type { ListerChange } from './lister.ts';

function text(changes: readonly ListerChange[]): string[] {
  return changes.map(({ namespace, name, object }) => `${object === undefined ? '-' : '+'}${namespace}/${name}`);
}

function methods(sink: WatchSink): WatchSink {
  return {
    events: (events) => sink.events(events),
    progress: (revision) => sink.progress(revision),
    end: (reason) => sink.end(reason),
  };
}

/** A store whose watches the test controls. */
function withWatch(inner: Storage, watch: (inner: Storage, options: WatchOptions, sink: WatchSink) => Watch): Storage {
  return changedStorage(inner, { watch: (options, sink) => watch(inner, options, sink) });
}

/** A store as one of several servers sees it. */
function shared(inner: Storage): Storage {
  return changedStorage(inner, { embedded: false });
}

describe('a lister', () => {
  it('has existing and just written objects without waiting', async () => {
    const { store } = await things();
    await made(store, thing('b'));
    const lister = await store.lister();
    await made(store, thing('a'));
    expect(lister.fresh()).toBeUndefined();
    expect(lister.get('ns', 'a')).toMatchObject({ metadata: { name: 'a', resourceVersion: '3' } });
    expect(lister.get('ns', 'a')).toBe(lister.get('ns', 'a'));
    await made(store, thing('c'), at('', 'other'));
    expect(lister.list('ns').map((object) => object['metadata'])).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(lister.list()).toHaveLength(3);
    await store.delete(at('a'), deletion());
    expect(lister.fresh()).toBeUndefined();
    expect(lister.get('ns', 'a')).toBeUndefined();
    expect(await store.lister()).toBe(lister);
  });

  it('drops managedFields and last-applied-configuration', async () => {
    const { store } = await things();
    const lister = await store.lister();
    const note = 'kubectl.kubernetes.io/last-applied-configuration';
    const noted = thing('a');
    Object.assign(noted['metadata'] as object, { annotations: { [note]: '{}', kept: 'yes' } });
    await made(store, noted);
    expect(lister.get('ns', 'a')).toMatchObject({ metadata: { annotations: { kept: 'yes' } } });
    expect(JSON.stringify(lister.get('ns', 'a'))).not.toContain(note);
  });

  it('calls listeners with the state, then with every change, before fresh() resolves', async () => {
    const { store } = await things();
    await made(store, thing('a'));
    const lister = await store.lister();
    const heard: string[] = [];
    const subscription = lister.subscribe((changes) => heard.push(...text(changes)));
    expect(heard).toEqual(['+ns/a']);
    await made(store, thing('b'));
    expect(lister.fresh()).toBeUndefined();
    await store.delete(at('a'), deletion());
    expect(heard).toEqual(['+ns/a', '+ns/b', '-ns/a']);
    subscription.stop();
    await made(store, thing('c'));
    expect(heard).toHaveLength(3);
  });

  it('calls the other listeners and reports to the host when one throws', async () => {
    const { store, troubles } = await things();
    const lister = await store.lister();
    const heard: string[] = [];
    lister.subscribe(() => {
      throw new Error('not today');
    });
    lister.subscribe((changes) => heard.push(...text(changes)));
    await made(store, thing('a'));
    expect(heard).toEqual(['+ns/a']);
    expect(troubles.map((error) => error.message)).toEqual(['not today']);
  });

  it('waits for a storage whose watch is slower than its answers', async () => {
    const held: (() => void)[] = [];
    let slow = false;
    const storage = withWatch(createMemoryStorage(), (inner, options, sink) =>
      inner.watch(options, {
        ...methods(sink),
        events: (events) => (slow ? void held.push(() => sink.events(events)) : sink.events(events)),
        progress: (revision) => (slow ? undefined : sink.progress(revision)),
      }),
    );
    const { store } = await things({}, {}, storage);
    const lister = await store.lister();
    slow = true;
    await made(store, thing('a'));
    let fresh = false;
    const waiting = Promise.resolve(lister.fresh()).then(() => {
      fresh = true;
    });
    await settle();
    expect([fresh, lister.get('ns', 'a')]).toEqual([false, undefined]);
    for (const deliver of held) deliver();
    await waiting;
    expect(lister.get('ns', 'a')).toBeDefined();
  });

  it('catches up with writes of other servers when it is asked for the current state', async () => {
    const memory = createMemoryStorage();
    const held: (() => void)[] = [];
    let slow = false;
    const watched = withWatch(memory, (inner, options, sink) =>
      inner.watch(options, {
        ...methods(sink),
        events: (events) => (slow ? void held.push(() => sink.events(events)) : sink.events(events)),
        progress: (revision) => (slow ? void held.push(() => sink.progress(revision)) : sink.progress(revision)),
      }),
    );
    const [ours, theirs] = [await things({}, {}, shared(watched)), await things({}, {}, memory)];
    const lister = await ours.store.lister();
    expect(await lister.current?.()).toBeUndefined();
    slow = true;
    await made(theirs.store, thing('a'));
    expect(lister.fresh()).toBeUndefined();
    expect(lister.get('ns', 'a')).toBeUndefined();
    const found = Promise.resolve(findObject(lister, 'ns', 'a'));
    await settle();
    for (const deliver of held) deliver();
    expect(await found).toMatchObject({ metadata: { name: 'a' } });
    slow = false;
    expect(await findObject(lister, 'ns', 'none')).toBeUndefined();
  });

  it('is fresh after both values of a create on a shared storage', async () => {
    const held: { revision: number; deliver: () => void }[] = [];
    let slow = false;
    const watched = withWatch(createMemoryStorage(), (inner, options, sink) =>
      inner.watch(options, {
        ...methods(sink),
        events: (events) => {
          for (const event of events) {
            if (slow) held.push({ revision: event.revision, deliver: () => sink.events([event]) });
            else sink.events([event]);
          }
        },
        progress: (revision) => (slow ? undefined : sink.progress(revision)),
      }),
    );
    const followCreate = (object: JsonObject) => ({ object: { ...object, second: true }, settled: () => undefined });
    const { strategy } = thingDefinition();
    const { store } = await things({ strategy: { ...strategy, followCreate } }, {}, shared(watched));
    const lister = await store.lister();
    slow = true;
    await made(store, thing('a'));
    const [first] = held;
    for (const { revision, deliver } of held) if (revision === first?.revision) deliver();
    expect(lister.get('ns', 'a')).not.toHaveProperty('second');
    const fresh = lister.fresh();
    expect(fresh).toBeInstanceOf(Promise);
    for (const { revision, deliver } of held) if (revision !== first?.revision) deliver();
    await fresh;
    expect(lister.get('ns', 'a')).toHaveProperty('second', true);
  });

  it('resumes a failed watch, and reads the state again after compaction', async () => {
    const breaks: ((reason: WatchEnd) => void)[] = [];
    const origins: WatchOptions['from'][] = [];
    const storage = withWatch(createMemoryStorage(), (inner, options, sink) => {
      origins.push(options.from);
      const watch = inner.watch(options, { ...methods(sink), end: () => undefined });
      breaks.push((reason) => {
        watch.stop();
        sink.end(reason);
      });
      return watch;
    });
    const { store, troubles, clock } = await things({}, {}, storage);
    await made(store, thing('a'));
    await made(store, thing('b'));
    const lister = await store.lister();
    const heard: string[] = [];
    lister.subscribe((changes) => heard.push(...text(changes)));
    heard.length = 0;

    breaks.at(-1)!({ reason: 'failed', error: new Error('lost') });
    await made(store, thing('c'));
    const fresh = lister.fresh();
    expect(fresh).toBeInstanceOf(Promise);
    await clock.advance(100);
    await fresh;
    expect(heard).toEqual(['+ns/c']);
    heard.length = 0;

    breaks.at(-1)!({ reason: 'compacted', horizon: 3 });
    await store.delete(at('a'), deletion());
    await made(store, thing('d'));
    await clock.advance(200);
    expect(heard).toEqual(['-ns/a', '+ns/d']);
    expect(lister.fresh()).toBeUndefined();
    expect(lister.list()).toHaveLength(3);
    expect(origins.slice(1)).toEqual(['state', { after: 3 }, 'state']);
    expect(troubles.map((error) => error.message)).toEqual([
      'lost',
      'history was compacted up to 3 before it was read',
    ]);
  });

  it('reports a value that it cannot parse to the host', async () => {
    const { store, storage, troubles } = await things();
    const lister = await store.lister();
    await storage.create('registry/example.test/things/ns/x', encodeUtf8('nonsense'));
    expect(lister.get('ns', 'x')).toBeUndefined();
    expect(troubles[0]?.message).toContain('registry/example.test/things/ns/x');
  });

  it('stops with its store', async () => {
    const { store, storage, clock } = await things();
    const lister = await store.lister();
    const heard: string[] = [];
    lister.subscribe((changes) => heard.push(...text(changes)));
    await store.stop();
    await storage.create('registry/example.test/things/ns/x', encodeUtf8('{"metadata":{"name":"x"}}'));
    expect([clock.pendingTimers, heard]).toEqual([0, []]);
    const other = await things();
    await other.store.stop();
    await expect(other.store.lister()).rejects.toMatchObject({ code: 'Closed' });
  });
});
