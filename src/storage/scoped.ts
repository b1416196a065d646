/**
 * A store for one part of another store: the keys that begin with a prefix. Callers see the keys without the prefix.
 * Invariant: a scoped store never reads, writes or watches a key outside of its prefix. Revisions, the horizon and the
 * history are those of the inner store: revisions have gaps where other keys were written, and `compact` compacts the
 * whole inner store.
 */
import { checkWatch } from './checks.ts';
import { type ForkableStorage, isForkable, type Snapshot } from './embedded-storage.ts';
import { isStorageError } from './errors.ts';
import { checkKey } from './keys.ts';
import { ScopedWatch } from './scoped-watch.ts';
import type { SeenState, Storage, Watch, WatchOptions, WatchSink, WriteOptions, WriteResult } from './storage.ts';
import { innerRange, type StorageMapping, WrappedStorage } from './wrapped-storage.ts';

/**
 * `prefix` is a valid key, usually `<scope>/`. The limit on the length of a key includes the prefix. stop() ends the
 * watches and snapshots that were made through the scoped store and leaves `storage` open. A fork owns its inner store
 * and stops it.
 */
export function scoped(storage: ForkableStorage, prefix: string): ForkableStorage;
export function scoped(storage: Storage, prefix: string): Storage;
export function scoped(storage: Storage, prefix: string): Storage {
  checkKey(prefix);
  return isForkable(storage)
    ? new ForkableScopedStorage(storage, prefix, false)
    : new ScopedStorage(storage, prefix, false);
}

class ScopedStorage extends WrappedStorage {
  protected readonly prefix: string;
  readonly #owned: boolean;
  readonly #watches = new Set<ScopedWatch>();

  constructor(inner: Storage, prefix: string, owned: boolean) {
    super(inner, withoutPrefix(prefix));
    this.prefix = prefix;
    this.#owned = owned;
  }

  watch(options: WatchOptions, sink: WatchSink): Watch {
    const inner = this.open();
    checkWatch(options);
    const watch = new ScopedWatch(sink, this.prefix.length, (ended) => this.#watches.delete(ended));
    const ranges = options.ranges.map((range) => innerRange(this.mapping, range));
    watch.start((innerSink) => inner.watch({ ...options, ranges }, innerSink));
    this.#watches.add(watch);
    return watch;
  }

  protected innerValue(_key: string, value: Uint8Array): Uint8Array {
    return value;
  }

  protected innerCompareAndWrite(
    key: string,
    seen: SeenState,
    value: Uint8Array,
    options: WriteOptions | undefined,
  ): Promise<WriteResult> {
    return this.inner.compareAndWrite(this.prefix + key, seen, value, options);
  }

  protected async close(inner: Storage): Promise<void> {
    await this.#deliverAll(inner);
    for (const watch of [...this.#watches]) watch.close();
    if (this.#owned) await inner.stop();
  }

  /** Waits until the watches have every event up to the current revision, so that stop() ends none too early. */
  async #deliverAll(inner: Storage): Promise<void> {
    if (this.#watches.size === 0) return;
    try {
      const revision = await inner.revision();
      await Promise.all([...this.#watches].map((watch) => watch.caughtUp(revision)));
    } catch (caught) {
      // The inner store is stopping too: it delivers and ends the watches itself.
      if (!isStorageError(caught, 'Closed')) throw caught;
    }
  }
}

class ForkableScopedStorage extends ScopedStorage implements ForkableStorage {
  override readonly embedded = true;
  readonly #forkable: ForkableStorage;

  constructor(inner: ForkableStorage, prefix: string, owned: boolean) {
    super(inner, prefix, owned);
    this.#forkable = inner;
  }

  fork(from?: Snapshot): ForkableStorage {
    this.open();
    return new ForkableScopedStorage(this.#forkable.fork(this.innerSnapshot(from)), this.prefix, true);
  }
}

function withoutPrefix(prefix: string): StorageMapping {
  const outerKey = (key: string): string => key.slice(prefix.length);
  return {
    name: 'scoped',
    innerKey: (key) => prefix + key,
    outerKey,
    outerItem: (item) => ({ ...item, key: outerKey(item.key) }),
  };
}
