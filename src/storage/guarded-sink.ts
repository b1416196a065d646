/**
 * A wrapper of a `WatchSink` that enforces its rules for a driver.
 * Invariants: calls never overlap; `end` is called once and last; a sink that throws ends with a BugError, and its
 * caller is not affected.
 */
import { BugError, toError } from '../base/errors.ts';
import type { Revision, StorageEvent, WatchEnd, WatchSink } from './storage.ts';

export class GuardedSink {
  readonly #sink: WatchSink;
  readonly #onEnd: () => void;
  readonly #onFailure: (error: Error) => void;
  #calling = false;
  #ending: WatchEnd | undefined;
  #ended = false;

  /**
   * `onEnd` is called once, right before the sink's `end`. `onFailure` is called with the error if the sink's `end`
   * throws; the default ignores the error.
   */
  constructor(sink: WatchSink, onEnd: () => void, onFailure: (error: Error) => void = () => {}) {
    this.#sink = sink;
    this.#onEnd = onEnd;
    this.#onFailure = onFailure;
  }

  /** Whether the watch has ended, or ends when the running call returns. No further call is passed on. */
  get over(): boolean {
    return this.#ending !== undefined;
  }

  events(events: readonly StorageEvent[]): void {
    if (this.#ending !== undefined) return;
    this.#calling = true;
    try {
      this.#sink.events(events);
    } catch (caught) {
      this.#threw(caught);
    }
    this.#called();
  }

  /** Whether the sink wants calls of `prepare`. */
  get prepares(): boolean {
    return this.#sink.prepare !== undefined;
  }

  prepare(events: readonly StorageEvent[]): void {
    if (this.#ending !== undefined) return;
    this.#calling = true;
    try {
      this.#sink.prepare?.(events);
    } catch (caught) {
      this.#threw(caught);
    }
    this.#called();
  }

  progress(revision: Revision): void {
    if (this.#ending !== undefined) return;
    this.#calling = true;
    try {
      this.#sink.progress(revision);
    } catch (caught) {
      this.#threw(caught);
    }
    this.#called();
  }

  /** Ends the watch now, or after the running call. Later calls do nothing. */
  finish(reason: WatchEnd): void {
    this.#ending ??= reason;
    if (this.#calling || this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    try {
      this.#sink.end(this.#ending);
    } catch (caught) {
      this.#onFailure(new BugError('a watch sink threw from end', { cause: toError(caught) }));
    }
  }

  #threw(caught: unknown): void {
    const cause = toError(caught);
    this.#ending = { reason: 'failed', error: new BugError(`a watch sink threw: ${cause.message}`, { cause }) };
  }

  #called(): void {
    this.#calling = false;
    if (this.#ending !== undefined) this.finish(this.#ending);
  }
}
