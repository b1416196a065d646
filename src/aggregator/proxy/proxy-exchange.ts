/**
 * One request on its way through the proxy.
 * Invariant: the request to the server behind the proxy ends when the client leaves, and at its deadline.
 */
import { TransportError } from '../../base/errors.ts';
import type { Deadline, Deadlines } from '../../server/deadlines.ts';
import type { RequestObserver, RunningRequest } from '../../server/http/outbound.ts';

export class ProxyExchange implements RequestObserver, Deadline {
  index: number | undefined = undefined;
  readonly deadline: number;
  readonly #deadlines: Deadlines;
  readonly #onLate: () => Error;
  #running: RunningRequest | undefined;
  #reason: Error | undefined;

  /**
   * `deadline` is Infinity for a request without a time limit, such as a watch. `onLate` makes the error of a request
   * that has no response at the deadline.
   */
  constructor(deadlines: Deadlines, deadline: number, onLate: () => Error) {
    this.deadline = deadline;
    this.#deadlines = deadlines;
    this.#onLate = onLate;
  }

  started(running: RunningRequest): void {
    this.#running = running;
    if (this.#reason !== undefined) running.cancel(this.#reason);
    else if (this.deadline !== Number.POSITIVE_INFINITY) this.#deadlines.add(this);
  }

  closed(): void {
    this.#running = undefined;
    this.#deadlines.delete(this);
  }

  /** Called when the exchange has become a tunnel, which has no deadline. */
  keepOpen(): void {
    this.#deadlines.delete(this);
  }

  expire(): void {
    this.#cancel(this.#onLate());
  }

  /** Called when the client leaves before the answer is complete. */
  leave(): void {
    this.#cancel(new TransportError('context canceled'));
  }

  #cancel(reason: Error): void {
    this.#reason ??= reason;
    this.#running?.cancel(reason);
  }
}
