/**
 * The running writes of all servers that share a storage. Those of other servers are not known here; the time stands for
 * them, as in the reference (namespaceDeletionGracePeriod of its namespace controller): in it the other servers see the
 * change that a loop has seen, and requests that they admitted before are stored.
 */
import type { Clock } from '../../base/clock.ts';
import type { RunningWrites } from '../../loops/loop.ts';

const GRACE_MS = 5_000;

/** `ended` of the result resolves when the writes of this server have ended and the time has passed. */
export function sharedWrites(own: RunningWrites, clock: Clock): RunningWrites {
  return {
    ended: async (namespace) => {
      const passed = new Promise<void>((resolve) => void clock.setTimer(GRACE_MS, resolve, { background: true }));
      await Promise.all([own.ended(namespace), passed]);
    },
  };
}
