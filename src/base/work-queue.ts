/**
 * A queue of keys for control loops, with the semantics of client-go's workqueue and the priorities of
 * controller-runtime's priority queue.
 *
 * Invariants:
 * - A key is never handed out again before `done` was called for it.
 * - A key that is added while it is processed is handed out once more after `done`.
 * - A key has at most one pending hand-out, the earliest that was asked for. The queue therefore holds at most one
 *   entry per distinct key; it refuses nothing, and callers bound it by the number of objects they have.
 * - A key has the highest priority of the adds that its hand-out stands for. For the order see ReadyKeys.
 */
import { onAbort } from './abort.ts';
import type { AbortSignalLike } from './abort-signal.ts';
import { ItemBackoff, type RateLimiter } from './backoff.ts';
import type { Clock, Timer } from './clock.ts';
import { Deferred } from './deferred.ts';
import { BugError } from './errors.ts';
import type { Stoppable } from './lifetime.ts';
import { ReadyKeys } from './ready-keys.ts';

/** The priority of an add that names none. */
export const NORMAL_PRIORITY = 0;

/** The priority of initial lists and resyncs: such keys wait behind changes. controller-runtime's value. */
export const LOW_PRIORITY = -100;

/**
 * Observes the keys of a queue, for metrics. Methods are called synchronously; they must not throw and must not call
 * the queue.
 */
export interface WorkQueueObserver<K> {
  /**
   * Called when a key is added that was not ready, also while the key is processed. For a delayed key: when its delay
   * ends.
   */
  added(key: K): void;
  /** Called when `get` hands out the key. */
  handedOut(key: K): void;
  /** Called when `done` is called for the key. */
  done(key: K): void;
  /** Called when `addAfter` or `addRateLimited` is called for the key. */
  retried(key: K): void;
  /** Called when `stop` discards the keys that were added and not handed out. */
  discarded(): void;
}

export interface WorkQueueOptions<K> {
  readonly clock: Clock;
  /** Default: an ItemBackoff with DEFAULT_ITEM_BACKOFF. The queue owns it. */
  readonly rateLimiter?: RateLimiter<K>;
  /** Default: none. */
  readonly observer?: WorkQueueObserver<K>;
}

/** Keys are compared as Map keys are, so objects only equal themselves. `undefined` is not a key. */
export class WorkQueue<K = string> implements Stoppable {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter<K>;
  readonly #observer: WorkQueueObserver<K> | undefined;
  /** Keys to hand out. Disjoint from #processing. */
  readonly #ready = new ReadyKeys<K>();
  /** The keys that are processed, with the priority at which they were handed out. */
  readonly #processing = new Map<K, number>();
  /** The keys of #processing that become ready when they are done, with their priority. */
  readonly #again = new Map<K, number>();
  /** Keys that become ready later. Disjoint from #ready and #again. */
  readonly #delayed = new Map<K, { readonly due: number; readonly timer: Timer; readonly priority: number }>();
  /** Calls of `get` that wait, in order of arrival. */
  readonly #getters = new Set<Deferred<K | undefined>>();
  readonly #ended = new Deferred<void>();
  #state: 'open' | 'draining' | 'stopped' = 'open';

  constructor(options: WorkQueueOptions<K>) {
    this.#clock = options.clock;
    this.#rateLimiter = options.rateLimiter ?? new ItemBackoff();
    this.#observer = options.observer;
  }

  /** The number of keys that are ready to be handed out. Delayed keys and keys in processing do not count. */
  get length(): number {
    return this.#ready.size;
  }

  get stopped(): boolean {
    return this.#state === 'stopped';
  }

  /**
   * Makes the key ready now. Replaces a delayed add of the key. For a key that is ready already it only raises the
   * priority, if the new one is higher. Does nothing after `drain` or `stop`. A `get` that waits receives the key in a
   * microtask: adds of the same key in one synchronous run are one hand-out.
   */
  add(key: K, priority: number = NORMAL_PRIORITY): void {
    if (this.#state !== 'open') return;
    const delayed = this.#delayed.get(key);
    delayed?.timer.cancel();
    this.#delayed.delete(key);
    this.#addNow(key, delayed === undefined ? priority : Math.max(priority, delayed.priority));
  }

  /**
   * Makes the key ready once `delayMs` have passed; a delay of 0 or less is an `add`. If the key is pending already,
   * the earlier of the two times and the higher of the two priorities count. The timer does not keep the process alive.
   * Default priority: the one at which the key was handed out if it is processed, otherwise NORMAL_PRIORITY.
   */
  addAfter(key: K, delayMs: number, priority: number = this.priority(key)): void {
    if (this.#state !== 'open') return;
    this.#observer?.retried(key);
    if (delayMs <= 0) this.add(key, priority);
    else if (this.#isReady(key)) this.#addNow(key, priority);
    else this.#delay(key, delayMs, priority);
  }

  /**
   * Adds the key after the delay that the rate limiter sets. Call it after a failure and before `done`. A key that was
   * added again meanwhile is handed out without that delay, and this failure is not counted. For the default priority
   * see `addAfter`.
   */
  addRateLimited(key: K, priority: number = this.priority(key)): void {
    if (this.#state !== 'open') return;
    if (this.#isReady(key)) this.#addNow(key, priority);
    else this.addAfter(key, this.#rateLimiter.when(key), priority);
  }

  /** Returns the priority at which a key that is processed was handed out. NORMAL_PRIORITY for any other key. */
  priority(key: K): number {
    return this.#processing.get(key) ?? NORMAL_PRIORITY;
  }

  /** Clears the failures of the key. Call it after a success. Does not cancel a pending hand-out. */
  forget(key: K): void {
    this.#rateLimiter.forget(key);
  }

  /** Returns the number of failures that the rate limiter has counted for the key. */
  failures(key: K): number {
    return this.#rateLimiter.failures(key);
  }

  /**
   * Hands out the key that is next (see ReadyKeys), waiting for one if necessary. The caller owns the key until it
   * calls `done`. Concurrent calls are served in order of arrival. Resolves with undefined when the queue has stopped,
   * or has drained and hands out nothing more. Rejects with the signal's reason if the signal aborts first; no key is
   * lost then.
   */
  async get(options: { readonly signal?: AbortSignalLike } = {}): Promise<K | undefined> {
    options.signal?.throwIfAborted();
    if (this.#getters.size === 0 && this.#ready.size > 0) return this.#take();
    if (this.#isExhausted()) return undefined;
    const getter = new Deferred<K | undefined>();
    this.#getters.add(getter);
    const stopListening = onAbort(options.signal, (reason) => {
      if (this.#getters.delete(getter)) getter.reject(reason);
    });
    try {
      return await getter.promise;
    } finally {
      stopListening();
    }
  }

  /**
   * Ends the processing of a key. Call it once per key that `get` returned, whatever the outcome. Throws BugError
   * otherwise.
   */
  done(key: K): void {
    if (!this.#processing.delete(key)) throw new BugError(`the work queue did not hand out ${String(key)}`);
    this.#observer?.done(key);
    const again = this.#again.get(key);
    if (again !== undefined) {
      this.#again.delete(key);
      this.#makeReady(key, again);
    }
    this.#endIfExhausted();
  }

  /**
   * Accepts no more keys, cancels delayed adds, and hands out every key that is ready or was added again before this
   * call. Resolves once `done` was called for the last of them; that requires a consumer that keeps calling `get`.
   * A key that fails meanwhile is not retried. Equivalent to client-go's `ShutDownWithDrain`. A later `stop` discards
   * what is left.
   */
  drain(): Promise<void> {
    if (this.#state === 'open') this.#state = 'draining';
    this.#close();
    return this.#ended.promise;
  }

  /**
   * As `drain`, but discards the keys that are ready or were added again. Resolves when the keys in processing are
   * done.
   */
  stop(): Promise<void> {
    this.#state = 'stopped';
    this.#ready.clear();
    this.#again.clear();
    this.#observer?.discarded();
    this.#close();
    return this.#ended.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #isReady(key: K): boolean {
    return this.#ready.has(key) || this.#again.has(key);
  }

  /** Adds a key that is not delayed. */
  #addNow(key: K, priority: number): void {
    if (this.#observer !== undefined && !this.#isReady(key)) this.#observer.added(key);
    if (!this.#processing.has(key)) this.#makeReady(key, priority);
    else this.#again.set(key, Math.max(priority, this.#again.get(key) ?? priority));
  }

  #makeReady(key: K, priority: number): void {
    if (this.#ready.size === 0 && this.#getters.size > 0) queueMicrotask(() => this.#serveGetters());
    this.#ready.add(key, priority);
  }

  #serveGetters(): void {
    for (const getter of this.#getters) {
      if (this.#ready.size === 0) break;
      this.#getters.delete(getter);
      getter.resolve(this.#take());
    }
    this.#endIfExhausted();
  }

  #take(): K {
    const key = this.#ready.moveNext(this.#processing);
    this.#observer?.handedOut(key);
    return key;
  }

  #delay(key: K, delayMs: number, priority: number): void {
    const due = this.#clock.monotonic() + delayMs;
    const pending = this.#delayed.get(key);
    if (pending === undefined) {
      this.#delayed.set(key, { due, priority, timer: this.#setTimer(key, delayMs) });
      return;
    }
    const higher = Math.max(priority, pending.priority);
    if (pending.due > due) {
      pending.timer.cancel();
      this.#delayed.set(key, { due, priority: higher, timer: this.#setTimer(key, delayMs) });
    } else if (higher > pending.priority) this.#delayed.set(key, { ...pending, priority: higher });
  }

  #setTimer(key: K, delayMs: number): Timer {
    // The priority of the timer's own add must not count: that of the delayed key does.
    return this.#clock.setTimer(delayMs, () => this.add(key, Number.NEGATIVE_INFINITY), { background: true });
  }

  #close(): void {
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#endIfExhausted();
  }

  /** Reports whether no key is ready and none can become ready. */
  #isExhausted(): boolean {
    return this.#state !== 'open' && this.#ready.size === 0 && this.#again.size === 0;
  }

  #endIfExhausted(): void {
    if (!this.#isExhausted()) return;
    for (const getter of this.#getters) getter.resolve(undefined);
    this.#getters.clear();
    if (this.#processing.size === 0) this.#ended.resolve();
  }
}
