/**
 * Reads the changes before the state that a cache has loaded, from a store that keeps history. They are read only when
 * a watch needs them: etcd sends a thousand old revisions per tenth of a second, which would delay every start.
 */
import type { Clock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import type { KeyValue, Revision, Storage, StorageEvent } from '../storage/storage.ts';
import type { Describe, Entry, WindowBounds } from './cache.ts';
import { Change } from './change.ts';
import { makeEntry } from './entry.ts';
import { EventWindow } from './event-window.ts';

/** The time limit of the whole read. Afterwards a watch that waits for the read is `compacted`. */
const READ_MS = 10_000;

export interface OlderChangesOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly prefixes: readonly string[];
  readonly describe: Describe;
  readonly window: WindowBounds;
  /** Changes above `after` are read, up to and including `upTo`. */
  readonly after: Revision;
  readonly upTo: Revision;
  /** The current version of a key in the cache. A change to this version shares its entry. */
  current(key: string): Entry | undefined;
}

/** A read in progress. */
export interface OlderChanges {
  /** The newest changes that fit into the bounds; undefined if the store does not have them, and after `stop`. */
  readonly window: Promise<EventWindow | undefined>;
  stop(): void;
}

/** Begins to read. Throws the StorageError of a store that cannot be watched. */
export function readOlderChanges(options: OlderChangesOptions): OlderChanges {
  const { storage, clock, prefixes, after, upTo } = options;
  const done = new Deferred<EventWindow | undefined>();
  const reader = new ChangeReader(options);
  const finish = (): void => {
    reader.isComplete = true;
    watch.stop();
  };
  const ranges = prefixes.map((prefix) => ({ prefix }));
  const watch = storage.watch(
    { ranges, from: { after }, previous: true },
    {
      events: (events) => {
        for (const event of events) if (event.revision <= upTo) reader.take(event);
        if ((events.at(-1)?.revision ?? 0) >= upTo) finish();
      },
      progress: (revision) => {
        if (revision >= upTo) finish();
      },
      end: () => {
        timer.cancel();
        done.resolve(reader.isComplete ? reader.window : undefined);
      },
    },
  );
  const timer = clock.setTimer(READ_MS, () => watch.stop(), { background: true });
  watch.requestProgress();
  return { window: done.promise, stop: () => watch.stop() };
}

/** Makes changes from events, with the previous version of each key. */
class ChangeReader {
  readonly window: EventWindow;
  isComplete = false;
  readonly #options: OlderChangesOptions;
  /** The version of each key after its last change so far; undefined if that change was a deletion. */
  readonly #latest = new Map<string, Entry | undefined>();

  constructor(options: OlderChangesOptions) {
    this.#options = options;
    this.window = new EventWindow(options.window, options.after, () => undefined);
  }

  take(event: StorageEvent): void {
    const { key, revision, previous: before } = event;
    const previous = this.#latest.has(key) ? this.#latest.get(key) : before && this.#entry(before);
    const entry = event.type === 'put' ? this.#entry(event) : undefined;
    this.#latest.set(key, entry);
    if (entry !== undefined || previous !== undefined) this.window.push(new Change(key, revision, entry, previous));
  }

  #entry({ key, revision, value }: Pick<KeyValue, 'key' | 'revision' | 'value'>): Entry {
    const current = this.#options.current(key);
    return current?.revision === revision ? current : makeEntry(this.#options.describe, key, revision, value);
  }
}
