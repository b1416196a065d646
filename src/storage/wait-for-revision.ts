/** Waits for a revision of the future: the choice of a caller that got the outcome `future`. */
import { type Clock, sleep } from '../base/clock.ts';
import type { Revision, Storage } from './storage.ts';

// Asking a store for its revision is cheap; waits double from the first to the last of these.
const FIRST_WAIT_MS = 10;
const LONGEST_WAIT_MS = 200;

export interface WaitForRevisionOptions {
  readonly clock: Clock;
  /** Default 3 seconds, which is how long the reference lets a read wait for a resourceVersion of the future. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** True once the store has reached the revision, false if that took too long. Throws the signal's reason, and what the store throws. */
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
