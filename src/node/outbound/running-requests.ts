/** The running requests of an outbound client. Invariant: every started request is closed exactly once. */
import { abortReason, onAbort } from '../../base/abort.ts';
import { ArraySet, type ArraySetItem } from '../../base/array-set.ts';
import { TransportError, toError } from '../../base/errors.ts';
import type { RequestObserver, RunningRequest } from '../../server/http/outbound.ts';
import { STOPPED } from './errors.ts';
import type { Abort, RequestEvents } from './request-events.ts';

export interface RunOptions<T> {
  /** Sends the request. Throws for a header that HTTP does not allow. */
  readonly start: (events: RequestEvents<T>) => Abort;
  /** Returns the error that the call rejects with. */
  readonly wrap: (error: Error) => Error;
  readonly signal?: AbortSignal | undefined;
  readonly observer?: RequestObserver | undefined;
}

export class RunningRequests {
  readonly #running = new ArraySet<Running<unknown>>();
  #isStopped = false;

  /** Starts a request and keeps it abortable until it is closed. */
  run<T>(options: RunOptions<T>): Promise<T> {
    const { signal, wrap } = options;
    if (this.#isStopped) return Promise.reject(wrap(new TransportError(STOPPED)));
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    return new Promise((resolve, reject) => {
      const running = new Running<T>(this.#running, options, { resolve, reject });
      this.#running.add(running as Running<unknown>);
      running.start();
    });
  }

  /** Aborts all requests. Later ones fail. */
  stop(): void {
    this.#isStopped = true;
    this.#running.visitAll((running) => running.fail(new TransportError(STOPPED)));
  }
}

interface Settle<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

class Running<T> implements RequestEvents<T>, RunningRequest, ArraySetItem {
  index: number | undefined = undefined;
  readonly #all: ArraySet<Running<unknown>>;
  readonly #options: RunOptions<T>;
  readonly #settle: Settle<T>;
  #isSettled = false;
  #isClosed = false;
  #abort: Abort | undefined;
  #release: (() => void) | undefined;

  constructor(all: ArraySet<Running<unknown>>, options: RunOptions<T>, settle: Settle<T>) {
    this.#all = all;
    this.#options = options;
    this.#settle = settle;
  }

  start(): void {
    const { start, signal, observer } = this.#options;
    try {
      this.#abort = start(this);
    } catch (caught) {
      this.failed(toError(caught));
      this.#close();
      return;
    }
    // A body that fails at once ends its request.
    if (this.#isClosed) return;
    observer?.started(this);
    if (signal !== undefined) this.#release = onAbort(signal, (reason) => this.cancel(reason));
  }

  answered(value: T): void {
    this.#isSettled = true;
    this.#settle.resolve(value);
  }

  failed(error: Error): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settle.reject(this.#options.wrap(error));
  }

  closed(): void {
    this.#close();
  }

  cancel(reason: Error): void {
    if (!this.#isSettled) {
      this.#isSettled = true;
      this.#settle.reject(reason);
    }
    this.#abort?.(reason);
  }

  fail(error: Error): void {
    this.failed(error);
    this.#abort?.(error);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#all.delete(this as Running<unknown>);
    this.#release?.();
    this.#options.observer?.closed();
  }
}
