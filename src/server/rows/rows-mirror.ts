/**
 * The mirror of rows in memory: the encoded object and the row version of each key.
 * Invariant: the bytes and the version of a key change together, in one synchronous call.
 */
import type { Clock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { startCompactor } from '../../storage/compactor.ts';
import { StorageError } from '../../storage/errors.ts';
import type { MemoryRetention } from '../../storage/memory/history.ts';
import { createMirrorStorage, type MirrorStorage } from '../../storage/memory/memory-storage.ts';
import type { CompactorOptions, Revision } from '../../storage/storage.ts';

/** How long a request waits for the stream of changes of sequenced rows. */
const STREAM_TIMEOUT_MS = 10_000;

export interface MirrorOptions {
  readonly clock: Clock;
  readonly retention?: Partial<MemoryRetention>;
  readonly onTrouble: CompactorOptions['onError'];
}

/** One row of the mirror. */
export interface MirroredRow {
  readonly key: string;
  readonly value: Uint8Array;
  readonly version: string;
  /** The revision of the key. */
  readonly revision: Revision;
}

interface Waiter {
  holds(): boolean;
  readonly reached: Deferred<Revision>;
}

export class RowsMirror {
  readonly storage: MirrorStorage;
  readonly #clock: Clock;
  readonly #versions = new Map<string, string>();
  readonly #waiters = new Set<Waiter>();
  readonly #compactor: { stop(): Promise<void> };

  /** Begins at `revision` with these rows. */
  constructor(revision: Revision, rows: readonly MirroredRow[], options: MirrorOptions) {
    const { clock, retention, onTrouble } = options;
    this.#clock = clock;
    const items = this.#adopt(rows);
    this.storage = createMirrorStorage({ clock, revision, items, ...(retention && { retention }) });
    this.#compactor = startCompactor(this.storage, { clock, onError: onTrouble });
  }

  /** Replaces all rows. Watches end `compacted`. */
  restart(revision: Revision, rows: readonly MirroredRow[]): void {
    this.#versions.clear();
    this.storage.restart(revision, this.#adopt(rows));
    this.#wake();
  }

  *#adopt(
    rows: readonly MirroredRow[],
  ): Generator<{ key: string; value: Uint8Array; revision: number; created: number }> {
    for (const { key, value, version, revision } of rows) {
      this.#versions.set(key, version);
      yield { key, value, revision, created: revision };
    }
  }

  /** Returns the row version of a key; undefined if the mirror does not have the row. */
  version(key: string): string | undefined {
    return this.#versions.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#versions.keys();
  }

  /** Applies a committed row. `revision` is given for sequenced rows; default: the next revision. */
  put(key: string, value: Uint8Array, version: string, revision?: Revision): void {
    this.#versions.set(key, version);
    this.storage.apply([{ type: 'put', key, value }], revision);
    this.#wake();
  }

  remove(key: string, revision?: Revision): void {
    this.#versions.delete(key);
    this.storage.apply([{ type: 'delete', key }], revision);
    this.#wake();
  }

  /** Moves to a revision at which no row changed. */
  advance(revision: Revision): void {
    this.storage.apply([], revision);
    this.#wake();
  }

  /** Waits until the stream of changes has reached a revision. */
  async reach(revision: Revision): Promise<void> {
    await this.until(() => this.storage.revision() >= revision, `version ${revision}`);
  }

  /**
   * Waits until the condition is true; it is checked after each change of the mirror. Resolves with the revision of
   * that change. Rejects with StorageError(Unknown) after 10 s. `awaited` describes the condition in the message.
   */
  async until(holds: () => boolean, awaited: string): Promise<Revision> {
    if (holds()) return this.storage.revision();
    const waiter: Waiter = { holds, reached: new Deferred<Revision>() };
    this.#waiters.add(waiter);
    const timer = this.#clock.setTimer(STREAM_TIMEOUT_MS, () =>
      waiter.reached.reject(
        new StorageError('Unknown', `the changes of the rows have not shown ${awaited} within ${STREAM_TIMEOUT_MS} ms`),
      ),
    );
    try {
      return await waiter.reached.promise;
    } finally {
      timer.cancel();
      this.#waiters.delete(waiter);
    }
  }

  async stop(): Promise<void> {
    await this.#compactor.stop();
    await this.storage.stop();
  }

  #wake(): void {
    for (const waiter of this.#waiters) if (waiter.holds()) waiter.reached.resolve(this.storage.revision());
  }
}
