/**
 * A watch through a scoped store. It removes the prefix from the keys of events. The inner store keeps the events in
 * order and enforces the rules of the sink.
 */
import { Deferred } from '../base/deferred.ts';
import type { Revision, StorageEvent, Watch, WatchEnd, WatchSink } from './storage.ts';

export class ScopedWatch implements Watch, WatchSink {
  readonly #sink: WatchSink;
  readonly #prefixLength: number;
  readonly #onEnd: (watch: ScopedWatch) => void;
  #inner!: Watch;
  #closing = false;
  #ended = false;
  #waiting: { readonly revision: Revision; readonly done: Deferred<void> } | undefined;

  constructor(sink: WatchSink, prefixLength: number, onEnd: (watch: ScopedWatch) => void) {
    this.#sink = sink;
    this.#prefixLength = prefixLength;
    this.#onEnd = onEnd;
  }

  /** Begins the inner watch. Call it once, before any other method. */
  start(watch: (sink: WatchSink) => Watch): void {
    this.#inner = watch(this);
  }

  stop(): void {
    this.#inner.stop();
  }

  requestProgress(): void {
    this.#inner.requestProgress();
  }

  /** Ends the watch `closed`, because the scoped store is stopped. */
  close(): void {
    this.#closing = true;
    this.#inner.stop();
  }

  /** Resolves when all changes up to the revision have been delivered, or when the watch has ended. */
  async caughtUp(revision: Revision): Promise<void> {
    if (this.#ended) return;
    const done = new Deferred<void>();
    this.#waiting = { revision, done };
    this.#inner.requestProgress();
    await done.promise;
  }

  events(events: readonly StorageEvent[]): void {
    this.#sink.events(events.map((event) => this.#strip(event)));
  }

  progress(revision: Revision): void {
    this.#sink.progress(revision);
    if (this.#waiting !== undefined && revision >= this.#waiting.revision) this.#waiting.done.resolve();
  }

  end(reason: WatchEnd): void {
    this.#ended = true;
    this.#onEnd(this);
    this.#waiting?.done.resolve();
    this.#sink.end(this.#closing && reason.reason === 'stopped' ? { reason: 'closed' } : reason);
  }

  #strip(event: StorageEvent): StorageEvent {
    const key = event.key.slice(this.#prefixLength);
    const { previous } = event;
    return previous === undefined ? { ...event, key } : { ...event, key, previous: { ...previous, key } };
  }
}
