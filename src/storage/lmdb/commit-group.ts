/**
 * A group of requests that share one commit.
 * Invariant: they are decided and answered in the order of their arrival.
 */
import { Deferred } from '../../base/deferred.ts';
import type { Request } from './write-request.ts';

const MOST_BYTES = 8 * 2 ** 20;

export class CommitGroup {
  readonly requests: Request[] = [];
  /** The bytes of their values. */
  bytes = 0;
  /** The monotonic time at which the group became full. */
  fullAt: number | undefined;
  readonly #most: number;
  readonly #settled: Deferred<void> = new Deferred();

  /** `most` is the number of requests that make the group full. */
  constructor(most: number) {
    this.#most = most;
    // A group without requests only prunes, and nothing waits for it.
    this.#settled.promise.catch(() => {});
  }

  get isFull(): boolean {
    return this.requests.length >= this.#most || this.bytes >= MOST_BYTES;
  }

  /**
   * Adds a request. The promise resolves when the group is durable. All requests share it, because a promise for each
   * would be most of their garbage.
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
