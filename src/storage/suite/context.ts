/**
 * The context of the conformance cases, helpers, and a sink that records its calls. Cases wait for events, never for
 * time to pass. If a driver never delivers an event, the case fails by the timeout of the test runner.
 */
import { decodeUtf8, EMPTY_BYTES, encodeUtf8 } from '../../base/bytes.ts';
import { Deferred } from '../../base/deferred.ts';
import type { VirtualClock } from '../../base/virtual-clock.ts';
import { type EmbeddedStorage, type ForkableStorage, isEmbedded, isForkable } from '../embedded-storage.ts';
import type {
  KeyValue,
  ListOptions,
  Revision,
  SeenState,
  Storage,
  StorageEvent,
  Watch,
  WatchEnd,
  WatchOptions,
  WatchSink,
} from '../storage.ts';
import { expectOutcome, expectTrue } from '../suite-assert.ts';

/** Each case gets its own context. After the case the runner stops every store that was opened. */
export interface SuiteContext {
  /** A fresh, empty store that uses `clock`. */
  open(): Storage | Promise<Storage>;
  /**
   * Stops the store and opens its data again. Absent if the driver does not persist data; cases that need it are then
   * skipped.
   */
  readonly reopen?: ((storage: Storage) => Promise<Storage>) | undefined;
  /** The clock of an embedded store. Another driver may run on real time. */
  readonly clock: VirtualClock;
  /** Lets this much time pass for the store, on the virtual clock or in real time. */
  advance(ms: number): Promise<void>;
  /** The factor for the times of the suite: 1 on virtual time, less on real time. */
  readonly timeScale: number;
  /** Resolves when work that the driver has scheduled has run. */
  settle(): Promise<void>;
  /**
   * The longest key and the largest value, for a store that adds bytes to keys or values. Default: the limits of the
   * specification.
   */
  readonly maxKeyBytes?: number;
  readonly maxValueBytes?: number;
}

export interface SuiteCase {
  readonly name: string;
  /** A feature that the driver must have. Without it the runner skips the case and reports the reason. */
  readonly needs?: 'reopen' | 'fork' | 'embedded';
  run(context: SuiteContext): Promise<void>;
}

export function embedded(storage: Storage): EmbeddedStorage {
  expectTrue(isEmbedded(storage), 'the store is embedded');
  return storage;
}

/** The oldest revision that can be read: with `lookBack` on an embedded store, otherwise the horizon. */
export function oldestRevision(storage: Storage): Revision {
  return isEmbedded(storage) ? storage.oldestRevision() : storage.horizon();
}

export function forkable(storage: Storage): ForkableStorage {
  expectTrue(isForkable(storage), 'the store can be forked');
  return storage;
}

export const bytes: (text: string) => Uint8Array = encodeUtf8;
export const text: (bytes: Uint8Array) => string = decodeUtf8;

/** Creates the key and returns the revision. */
export async function put(storage: Storage, key: string, value: string, ttlMs?: number): Promise<Revision> {
  const result = await storage.create(key, bytes(value), ttlMs === undefined ? {} : { ttlMs });
  return expectOutcome(result, 'ok').revision;
}

/** Writes the key unconditionally and returns the revision of the store. */
export async function overwrite(storage: Storage, key: string, value: string): Promise<Revision> {
  const found = await storage.get(key);
  let seen = found.outcome === 'found' ? found.item : undefined;
  for (;;) {
    const result = await storage.compareAndWrite(key, seen, bytes(value));
    if (result.outcome === 'ok') return result.changed ? result.revision : storage.revision();
    seen = result.current;
  }
}

/**
 * The state for a writer that knows only the revision. It is stale, so no driver compares its bytes with the new ones.
 */
export function seenAt(revision: Revision): SeenState | undefined {
  return revision === 0 ? undefined : { revision, value: EMPTY_BYTES, stale: true };
}

export async function remove(storage: Storage, key: string): Promise<Revision> {
  return expectOutcome(await storage.delete(key), 'ok').revision;
}

/** The value of the key as text; undefined if it does not exist. */
export async function readText(storage: Storage, key: string): Promise<string | undefined> {
  const result = await storage.get(key);
  return result.outcome === 'found' ? text(result.item.value) : undefined;
}

export async function keysOf(storage: Storage, prefix: string, options?: ListOptions): Promise<string[]> {
  return expectOutcome(await storage.list({ prefix }, options), 'ok').items.map((item) => item.key);
}

/** Items as short lines, for comparisons. */
export function lines(items: readonly KeyValue[]): string[] {
  return items.map((item) => `${item.key}=${text(item.value)}@${item.revision}/${item.created}`);
}

/** An event as a short line: `put a=1@5/5 was -` or `delete a@6 was a=1@5/5`. */
export function line(event: StorageEvent): string {
  const was = event.previous === undefined ? '-' : lines([event.previous])[0];
  return event.type === 'put'
    ? `put ${event.key}=${text(event.value)}@${event.revision}/${event.created} was ${was}`
    : `delete ${event.key}@${event.revision} was ${was}`;
}

/** A sink that records all calls, and fails the case if calls overlap or come after the end. */
export class Recorder implements WatchSink {
  readonly calls: (
    | { readonly type: 'events'; readonly events: readonly StorageEvent[] }
    | { readonly type: 'progress'; readonly revision: Revision }
    | { readonly type: 'end'; readonly reason: WatchEnd }
  )[] = [];
  /** Runs inside each `events` call. */
  onEvents: ((events: readonly StorageEvent[]) => void) | undefined;
  watch!: Watch;
  #broken: string | undefined;
  #inside = false;
  #prepared: readonly StorageEvent[] = [];
  readonly #waiting = new Set<{ readonly holds: () => boolean; readonly done: Deferred<void> }>();

  static start(
    storage: Storage,
    prefix: string | readonly string[],
    from: WatchOptions['from'],
    more: { lookBack?: boolean; previous?: boolean } = {},
  ): Recorder {
    const recorder = new Recorder();
    const prefixes = typeof prefix === 'string' ? [prefix] : prefix;
    recorder.watch = storage.watch({ ranges: prefixes.map((each) => ({ prefix: each })), from, ...more }, recorder);
    if (recorder.calls.length > 0) recorder.#broken = 'the sink was called before watch() returned';
    return recorder;
  }

  /** All events so far. */
  get seen(): StorageEvent[] {
    return this.calls.flatMap((call) => (call.type === 'events' ? call.events : []));
  }

  get lines(): string[] {
    return this.seen.map(line);
  }

  /** The revision of the last `progress` call; 0 if there was none. */
  get progressed(): Revision {
    return this.calls.reduce((last, call) => (call.type === 'progress' ? call.revision : last), 0);
  }

  get ended(): WatchEnd | undefined {
    const last = this.calls.at(-1);
    return last?.type === 'end' ? last.reason : undefined;
  }

  events(events: readonly StorageEvent[]): void {
    const isPrepared = (event: StorageEvent): boolean =>
      this.#prepared.every((other) => other === event || other.key !== event.key || other.revision !== event.revision);
    if (!events.every(isPrepared)) this.#broken ??= 'an event is not the object that was prepared';
    this.#prepared = [];
    this.#record({ type: 'events', events }, () => this.onEvents?.(events));
  }

  prepare(events: readonly StorageEvent[]): void {
    if (this.#inside) this.#broken ??= 'prepare came inside another call';
    if (this.ended !== undefined) this.#broken ??= 'prepare came after the end';
    if (events.some(({ revision }) => this.seen.some((event) => event.revision >= revision)))
      this.#broken ??= 'an event was prepared after its delivery';
    this.#prepared = events;
  }

  progress(revision: Revision): void {
    this.#record({ type: 'progress', revision });
  }

  end(reason: WatchEnd): void {
    this.#record({ type: 'end', reason });
  }

  /**
   * Resolves when the condition holds, which is checked after every call. Rejects if the watch broke the rules of
   * delivery.
   */
  async until(holds: (recorder: Recorder) => boolean): Promise<void> {
    this.#check();
    if (!holds(this)) {
      const done = new Deferred<void>();
      this.#waiting.add({ holds: () => this.#broken !== undefined || holds(this), done });
      await done.promise;
    }
    this.#check();
  }

  /** Waits until all changes that were acknowledged before the call have been delivered. */
  async caughtUp(storage: Storage): Promise<void> {
    const revision = await storage.revision();
    this.watch.requestProgress();
    await this.until((recorder) => recorder.progressed >= revision);
  }

  async untilEnd(): Promise<WatchEnd> {
    await this.until((recorder) => recorder.ended !== undefined);
    return this.ended!;
  }

  #check(): void {
    expectTrue(this.#broken === undefined, `the watch keeps the rules of delivery; but ${this.#broken}`);
  }

  #record(call: Recorder['calls'][number], inside?: () => void): void {
    if (this.#inside) this.#broken ??= `${call.type} came inside another call`;
    if (this.ended !== undefined) this.#broken ??= `${call.type} came after the end`;
    this.#inside = true;
    this.calls.push(call);
    try {
      inside?.();
    } finally {
      this.#inside = false;
      for (const waiting of this.#waiting) {
        if (!waiting.holds()) continue;
        this.#waiting.delete(waiting);
        waiting.done.resolve();
      }
    }
  }
}
