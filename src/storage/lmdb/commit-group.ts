/**
 * A group of requests that share one commit.
 * Invariant: the requests are decided and answered in the order of their arrival.
 */
import { Deferred } from '../../base/deferred.ts';
import type { Request } from './write-request.ts';

const MOST_BYTES = 8 * 2 ** 20;

export class CommitGroup {
  readonly requests: Request[] = [];
  /** The bytes of the values of all requests. */
  bytes = 0;
  /** The monotonic time at which the group became full. */
  fullAt: number | undefined;
  readonly #most: number;
  readonly #settled: Deferred<void> = new Deferred();

  /** The group is full once it has `most` requests. */
  constructor(most: number) {
    this.#most = most;
    // A group without requests only prunes. Nobody waits for its promise, so a rejection must count as handled.
    this.#settled.promise.catch(() => {});
  }

  get isFull(): boolean {
    return this.requests.length >= this.#most || this.bytes >= MOST_BYTES;
  }

  /**
   * Adds a request. The promise resolves when the group is durable. All requests share one promise, because most
   * garbage of a request would otherwise be its promise.
   */
  join(request: Request, bytes: number): Promise<void> {
    this.requests.push(request);
    this.bytes += bytes;
    return this.#settled.promise;
  }

  resolve(): void {
    this.#settled.resolve();
  }

  reject(error: Error): void {
    this.#settled.reject(error);
  }
}
