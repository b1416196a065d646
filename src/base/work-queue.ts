/**
 * A queue of keys for control loops, with the semantics of client-go's workqueue.
 *
 * Invariants:
 * - A key is never handed out again before `done` was called for it.
 * - A key that is added while it is processed is handed out once more after `done`.
 * - A key has at most one pending hand-out, the earliest that was asked for. The queue therefore holds at most one
 *   entry per distinct key; it refuses nothing, and callers bound it by the number of objects they have.
 */
import { onAbort } from './abort.ts';
import { ItemBackoff, type RateLimiter } from './backoff.ts';
import type { Clock, Timer } from './clock.ts';
import { Deferred } from './deferred.ts';
import { BugError } from './errors.ts';
import type { Stoppable } from './lifetime.ts';

export interface WorkQueueOptions<K> {
  readonly clock: Clock;
  /** Default: an ItemBackoff with DEFAULT_ITEM_BACKOFF. The queue owns it. */
  readonly rateLimiter?: RateLimiter<K>;
}

/** Keys are compared as Map keys are, so objects only equal themselves. `undefined` is not a key. */
export class WorkQueue<K = string> implements Stoppable {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter<K>;
  /** Keys to hand out, in the order in which they became ready. Disjoint from #processing. */
  readonly #ready = new Set<K>();
  readonly #processing = new Set<K>();
  /** The keys of #processing that become ready when they are done. */
  readonly #again = new Set<K>();
  /** Keys that become ready later. Disjoint from #ready and #again. */
  readonly #delayed = new Map<K, { readonly due: number; readonly timer: Timer }>();
  /** Calls of `get` that wait, in order of arrival. */
  readonly #getters = new Set<Deferred<K | undefined>>();
  readonly #ended = new Deferred<void>();
  #state: 'open' | 'draining' | 'stopped' = 'open';

  constructor(options: WorkQueueOptions<K>) {
    this.#clock = options.clock;
    this.#rateLimiter = options.rateLimiter ?? new ItemBackoff();
  }

  /** The number of keys that are ready to be handed out. Delayed keys and keys in processing do not count. */
  get length(): number {
    return this.#ready.size;
  }

  get stopped(): boolean {
    return this.#state === 'stopped';
  }

  /**
   * Makes the key ready now. Replaces a delayed add of the key. Does nothing if the key is ready already, or after
   * `drain` or `stop`. A `get` that waits receives the key in a microtask: adds of the same key in one synchronous run
   * are one hand-out.
   */
  add(key: K): void {
    if (this.#state !== 'open') return;
    this.#delayed.get(key)?.timer.cancel();
    this.#delayed.delete(key);
    if (this.#processing.has(key)) this.#again.add(key);
    else this.#makeReady(key);
  }

  /**
   * Makes the key ready once `delayMs` have passed; a delay of 0 or less is an `add`. If the key is pending already,
   * the earlier of the two times counts. The timer does not keep the process alive.
   */
  addAfter(key: K, delayMs: number): void {
    if (delayMs <= 0) this.add(key);
    else if (this.#state === 'open' && !this.#isReady(key)) this.#delay(key, delayMs);
  }

  /**
   * Adds the key after the delay that the rate limiter sets. Call it after a failure and before `done`. A key that was
   * added again meanwhile is handed out without that delay, and this failure is not counted.
   */
  addRateLimited(key: K): void {
    if (this.#state === 'open' && !this.#isReady(key)) this.addAfter(key, this.#rateLimiter.when(key));
  }

  /** Clears the failures of the key. Call it after a success. Does not cancel a pending hand-out. */
  forget(key: K): void {
    this.#rateLimiter.forget(key);
  }

  /** The number of failures that the rate limiter has counted for the key. */
  failures(key: K): number {
    return this.#rateLimiter.failures(key);
  }

  /**
   * Hands out the key that has been ready longest, waiting for one if necessary. The caller owns the key until it calls
   * `done`. Concurrent calls are served in order of arrival. Resolves with undefined when the queue has stopped, or has
   * drained and hands out nothing more. Rejects with the signal's reason if the signal aborts first; no key is lost
   * then.
   */
  async get(options: { readonly signal?: AbortSignal } = {}): Promise<K | undefined> {
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
    if (this.#again.delete(key)) this.#makeReady(key);
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
    this.#close();
    return this.#ended.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #isReady(key: K): boolean {
    return this.#ready.has(key) || this.#again.has(key);
  }

  #makeReady(key: K): void {
    if (this.#ready.size === 0 && this.#getters.size > 0) queueMicrotask(() => this.#serveGetters());
    this.#ready.add(key);
  }

  #serveGetters(): void {
    for (const getter of this.#getters) {
      if (this.#ready.size === 0) break;
      this.#getters.delete(getter);
      getter.resolve(this.#take());
    }
    this.#endIfExhausted();
  }

  /** Moves the first ready key to #processing. */
  #take(): K {
    const key = this.#ready.values().next().value as K;
    this.#ready.delete(key);
    this.#processing.add(key);
    return key;
  }

  #delay(key: K, delayMs: number): void {
    const due = this.#clock.monotonic() + delayMs;
    const pending = this.#delayed.get(key);
    if (pending !== undefined && pending.due <= due) return;
    pending?.timer.cancel();
    const timer = this.#clock.setTimer(delayMs, () => this.add(key), { background: true });
    this.#delayed.set(key, { due, timer });
  }

  #close(): void {
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#endIfExhausted();
  }

  /** No key is ready, and none can become ready. */
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
