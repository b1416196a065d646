/** The interface of the parts that a manager runs. */

import type { AbortSignalLike } from '../base/abort-signal.ts';

export interface RunContext {
  /** Aborts when the part has to end: at a stop, or when the lease is lost. */
  readonly signal: AbortSignalLike;
  /**
   * Aborts when the part must not write any more: when the lease is lost, and at the end of the grace period of a stop.
   */
  readonly fence: AbortSignalLike;
}

export interface Runnable {
  readonly name: string;
  /** Whether the part runs only while the manager is the leader, if it takes part in an election. Default true. */
  readonly needsLeader?: boolean;
  /**
   * Works until `signal` aborts, then resolves as soon as possible. May resolve earlier if its work is finished. A
   * rejection stops the manager, whose `run` rejects with the same error. Called again for each term as leader.
   */
  run(context: RunContext): Promise<void>;
}
