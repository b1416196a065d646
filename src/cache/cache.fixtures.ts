/**
 * Fixtures of the cache tests: small objects, an encoding that can be decoded, and sinks and stores that the test
 * controls.
 */
import { concatBytes, decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { BugError } from '../base/errors.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { EmbeddedStorage } from '../storage/embedded-storage.ts';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import type { Revision, Storage, Watch, WatchEnd, WatchSink } from '../storage/storage.ts';
import type {
  CacheList,
  CacheWatch,
  CacheWatchEnd,
  CacheWatchOptions,
  ChangeType,
  EventEncoding,
  EventSink,
  Filter,
} from './cache.ts';
import { describeJson } from './describe-json.ts';
import { WatchCache, type WatchCacheOptions } from './watch-cache.ts';

export function objectBytes(name: string, labels: Record<string, string> = {}, spec = ''): Uint8Array {
  return encodeUtf8(JSON.stringify({ kind: 'Thing', metadata: { name, labels }, spec }));
}

/** Selects objects whose label `key` has the value `value`. */
export function labelFilter(key: string, value: string): Filter {
  return { text: `${key}=${value}`, matches: (facts) => facts.labels[key] === value };
}

export const testEncoding: EventEncoding = {
  key: 'test',
  event: (type, bytes) => concatBytes([encodeUtf8(`${type} `), bytes]),
  bookmark: (revision, initialEventsEnd) => encodeUtf8(`BOOKMARK ${JSON.stringify({ revision, initialEventsEnd })}`),
};

export interface SeenObject {
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly resourceVersion: string;
  };
  readonly spec: string;
}

export interface SeenEvent {
  readonly type: ChangeType | 'BOOKMARK';
  readonly text: string;
  readonly name: string;
  readonly revision: Revision;
  readonly object: SeenObject;
}

function readChunk(chunk: Uint8Array): SeenEvent {
  const text = decodeUtf8(chunk);
  const space = text.indexOf(' ');
  const type = text.slice(0, space) as SeenEvent['type'];
  const object = JSON.parse(text.slice(space + 1)) as SeenObject & { revision?: number };
  if (type === 'BOOKMARK') return { type, text, name: '', revision: object.revision ?? 0, object };
  return { type, text, name: object.metadata.name, revision: Number(object.metadata.resourceVersion), object };
}

/**
 * Records its chunks, and every call that breaks the rules for sinks. While `blocking` is set, it asks for a pause
 * after each write.
 */
export class RecordingSink implements EventSink {
  readonly chunks: Uint8Array[] = [];
  readonly breaches: string[] = [];
  writes = 0;
  blocking = false;
  ended: CacheWatchEnd | undefined;
  onWrite: (() => void) | undefined;
  #writing = false;
  #paused = false;
  #drainedInside = false;

  write(chunks: readonly Uint8Array[]): boolean {
    if (this.ended !== undefined) this.breaches.push('written to after its end');
    if (this.#writing) this.breaches.push('written to while it was being written to');
    if (this.#paused) this.breaches.push('written to before it was drained');
    if (chunks.length === 0 || chunks.length > 64) this.breaches.push(`given ${chunks.length} chunks`);
    this.#writing = true;
    this.#drainedInside = false;
    this.writes++;
    this.chunks.push(...chunks);
    try {
      this.onWrite?.();
    } finally {
      this.#writing = false;
    }
    this.#paused = this.blocking && !this.#drainedInside;
    return !this.blocking;
  }

  /** Calls `drained()`. */
  drain(watch: CacheWatch): void {
    this.#paused = false;
    this.#drainedInside = true;
    watch.drained();
  }

  end(reason: CacheWatchEnd): void {
    if (this.ended !== undefined) this.breaches.push('ended twice');
    this.ended = reason;
  }

  get events(): SeenEvent[] {
    return this.chunks.map(readChunk);
  }

  /** `ADDED a@2` */
  get brief(): string[] {
    return this.events.map(({ type, name, revision }) => `${type} ${name}@${revision}`);
  }
}

/** A scheduler whose turns the test runs. */
export class Turns {
  #scheduled: (() => void)[] = [];
  readonly schedule = (callback: () => void): void => void this.#scheduled.push(callback);

  get pending(): number {
    return this.#scheduled.length;
  }

  /** Runs one turn. */
  run(): void {
    for (const callback of this.#scheduled.splice(0)) callback();
  }

  /** Runs turns until nothing is scheduled. */
  runAll(): void {
    while (this.#scheduled.length > 0) this.run();
  }
}

/** A store whose watches the test can hold, break and count. */
export class TestStore {
  readonly clock: VirtualClock = new VirtualClock();
  readonly inner: EmbeddedStorage = createMemoryStorage({ clock: this.clock });
  readonly watches: Set<Watch> = new Set();
  watchesMade = 0;
  progressRequests = 0;
  /** Calls of the sink that are held back until `release`, in order. Undefined: calls are passed on at once. */
  #held: (() => void)[] | undefined;
  readonly #enders = new Set<(reason: WatchEnd) => void>();
  readonly storage: Storage;
  failWith: Error | undefined;
  /** False: the store behaves like one that other processes share. */
  embedded = true;

  constructor() {
    this.storage = new Proxy(this.inner, {
      get: (target, name): unknown => {
        if (name === 'embedded') return this.embedded;
        if (name === 'watch') return this.#watch.bind(this);
        if (this.failWith !== undefined && name === 'list') {
          return () => Promise.reject(this.failWith);
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) deliver();
  }

  /** Ends all watches as the store would. */
  break(reason: WatchEnd): void {
    for (const end of [...this.#enders]) end(reason);
  }

  async put(key: string, value: Uint8Array): Promise<Revision> {
    const current = await this.inner.get(key);
    const seen = current.outcome === 'found' ? current.item : undefined;
    const result = await this.inner.compareAndWrite(key, seen, value);
    return result.revision;
  }

  async delete(key: string): Promise<Revision> {
    return (await this.inner.delete(key)).revision;
  }

  #watch(...[options, sink]: Parameters<Storage['watch']>): Watch {
    this.watchesMade++;
    let over = false;
    const deliver = (call: () => void): void => {
      if (this.#held === undefined) call();
      else
        this.#held.push(() => {
          if (!over) call();
        });
    };
    const guarded: WatchSink = {
      events: (events) => deliver(() => sink.events(events)),
      progress: (revision) => deliver(() => sink.progress(revision)),
      end: (reason) => {
        if (over) return;
        over = true;
        this.watches.delete(watch);
        this.#enders.delete(ender);
        sink.end(reason);
      },
    };
    const inner = this.inner.watch(options, guarded);
    const watch: Watch = {
      stop: () => inner.stop(),
      requestProgress: () => {
        this.progressRequests++;
        inner.requestProgress();
      },
    };
    const ender = (reason: WatchEnd): void => {
      guarded.end(reason);
      inner.stop();
    };
    this.watches.add(watch);
    this.#enders.add(ender);
    return watch;
  }
}

export const PREFIX = 'default/things/';

/** A watch of all objects from now on. */
export const all: CacheWatchOptions = { range: { prefix: PREFIX }, encoding: testEncoding, from: 'now' };

export function names(list: CacheList): string[] {
  return list.items.map((item) => (JSON.parse(decodeUtf8(item)) as { metadata: { name: string } }).metadata.name);
}

/** A store, a cache over it that has not started, and its turns. */
export function testCache(options: Partial<WatchCacheOptions> = {}): {
  store: TestStore;
  cache: WatchCache;
  turns: Turns;
} {
  const store = new TestStore();
  const turns = new Turns();
  const cache = new WatchCache({
    storage: store.storage,
    prefixes: [PREFIX],
    describe: describeJson(),
    clock: store.clock,
    scheduler: turns.schedule,
    ...options,
  });
  return { store, cache, turns };
}

const allChanges: CacheWatchOptions = { range: { prefix: PREFIX }, encoding: testEncoding, from: 'now' };

/** A cache over a memory store that has started. */
export async function started(
  options: Partial<WatchCacheOptions> = {},
): Promise<{ store: TestStore; cache: WatchCache; turns: Turns }> {
  const made = testCache(options);
  await made.cache.start();
  return made;
}

/** Begins a watch; throws if it is compacted. */
export function begin(cache: WatchCache, options: Partial<CacheWatchOptions>, sink: EventSink): CacheWatch {
  const start = cache.watch({ ...allChanges, ...options }, sink);
  if (start.outcome !== 'ok') throw new BugError(start.outcome);
  return start.watch;
}
