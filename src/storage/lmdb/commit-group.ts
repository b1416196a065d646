/** Requests that share one commit. Invariant: they are decided and answered in the order of their arrival. */
import { Deferred } from '../../base/deferred.ts';
import type { Request } from './write-request.ts';

// Deciding a group holds the event loop: a few microseconds for each request, and the copying of its bytes.
const MOST_REQUESTS = 4096;
const MOST_BYTES = 8 * 2 ** 20;

export class CommitGroup {
  readonly requests: Request[] = [];
  /** Bytes of their values. */
  bytes = 0;
  readonly #settled: Deferred<void> = new Deferred();

  constructor() {
    // Nobody may be waiting: a group can be for forgetting alone.
    this.#settled.promise.catch(() => {});
  }

  get isFull(): boolean {
    return this.requests.length >= MOST_REQUESTS || this.bytes >= MOST_BYTES;
  }

  /**
   * Resolves when the group is durable. One promise for all who wait: a pair of functions for each would be most of
   * their garbage.
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
