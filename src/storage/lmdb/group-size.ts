/**
 * The limit of the requests in one commit group. Clients that wait for their answers send the next requests together,
 * so without a limit all of them share one group, and the main thread is idle while it is synced. On a quick disk two
 * smaller groups take turns: one is synced while the requests of the other are processed.
 * Invariant: the limit shrinks only after a quick commit, so that a slow disk gets the largest groups.
 */

// Deciding a group blocks the event loop for a few microseconds per request, and for the copying of its bytes.
const MOST_REQUESTS = 4096;
/** Groups are not split below this size: a sync costs as much as several requests. */
const LEAST_REQUESTS = 24;
/** Milliseconds of main thread time that a commit may waste before larger groups are better. */
const QUICK_MS = 2;

/** A commit that was synced. */
export interface SyncedGroup {
  readonly requests: number;
  /**
   * Milliseconds from the start of its decision until its changes were delivered. A group whose delivery takes long is
   * not split: smaller groups would cost more CPU than the idle time that they save.
   */
  readonly tookMs: number;
  /** Groups that wait for the next commit. */
  readonly waiting: number;
  /** Milliseconds since the first of them became full; undefined if it is not full. */
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
