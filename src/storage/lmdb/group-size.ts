/**
 * Limits the number of requests in one commit group. Clients that wait for their answers send their next requests
 * together, so without a limit all of these requests share one group, and the main thread is idle while the group is
 * synced. On a fast disk two smaller groups take turns: one is synced while the requests of the other are processed.
 * Invariant: the limit shrinks only after a commit that took less than `QUICK_MS`, so a slow disk gets the largest
 * groups.
 */

// Bounds the time for which a group blocks the event loop: a few microseconds per request, plus the copying of its
// bytes.
const MOST_REQUESTS = 4096;
/** Groups are not split below this size, because a sync costs as much as several requests. */
const LEAST_REQUESTS = 24;
/** The milliseconds of a fast commit. If commits take longer, larger groups are better. */
const QUICK_MS = 2;

/** A commit that has just been synced. */
export interface SyncedGroup {
  readonly requests: number;
  /**
   * The milliseconds from the decision of the group to the delivery of its changes. Slow deliveries count, too: smaller
   * groups would then cost more CPU time than the idle time that they save.
   */
  readonly tookMs: number;
  /** The number of groups that wait for the next commit. */
  readonly waiting: number;
  /** The milliseconds since the first waiting group became full; undefined if it is not full. */
  readonly fullForMs: number | undefined;
}

export class GroupSize {
  #most = MOST_REQUESTS;

  /** The most requests of a new group. */
  get most(): number {
    return this.#most;
  }

  synced({ requests, tookMs, waiting, fullForMs }: SyncedGroup): void {
    if (waiting === 0) {
      if (tookMs < QUICK_MS && requests >= 2 * LEAST_REQUESTS) this.#most = Math.ceil(requests / 2);
    } else if (fullForMs !== undefined && (waiting > 1 || fullForMs >= QUICK_MS)) {
      this.#most = Math.min(this.#most * 2, MOST_REQUESTS);
    }
  }
}
