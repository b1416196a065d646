/**
 * The Storage over rows. Reads and watches use a mirror in memory. Writes go to the rows first, and are applied to the
 * mirror once the rows have them. The feed applies the changes of other writers.
 *
 * Invariants
 * - The mirror never shows a write that the rows do not have, and a write is acknowledged only when both have it.
 * - At most one write per key is passed to the rows at a time.
 * - A write of the rows that throws is acknowledged only if the row, read again, shows the write.
 *
 * It differs from other stores in three ways: the first revision depends on the clock, or on the sequence of the rows;
 * there is no time to live; a transaction has exactly one write, and checks only the key of that write.
 */
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { checkRevision, checkTransaction, checkWatch, checkWrite } from '../../storage/checks.ts';
import {
  type EmbeddedStorage,
  LIMITS,
  type Snapshot,
  type Transaction,
  type TransactionResult,
} from '../../storage/embedded-storage.ts';
import { StorageError } from '../../storage/errors.ts';
import { checkKey, type KeyRange } from '../../storage/keys.ts';
import type { MemoryRetention } from '../../storage/memory/history.ts';
import type {
  CreateOptions,
  DeleteResult,
  GetResult,
  ListOptions,
  ListResult,
  ReadOptions,
  Revision,
  SeenState,
  Storage,
  StorageLimits,
  Watch,
  WatchOptions,
  WatchSink,
  WriteOptions,
  WriteResult,
} from '../../storage/storage.ts';
import { KeyedTurns } from './keyed-turns.ts';
import { LateWatch } from './late-watch.ts';
import type { RowCodec } from './row-codec.ts';
import { isWritable, type ReadOnlyRows } from './rows.ts';
import { RowsFeed } from './rows-feed.ts';
import { RowsMirror } from './rows-mirror.ts';
import { RowsTarget } from './rows-target.ts';
import { RowsWriter } from './rows-writer.ts';

export interface RowsStorageOptions {
  /** The storage stops the rows when it is stopped. */
  readonly rows: ReadOnlyRows<JsonObject>;
  readonly codec: RowCodec;
  readonly clock: Clock;
  /** Called for failures outside of requests, which the storage retries itself. */
  onTrouble(error: Error): void;
  /** How much history the mirror keeps. Default: as in the memory store. */
  readonly retention?: Partial<MemoryRetention>;
  /**
   * Returns the first revision of this epoch, which must be above all revisions of earlier epochs. Default:
   * microseconds since 1970, which leaves room for 1,000 writes per millisecond until the next start. Not called if the
   * rows are sequenced.
   */
  firstRevision?(): Revision;
}

/** Creates the storage. It starts with its first use. */
export function createRowsStorage(options: RowsStorageOptions): Storage {
  return new RowsStorage(options);
}

class RowsStorage implements EmbeddedStorage {
  readonly driver = 'rows';
  readonly embedded = true;
  readonly limits: StorageLimits = LIMITS;
  readonly #options: RowsStorageOptions;
  readonly #target: RowsTarget;
  readonly #feed: RowsFeed;
  readonly #turns = new KeyedTurns();
  readonly #writes = new Set<Promise<unknown>>();
  readonly #lateWatches = new Set<LateWatch>();
  #mirror: RowsMirror | undefined;
  #writer: RowsWriter | undefined;
  #closed = false;
  #stopping: Promise<void> | undefined;

  constructor(options: RowsStorageOptions) {
    this.#options = options;
    const { rows, codec, clock, onTrouble } = options;
    this.#target = new RowsTarget({
      rows,
      codec,
      mirror: () => this.#mirror,
      restart: (revision, items) => {
        if (this.#mirror === undefined) this.#mirror = new RowsMirror(revision, items, options);
        else this.#mirror.restart(revision, items);
      },
      firstRevision: options.firstRevision ?? (() => Math.floor(clock.now() * 1000)),
      isBusy: (key) => this.#turns.isTaken(key),
      inTurn: (key, task) => this.#turns.run(key, task),
      onTrouble,
    });
    this.#feed = new RowsFeed({ rows, clock, target: this.#target, onTrouble });
  }

  revision(): MaybePromise<Revision> {
    return andThen(this.#loaded(), (mirror) => mirror.storage.revision());
  }

  /**
   * Reads the row from the rows, so that the result includes every committed write of other writers. A get at a
   * revision, and a get of rows that only this server writes, use the mirror only.
   */
  get(key: string, options?: ReadOptions): MaybePromise<GetResult> {
    return andThen(this.#loaded(), (mirror): MaybePromise<GetResult> => {
      const { rows } = this.#options;
      const isOwn = rows.changes === undefined && rows.pollIntervalMs === Number.POSITIVE_INFINITY;
      if (isOwn || options?.revision !== undefined) return mirror.storage.get(key, options);
      checkKey(key);
      return this.#target.catchUp(mirror, key).then(() => mirror.storage.get(key, options));
    });
  }

  list(range: KeyRange, options?: ListOptions): MaybePromise<ListResult> {
    return andThen(this.#loaded(), (mirror) => mirror.storage.list(range, options));
  }

  horizon(): Revision {
    return this.#present().storage.horizon();
  }

  oldestRevision(): Revision {
    return this.#present().storage.oldestRevision();
  }

  snapshot(): MaybePromise<Snapshot> {
    return andThen(this.#loaded(), (mirror) => mirror.storage.snapshot());
  }

  async compact(revision: Revision): Promise<void> {
    const mirror = await this.#loaded();
    await mirror.storage.compact(revision);
  }

  watch(options: WatchOptions, sink: WatchSink): Watch {
    this.#assertOpen();
    checkWatch(options);
    const mirror = this.#mirror;
    if (mirror !== undefined) return mirror.storage.watch(options, sink);
    const watch = new LateWatch(options, sink, (ended) => this.#lateWatches.delete(ended));
    this.#lateWatches.add(watch);
    this.#feed.load().then(
      () => watch.begin(this.#mirror!.storage),
      (caught) => watch.fail(toError(caught)),
    );
    return watch;
  }

  create(key: string, value: Uint8Array, options: CreateOptions = {}): Promise<WriteResult> {
    return this.#write(key, undefined, value, options);
  }

  compareAndWrite(
    key: string,
    seen: SeenState | undefined,
    value: Uint8Array,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    return this.#write(key, seen, value, { ...options, followedBy: undefined });
  }

  #write(key: string, seen: SeenState | undefined, value: Uint8Array, options: CreateOptions): Promise<WriteResult> {
    const check = (): void => {
      checkWrite(key, seen, value, options);
      if (options.ttlMs !== undefined) throw new StorageError('InvalidArgument', 'rows have no time to live', { key });
    };
    return this.#submit(key, check, async (writer) => {
      const result = await writer.put(key, seen?.revision ?? 0, value);
      if (result.outcome === 'ok' && options.followedBy !== undefined)
        await writer.put(key, result.revision, options.followedBy);
      return result;
    });
  }

  delete(key: string, options: { readonly expected?: Revision } = {}): Promise<DeleteResult> {
    const check = (): void => {
      checkKey(key);
      if (options.expected !== undefined) checkRevision(options.expected);
    };
    return this.#submit(key, check, (writer) => writer.remove(key, options.expected));
  }

  transact(transaction: Transaction): Promise<TransactionResult> {
    const { checks, writes } = transaction;
    const [write] = writes;
    const check = (): void => {
      checkTransaction(transaction);
      if (writes.length > 1 || (write !== undefined && checks.some(({ key }) => key !== write.key)))
        throw new StorageError('InvalidArgument', 'a transaction of rows has one write, and checks of its key only');
      if (write?.type === 'put' && write.ttlMs !== undefined)
        throw new StorageError('InvalidArgument', 'rows have no time to live', { key: write.key });
    };
    if (write === undefined) {
      return this.#track(async () => {
        check();
        return (await this.#loaded()).storage.transact(transaction);
      });
    }
    return this.#submit(write.key, check, (writer) => writer.transact(checks, write));
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    this.#closed = true;
    // Wait for writes before the feed is stopped: writes of sequenced rows need the feed.
    await Promise.allSettled(this.#writes);
    await this.#feed.stop();
    for (const watch of [...this.#lateWatches]) watch.close();
    await this.#mirror?.stop();
    await this.#options.rows.stop?.();
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageError('Closed', 'the rows are stopped');
  }

  /**
   * Returns the mirror, as a promise while the rows are not listed yet. Rejects with Unavailable if they cannot be
   * listed.
   */
  #loaded(): MaybePromise<RowsMirror> {
    this.#assertOpen();
    return this.#mirror ?? this.#feed.load().then(() => this.#mirror!);
  }

  #present(): RowsMirror {
    this.#assertOpen();
    if (this.#mirror === undefined) throw new StorageError('Unavailable', 'the rows have not been listed yet');
    return this.#mirror;
  }

  #track<R>(task: () => Promise<R>): Promise<R> {
    const result = task();
    this.#writes.add(result);
    const done = (): void => void this.#writes.delete(result);
    result.then(done, done);
    return result;
  }

  /** Runs a write in the turn of its key. */
  #submit<R>(key: string, check: () => void, write: (writer: RowsWriter) => Promise<R>): Promise<R> {
    return this.#track(async (): Promise<R> => {
      this.#assertOpen();
      check();
      const { rows, codec } = this.#options;
      if (!isWritable(rows)) throw new StorageError('ReadOnly', 'the rows can only be read', { key });
      const mirror = await this.#loaded();
      this.#writer ??= new RowsWriter({
        mirror,
        rows,
        codec,
        refresh: (changed) => this.#target.refreshInTurn(mirror, changed),
      });
      const writer = this.#writer;
      return this.#turns.run(key, async () => {
        this.#target.noteWrite(key);
        try {
          return await write(writer);
        } finally {
          this.#target.noteWrite(key);
        }
      });
    });
  }
}
