/**
 * The stored objects for loops, over one storage watch of all keys per follower. Invariant: a follower sees every
 * change once and in order; after a failure it continues from the last revision, or from a new state if the history is
 * gone.
 */
import { backoffDelay } from '../../base/backoff.ts';
import { type Clock, sleep, type Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ServedResource } from '../../loops/served-resources.ts';
import type { StoredObjectListener, StoredObjects } from '../../loops/stored-objects.ts';
import { isPrivateKey } from '../../server/registry/stored-forms.ts';
import { escapeSegment } from '../../storage/keys.ts';
import { statePages } from '../../storage/state-pages.ts';
import type { Revision, Storage, StorageEvent, Watch, WatchEnd } from '../../storage/storage.ts';

export interface StorageObjectsOptions {
  readonly storage: Storage;
  /** The first segment of every key. */
  readonly scope: string;
  readonly clock: Clock;
  /** The storage prefix of a built-in resource. Other resources have `<group>/<plural>`. */
  prefixOf(group: string, plural: string): string | undefined;
  /** Receives failures of storage, which are retried. */
  onTrouble(error: Error): void;
}

export function createStorageObjects(options: StorageObjectsOptions): StoredObjects {
  const { storage, scope, prefixOf } = options;
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
      return andThen(storage.list({ prefix: prefixIn(resource, namespace) }, { countOnly: true }), (result) =>
        result.outcome === 'ok' ? result.remaining : undefined,
      );
    },
    values: (resource, namespace) => valuesOf(storage, prefixIn(resource, namespace)),
  };
}

/** The objects of a page are handed over in one run; other work may run between two pages. */
const PAGE = 500;
/** The values of one state. */
async function* valuesOf(storage: Storage, prefix: string): AsyncIterable<Uint8Array> {
  for await (const { items } of statePages(storage, prefix, PAGE)) for (const { value } of items) yield value;
}

const RETRY = { initialMs: 100, capMs: 30_000 };

class Follower {
  readonly #options: StorageObjectsOptions;
  readonly #listener: StoredObjectListener;
  readonly #from: 'state' | 'now';
  readonly #prefix: string;
  /** Events are many, short-lived, and never owned. */
  readonly #skipped: string;
  readonly #stopping = new AbortController();
  /** 0: the state must be read. */
  #revision: Revision = 0;
  #failures = 0;
  #watch: Watch | undefined;
  #timer: Timer | undefined;

  constructor(options: StorageObjectsOptions, listener: StoredObjectListener, from: 'state' | 'now') {
    this.#options = options;
    this.#from = from;
    this.#listener = listener;
    this.#prefix = `${escapeSegment(options.scope)}/`;
    this.#skipped = `${this.#prefix}events/`;
  }

  start(): void {
    this.#timer = undefined;
    this.#begin().catch((caught) => this.#retry(toError(caught)));
  }

  stop(): void {
    this.#stopping.abort();
    this.#timer?.cancel();
    this.#watch?.stop();
  }

  #isFollowed(key: string): boolean {
    return !key.startsWith(this.#skipped) && !isPrivateKey(key, this.#options.scope);
  }

  async #begin(): Promise<void> {
    if (this.#revision === 0) await this.#readState();
    if (this.#stopping.signal.aborted) return;
    this.#watch = this.#options.storage.watch(
      { ranges: [{ prefix: this.#prefix }], from: { after: this.#revision }, previous: true },
      {
        events: (events) => this.#events(events),
        progress: (revision) => {
          this.#failures = 0;
          this.#revision = Math.max(this.#revision, revision);
        },
        end: (reason) => this.#ended(reason),
      },
    );
  }

  async #readState(): Promise<void> {
    const { storage, clock } = this.#options;
    const { signal } = this.#stopping;
    if (this.#from === 'now') {
      this.#revision = await storage.revision();
      this.#listener.reset();
      this.#listener.synced();
      return;
    }
    this.#listener.reset();
    let state: Revision = 0;
    for await (const page of statePages(storage, this.#prefix, PAGE)) {
      if (state !== 0) await sleep(clock, 0, { signal });
      if (signal.aborted) return;
      for (const { key, value, revision } of page.items)
        if (this.#isFollowed(key)) this.#listener.put(value, revision, undefined);
      state = page.revision;
    }
    this.#listener.synced();
    this.#revision = state;
  }

  #events(events: readonly StorageEvent[]): void {
    this.#failures = 0;
    for (const event of events) {
      this.#revision = event.revision;
      if (!this.#isFollowed(event.key)) continue;
      if (event.type === 'put') this.#listener.put(event.value, event.revision, event.previous?.value);
      else this.#listener.delete(event.previous!.value, event.revision);
    }
  }

  #ended(end: WatchEnd): void {
    this.#watch = undefined;
    if (end.reason === 'failed') this.#retry(end.error);
    if (end.reason !== 'compacted') return;
    this.#revision = 0;
    this.start();
  }

  #retry(error: Error): void {
    if (this.#stopping.signal.aborted) return;
    this.#options.onTrouble(error);
    const delay = backoffDelay(RETRY, this.#failures++);
    this.#timer = this.#options.clock.setTimer(delay, () => this.start(), { background: true });
  }
}
