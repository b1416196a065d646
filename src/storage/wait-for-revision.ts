/** Waits for a store to reach a revision, for callers that got the outcome `future`. */
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { type Clock, sleep } from '../base/clock.ts';
import type { Revision, Storage } from './storage.ts';

// The store is polled, because asking for its revision is cheap. The pauses double from the first to the longest.
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 200;

export interface WaitForRevisionOptions {
  readonly clock: Clock;
  /** Default 3 seconds, the time for which kube-apiserver waits for a resourceVersion in the future. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignalLike;
}

/**
 * Resolves with true once the store has reached the revision, and with false after the timeout. Rejects with the
 * signal's reason and with the errors of the store.
 */
export async function waitForRevision(
  storage: Storage,
  revision: Revision,
  options: WaitForRevisionOptions,
): Promise<boolean> {
  const { clock, timeoutMs = 3000, signal } = options;
  const deadline = clock.monotonic() + timeoutMs;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    if ((await storage.revision()) >= revision) return true;
    const left = deadline - clock.monotonic();
    if (left <= 0) return false;
    await sleep(clock, Math.min(wait, left), signal === undefined ? {} : { signal });
  }
}
