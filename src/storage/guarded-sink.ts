/**
 * A sink whose owner need not think of its rules. Invariant: calls never overlap, `end` comes once and last, and a sink that throws is
 * ended with a BugError instead of harming its caller.
 */
import { BugError, toError } from '../base/errors.ts';
import type { Revision, StorageEvent, WatchEnd, WatchSink } from './storage.ts';

export class GuardedSink {
  readonly #sink: WatchSink;
  readonly #onEnd: () => void;
  #calling = false;
  #ending: WatchEnd | undefined;
  #ended = false;

  /** `onEnd` runs once, right before the sink hears of the end. */
  constructor(sink: WatchSink, onEnd: () => void) {
    this.#sink = sink;
    this.#onEnd = onEnd;
  }

  /** The end has come, or comes as soon as the call under way returns: nothing else is passed on. */
  get over(): boolean {
    return this.#ending !== undefined;
  }

  events(events: readonly StorageEvent[]): void {
    this.#call(() => this.#sink.events(events));
  }

  progress(revision: Revision): void {
    this.#call(() => this.#sink.progress(revision));
  }

  /** Ends now, or after the call that is under way. Later calls do nothing. */
  finish(reason: WatchEnd): void {
    this.#ending ??= reason;
    if (this.#calling || this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    try {
      this.#sink.end(this.#ending);
    } catch {
      // A sink that throws at its end has nobody left to tell: the watch is over for everyone else.
    }
  }

  #call(call: () => void): void {
    if (this.#ending !== undefined) return;
    this.#calling = true;
    try {
      call();
    } catch (caught) {
      const cause = toError(caught);
      this.#ending = { reason: 'failed', error: new BugError(`a watch sink threw: ${cause.message}`, { cause }) };
    } finally {
      this.#calling = false;
    }
    if (this.#ending !== undefined) this.finish(this.#ending);
  }
}
