/**
 * The write requests that are running, by namespace. A control loop uses them to wait for requests that were admitted
 * before a change, such as the deletion of their namespace, and that write after it.
 *
 * Invariants: a request is in the list from its admission by flow control until its handler has answered or failed.
 * `writeSlot` of a running request is its index in the list. Nothing is allocated for a write unless a loop waits.
 */
import { Deferred } from '../base/deferred.ts';
import type { ServerRequest } from './http/server-request.ts';

interface Waiter {
  readonly left: Set<ServerRequest>;
  readonly done: Deferred<void>;
}

export class RunningWrites {
  readonly #running: ServerRequest[] = [];
  readonly #waiters = new Set<Waiter>();

  /** Called when flow control has admitted a write. */
  begin(request: ServerRequest): void {
    request.writeSlot = this.#running.length;
    this.#running.push(request);
  }

  /**
   * Called once, when the handler of the write has answered or failed. Resolves the waits that this write was the last
   * of.
   */
  end(request: ServerRequest): void {
    const last = this.#running.pop();
    if (last !== undefined && last !== request) {
      last.writeSlot = request.writeSlot;
      this.#running[request.writeSlot] = last;
    }
    if (this.#waiters.size === 0) return;
    for (const waiter of this.#waiters) {
      if (!waiter.left.delete(request) || waiter.left.size > 0) continue;
      this.#waiters.delete(waiter);
      waiter.done.resolve();
    }
  }

  /**
   * Resolves when every write to the namespace that runs now has ended. Later requests do not count. Returns undefined
   * if none is running. The promise never rejects: a request ends by its deadline at the latest.
   */
  ended(namespace: string): Promise<void> | undefined {
    const left = new Set<ServerRequest>();
    for (const request of this.#running) if (request.info.namespace === namespace) left.add(request);
    if (left.size === 0) return undefined;
    const waiter = { left, done: new Deferred<void>() };
    this.#waiters.add(waiter);
    return waiter.done.promise;
  }
}
