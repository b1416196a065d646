/**
 * The feed of a mirror. It lists the rows, and then follows them by their stream of changes or by polling. Failures are
 * retried with backoff until the feed is stopped.
 * Invariant: the elements of a stream are applied one after the other. A cursor is stored only after its element was
 * applied.
 */
import { onAbort } from '../../base/abort.ts';
import { type BackoffPolicy, backoffDelay } from '../../base/backoff.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { isStorageError, StorageError } from '../../storage/errors.ts';
import { DEFAULT_POLL_INTERVAL_MS, type ReadOnlyRows, type Row, type RowChange } from './rows.ts';

const RETRY: BackoffPolicy = { initialMs: 100, capMs: 5000 };
/** A stream whose first `position` does not arrive within this time is opened again. */
const POSITION_TIMEOUT_MS = 30_000;

export type RowSource = AsyncIterable<Row<JsonObject>> | Iterable<Row<JsonObject>>;

/** The receiver of a feed. Calls never overlap. */
export interface FeedTarget {
  /** Called with a list of all rows: the first list, a list after a gap, or a poll. Rejects if the source throws. */
  listed(rows: () => Promise<RowSource>): Promise<void>;
  /**
   * Called instead of `listed` for sequenced rows. `position` is the position of the stream before the list; `next`
   * returns the next element of the stream.
   */
  sequenced(rows: () => Promise<RowSource>, position: string, next: () => Promise<RowChange>): Promise<void>;
  /** Called with each element of the stream, in order. */
  changed(change: Exclude<RowChange, { readonly type: 'too-old' }>): Promise<void>;
}

export interface RowsFeedOptions {
  readonly rows: ReadOnlyRows<JsonObject>;
  readonly clock: Clock;
  readonly target: FeedTarget;
  /** Called for every failure, before it is retried. */
  onTrouble(error: Error): void;
}

export class RowsFeed {
  readonly #options: RowsFeedOptions;
  readonly #abort = new AbortController();
  /** Settles with the current attempt. */
  #attempt = new Deferred<void>();
  #isLoaded = false;
  #failures = 0;
  #cursor: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: RowsFeedOptions) {
    this.#options = options;
  }

  /**
   * Starts the feed. Resolves when the rows are listed. Rejects if the current attempt fails; the feed then tries
   * again.
   */
  load(): Promise<void> {
    this.#running ??= this.#run();
    return this.#attempt.promise;
  }

  /** Stops the feed. Resolves when no call of the rows or the target is running. */
  async stop(): Promise<void> {
    this.#abort.abort(new StorageError('Closed', 'the rows are stopped'));
    this.#running ??= Promise.resolve();
    await this.#running;
    this.#fail(new StorageError('Closed', 'the rows are stopped'));
  }

  async #run(): Promise<void> {
    const { clock, onTrouble } = this.#options;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      const failure = await this.#connect().then(() => undefined, toError);
      if (signal.aborted) return;
      if (failure === undefined) continue;
      onTrouble(failure);
      this.#fail(failure);
      await sleep(clock, backoffDelay(RETRY, this.#failures++), { signal }).catch(() => {});
      if (!this.#isLoaded) this.#attempt = new Deferred<void>();
    }
  }

  #fail(error: Error): void {
    this.#attempt.promise.catch(() => {}); // the callers of load() handle the rejection
    if (this.#isLoaded) return;
    const message = `the rows cannot be listed: ${error.message}`;
    const isClosed = isStorageError(error, 'Closed');
    this.#attempt.reject(isClosed ? error : new StorageError('Unavailable', message, { cause: error }));
  }

  #loaded(): void {
    this.#isLoaded = true;
    this.#failures = 0;
    this.#attempt.resolve();
  }

  /** Follows the rows until a call fails. Resolves if the position of the stream was too old. */
  async #connect(): Promise<void> {
    const { rows } = this.#options;
    if (rows.changes === undefined) await this.#poll();
    else await this.#follow(rows.changes(this.#cursor, this.#abort.signal)[Symbol.asyncIterator]());
  }

  async #poll(): Promise<void> {
    const { rows, clock, target } = this.#options;
    const { signal } = this.#abort;
    const intervalMs = rows.pollIntervalMs ?? DEFAULT_POLL_INTERVAL_MS;
    while (!signal.aborted) {
      await target.listed(() => this.#list());
      this.#loaded();
      if (intervalMs === Number.POSITIVE_INFINITY) await this.#orStopped();
      else await sleep(clock, intervalMs, { signal });
    }
  }

  async #follow(stream: AsyncIterator<RowChange>): Promise<void> {
    try {
      if (this.#cursor === undefined) await this.#listAlong(stream);
      for (;;) {
        const change = await this.#next(stream);
        if (change.type === 'too-old') {
          this.#cursor = undefined;
          return;
        }
        await this.#options.target.changed(change);
        this.#failures = 0;
        this.#cursor = change.cursor ?? this.#cursor;
      }
    } finally {
      // Do not wait: a stream that ignores the signal may never end.
      void stream.return?.()?.then(undefined, () => {});
    }
  }

  /**
   * Lists the rows after the stream has delivered its position, so that no change is missed between the list and the
   * stream.
   */
  async #listAlong(stream: AsyncIterator<RowChange>): Promise<void> {
    const { rows, clock, target } = this.#options;
    const late = new Deferred<never>();
    late.promise.catch(() => {});
    const timer = clock.setTimer(POSITION_TIMEOUT_MS, () => late.reject(noPosition()));
    const first = await Promise.race([this.#next(stream), late.promise]).finally(() => timer.cancel());
    if (first.type !== 'position') throw noPosition();
    if (rows.sequenced)
      await target.sequenced(
        () => this.#list(),
        first.cursor,
        () => this.#next(stream),
      );
    else await target.listed(() => this.#list());
    this.#cursor = first.cursor;
    this.#loaded();
  }

  async #list(): Promise<RowSource> {
    return this.#options.rows.list();
  }

  async #next(stream: AsyncIterator<RowChange>): Promise<RowChange> {
    const result = await this.#orStopped(stream.next());
    if (result.done === true) throw new StorageError('Unavailable', 'the stream of changes of the rows ended');
    return result.value;
  }

  /** Waits for `result`, but rejects as soon as the feed is stopped. Leaves no listener behind. */
  async #orStopped<T>(result?: Promise<T>): Promise<T> {
    const stopped = new Deferred<never>();
    const stopListening = onAbort(this.#abort.signal, (reason) => stopped.reject(reason));
    try {
      return await (result === undefined ? stopped.promise : Promise.race([result, stopped.promise]));
    } finally {
      stopListening();
    }
  }
}

function noPosition(): StorageError {
  return new StorageError('Unavailable', "the stream of changes of the rows did not begin with a 'position' element");
}
