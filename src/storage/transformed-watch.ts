/**
 * A watch through a transformed store. While an asynchronous transformer works, later calls are queued. The watch ends
 * `failed` if more than `maxWaitingEvents` events are queued.
 * Invariant: calls reach the sink in the order in which the inner store made them.
 */
import { Deferred } from '../base/deferred.ts';
import { toError } from '../base/errors.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { StorageError } from './errors.ts';
import { GuardedSink } from './guarded-sink.ts';
import type { Revision, StorageEvent, Watch, WatchEnd, WatchSink } from './storage.ts';

type Call =
  | { readonly type: 'events'; readonly events: readonly StorageEvent[] }
  | { readonly type: 'progress'; readonly revision: Revision }
  | { readonly type: 'end'; readonly reason: WatchEnd };

export interface TransformedWatchOptions {
  readonly maxWaitingEvents: number;
  decode(events: readonly StorageEvent[]): MaybePromise<readonly StorageEvent[]>;
  onEnd(watch: TransformedWatch): void;
}

export class TransformedWatch implements Watch, WatchSink {
  readonly #sink: GuardedSink;
  readonly #options: TransformedWatchOptions;
  readonly #drained = new Deferred<void>();
  #inner!: Watch;
  #queue: Call[] = [];
  #waitingEvents = 0;
  #busy = false;

  constructor(sink: WatchSink, options: TransformedWatchOptions) {
    this.#options = options;
    this.#sink = new GuardedSink(sink, () => {
      this.#queue = [];
      this.#options.onEnd(this);
      this.#drained.resolve();
      this.#inner.stop();
    });
  }

  /** Begins the inner watch. Call it once, before any other method. */
  start(watch: (sink: WatchSink) => Watch): void {
    this.#inner = watch(this);
  }

  /** Resolves when the watch has ended. */
  get ended(): Promise<void> {
    return this.#drained.promise;
  }

  stop(): void {
    this.#sink.finish({ reason: 'stopped' });
  }

  requestProgress(): void {
    if (!this.#sink.over) this.#inner.requestProgress();
  }

  events(events: readonly StorageEvent[]): void {
    this.#take({ type: 'events', events });
  }

  progress(revision: Revision): void {
    this.#take({ type: 'progress', revision });
  }

  end(reason: WatchEnd): void {
    this.#take({ type: 'end', reason });
  }

  #take(call: Call): void {
    if (this.#sink.over) return;
    if (!this.#busy && this.#queue.length === 0 && call.type === 'events') {
      this.#pass(call.events);
      return;
    }
    this.#queue.push(call);
    if (call.type === 'events') this.#waitingEvents += call.events.length;
    if (!this.#busy) {
      this.#run();
      return;
    }
    if (this.#waitingEvents > this.#options.maxWaitingEvents) {
      const error = new StorageError(
        'Unavailable',
        `a watch fell ${this.#waitingEvents} events behind in transforming`,
      );
      this.#sink.finish({ reason: 'failed', error });
    }
  }

  /** Passes queued calls to the sink, until one has to wait for the transformer. */
  #run(): void {
    for (let call = this.#queue.shift(); call !== undefined; call = this.#queue.shift()) {
      if (call.type === 'progress') this.#sink.progress(call.revision);
      else if (call.type === 'end') this.#sink.finish(call.reason);
      else {
        this.#waitingEvents -= call.events.length;
        if (!this.#pass(call.events)) return;
      }
    }
  }

  /** Passes events to the sink. Returns false if it first has to wait for the transformer. */
  #pass(events: readonly StorageEvent[]): boolean {
    let decoded: MaybePromise<readonly StorageEvent[]>;
    try {
      decoded = this.#options.decode(events);
    } catch (caught) {
      this.#sink.finish({ reason: 'failed', error: toError(caught) });
      return true;
    }
    if (!isPromise(decoded)) {
      this.#sink.events(decoded);
      return true;
    }
    this.#busy = true;
    decoded.then(
      (ready) => this.#resume(() => this.#sink.events(ready)),
      (caught: unknown) => this.#resume(() => this.#sink.finish({ reason: 'failed', error: toError(caught) })),
    );
    return false;
  }

  #resume(deliver: () => void): void {
    this.#busy = false;
    deliver();
    this.#run();
  }
}
