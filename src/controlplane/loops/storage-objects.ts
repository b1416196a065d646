/**
 * The stored objects for loops. Each follower has one watch of all keys per storage.
 * Invariant: a follower sees every change once, and the changes of one storage in order. After a failure it continues
 * after the last revision, or with a new state of all storages if the history is lost.
 *
 * A follower handles the changes of a commit two turns later, after the responses to the writers have been sent.
 */
import { backoffDelay } from '../../base/backoff.ts';
import { type Clock, sleep, type Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { nextTurn } from '../../base/next-turn.ts';
import type { ServedResource } from '../../loops/served-resources.ts';
import type { StoredObjectListener, StoredObjects } from '../../loops/stored-objects.ts';
import { isPrivateKey } from '../../server/registry/stored-forms.ts';
import { escapeSegment } from '../../storage/keys.ts';
import { statePages } from '../../storage/state-pages.ts';
import type { Revision, Storage, StorageEvent, Watch, WatchEnd } from '../../storage/storage.ts';

export interface StorageObjectsOptions {
  /** All storages of the server. */
  readonly storages: readonly Storage[];
  /**
   * Returns the storage that serves the object of a key. Another storage may still have an outdated object with the
   * same key.
   */
  storageOfKey(key: string): Storage;
  /** The first segment of every key. */
  readonly scope: string;
  readonly clock: Clock;
  /**
   * Returns the storage prefix of a built-in resource; undefined for other resources, whose prefix is
   * `<group>/<plural>`.
   */
  prefixOf(group: string, plural: string): string | undefined;
  /** Called for failures of the storage, which are retried. */
  onTrouble(error: Error): void;
}

export function createStorageObjects(options: StorageObjectsOptions): StoredObjects {
  const { storageOfKey, scope, prefixOf } = options;
  const prefixIn = ({ group, plural }: ServedResource, namespace: string): string => {
    const resource = prefixOf(group, plural) ?? `${group}/${plural}`;
    return `${escapeSegment(scope)}/${resource}/${escapeSegment(namespace)}/`;
  };
  return {
    follow: (listener, { from = 'state' } = {}) => {
      const follower = new Follower(options, listener, from);
      follower.start();
      return follower;
    },
    count: (resource: ServedResource, namespace: string): MaybePromise<number | undefined> => {
      if (!resource.stored) return undefined;
      const prefix = prefixIn(resource, namespace);
      return andThen(storageOfKey(prefix).list({ prefix }, { countOnly: true }), (result) =>
        result.outcome === 'ok' ? result.remaining : undefined,
      );
    },
    values: (resource, namespace) => {
      const prefix = prefixIn(resource, namespace);
      return valuesOf(storageOfKey(prefix), prefix);
    },
  };
}

/** The objects of one page are passed on without a pause; other work may run between two pages. */
const PAGE = 500;
/** Yields the values below a prefix, all of one state. */
async function* valuesOf(storage: Storage, prefix: string): AsyncIterable<Uint8Array> {
  for await (const { items } of statePages(storage, prefix, PAGE)) for (const { value } of items) yield value;
}

const RETRY = { initialMs: 100, capMs: 30_000 };

/** The position of a follower in one storage. */
interface Source {
  readonly storage: Storage;
  revision: Revision;
  watch: Watch | undefined;
  timer: Timer | undefined;
  failures: number;
  /** Events that the listener has not got yet. */
  readonly waiting: StorageEvent[];
}

class Follower {
  readonly #options: StorageObjectsOptions;
  readonly #listener: StoredObjectListener;
  readonly #from: 'state' | 'now';
  readonly #prefix: string;
  /** The prefix of Events, which are skipped: there are many of them, they are short-lived, and they have no owners. */
  readonly #skipped: string;
  readonly #stopping = new AbortController();
  readonly #sources: readonly Source[];
  #failures = 0;
  #timer: Timer | undefined;
  /** Whether waiting events are scheduled to be passed on. */
  #taking = false;

  constructor(options: StorageObjectsOptions, listener: StoredObjectListener, from: 'state' | 'now') {
    this.#options = options;
    this.#from = from;
    this.#listener = listener;
    this.#prefix = `${escapeSegment(options.scope)}/`;
    this.#skipped = `${this.#prefix}events/`;
    this.#sources = options.storages.map((storage) => ({
      storage,
      revision: 0,
      watch: undefined,
      timer: undefined,
      failures: 0,
      waiting: [],
    }));
  }

  /** Reads the state of all storages, then follows each of them. */
  start(): void {
    this.#timer = undefined;
    this.#begin().catch((caught) => {
      const retry = (): void => this.start();
      this.#timer = this.#retry(toError(caught), this.#failures++, retry);
    });
  }

  stop(): void {
    this.#stopping.abort();
    this.#timer?.cancel();
    this.#stopWatches();
  }

  #stopWatches(): void {
    for (const source of this.#sources) {
      const { watch } = source;
      source.timer?.cancel();
      source.timer = undefined;
      source.watch = undefined;
      watch?.stop();
      source.waiting.length = 0;
    }
  }

  #isFollowed(key: string, storage: Storage): boolean {
    const { scope, storageOfKey } = this.#options;
    return !key.startsWith(this.#skipped) && !isPrivateKey(key, scope) && storageOfKey(key) === storage;
  }

  async #begin(): Promise<void> {
    // The listener must not be called before `follow` has returned.
    await Promise.resolve();
    this.#listener.reset();
    for (const source of this.#sources) await this.#readState(source);
    if (this.#stopping.signal.aborted) return;
    this.#failures = 0;
    this.#listener.synced();
    for (const source of this.#sources) this.#follow(source);
  }

  async #readState(source: Source): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    const { storage } = source;
    if (this.#from === 'now') {
      source.revision = await storage.revision();
      return;
    }
    let state: Revision = 0;
    for await (const page of statePages(storage, this.#prefix, PAGE)) {
      if (state !== 0) await sleep(clock, 0, { signal });
      if (signal.aborted) return;
      for (const { key, value, revision } of page.items)
        if (this.#isFollowed(key, storage)) this.#listener.put(value, revision, undefined);
      state = page.revision;
    }
    source.revision = state;
  }

  #follow(source: Source): void {
    source.timer = undefined;
    try {
      const watch = source.storage.watch(
        { ranges: [{ prefix: this.#prefix }], from: { after: source.revision }, previous: true },
        {
          events: (events) => this.#add(source, events),
          progress: (revision) => {
            this.#take(source);
            source.failures = 0;
            source.revision = Math.max(source.revision, revision);
          },
          end: (reason) => {
            this.#take(source);
            if (source.watch === watch) this.#ended(source, reason);
          },
        },
      );
      source.watch = watch;
    } catch (caught) {
      this.#followAgain(source, toError(caught));
    }
  }

  #add(source: Source, events: readonly StorageEvent[]): void {
    for (const event of events) source.waiting.push(event);
    if (this.#taking) return;
    this.#taking = true;
    // Responses are sent in the next turn, so the listener is called in the turn after it.
    nextTurn(() => nextTurn(() => this.#takeAll()));
  }

  #takeAll(): void {
    this.#taking = false;
    for (const source of this.#sources) this.#take(source);
  }

  #take(source: Source): void {
    if (this.#stopping.signal.aborted || source.waiting.length === 0) return;
    source.failures = 0;
    for (const event of source.waiting.splice(0)) {
      source.revision = event.revision;
      if (!this.#isFollowed(event.key, source.storage)) continue;
      if (event.type === 'put') this.#listener.put(event.value, event.revision, event.previous?.value);
      else this.#listener.delete(event.previous!.value, event.revision);
    }
  }

  /**
   * Handles the end of a watch. If the history of one storage is lost, all storages are read again, because `reset` of
   * the listener drops the objects of all of them.
   */
  #ended(source: Source, end: WatchEnd): void {
    source.watch = undefined;
    if (end.reason === 'failed') this.#followAgain(source, end.error);
    if (end.reason !== 'compacted') return;
    this.#stopWatches();
    this.start();
  }

  #followAgain(source: Source, error: Error): void {
    source.timer = this.#retry(error, source.failures++, () => this.#follow(source));
  }

  /** Reports the failure and schedules a retry with backoff. Returns undefined if the follower is stopped. */
  #retry(error: Error, failures: number, retry: () => void): Timer | undefined {
    if (this.#stopping.signal.aborted) return undefined;
    this.#options.onTrouble(error);
    return this.#options.clock.setTimer(backoffDelay(RETRY, failures), retry, { background: true });
  }
}
