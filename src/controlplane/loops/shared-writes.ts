/**
 * Waits for the running writes of all servers that share a storage. The writes of other servers are not known here, so
 * the wait includes a fixed time, like kube-controller-manager's namespaceDeletionGracePeriod. Within this time the
 * other servers see the change that a loop has seen, and requests that they admitted before the change are stored.
 */
import type { Clock } from '../../base/clock.ts';
import type { RunningWrites } from '../../loops/loop.ts';

const GRACE_MS = 5_000;

/** `ended` of the result resolves when the writes of this server have ended and the fixed time has passed. */
export function sharedWrites(own: RunningWrites, clock: Clock): RunningWrites {
  return {
    ended: async (namespace) => {
      const passed = new Promise<void>((resolve) => void clock.setTimer(GRACE_MS, resolve, { background: true }));
      await Promise.all([own.ended(namespace), passed]);
    },
  };
}
