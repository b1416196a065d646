/** The parts that a manager runs. */

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
  /** Whether it runs only while the manager leads, if it takes part in an election. Default true. */
  readonly needsLeader?: boolean;
  /**
   * Works until `signal` aborts, then resolves as soon as it can. A part that resolves earlier has finished its work.
   * A rejection stops the manager, and is the error that its `run` rejects with. Called again for each term as leader.
   */
  run(context: RunContext): Promise<void>;
}
