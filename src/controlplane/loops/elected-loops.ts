/**
 * The leader election of the control loops, between servers that share a storage.
 * Invariant: the loops of a server run only while it holds the Lease, and none of their requests starts after the Lease
 * is lost. A server that loses the Lease continues to serve requests and becomes a candidate again.
 */
import type { Transport } from '../../apimachinery/http/transport.ts';
import { onAbort } from '../../base/abort.ts';
import type { AbortSignalLike } from '../../base/abort-signal.ts';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { Stoppable } from '../../base/lifetime.ts';
import type { Logger } from '../../base/logger.ts';
import { createClient } from '../../client/create-client.ts';
import { fenced } from '../../client/fenced.ts';
import { runLeaderElection } from '../../client/leader-election.ts';
import type { LeaderElectionOptions } from '../leader-election-options.ts';

export interface ElectedLoopsOptions {
  readonly options: LeaderElectionOptions;
  /** Unique per process: `hostname_uuid`. */
  readonly identity: string;
  /** Writes the Lease. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly logger: Logger;
  random(): number;
  /**
   * Called when this server has become the leader. Starts the loops, whose transports must be wrapped with `fence`: it
   * refuses requests once the Lease is lost. The result is stopped when the Lease is lost.
   */
  start(fence: (transport: Transport) => Transport): Stoppable;
}

/** Begins the leader election. `stop` first stops the loops and then releases the Lease. */
export function startElectedLoops(parts: ElectedLoopsOptions): Stoppable {
  const { options, identity, transport, clock, logger, random, start } = parts;
  const { enabled: _, ...lease } = options;
  const stopping = new AbortController();
  const ended = runLeaderElection({
    client: createClient(transport),
    options: { ...lease, identity },
    signal: stopping.signal,
    clock,
    random,
    logger,
    lead: async (term) => {
      const loops = start((inner) => fenced(inner, term));
      await aborted(term.signal);
      await loops.stop();
    },
  }).catch((caught: unknown) =>
    logger.error('the control loops of this server have ended; restart it to run them again', toError(caught)),
  );
  const stop = (): Promise<void> => {
    stopping.abort();
    return ended;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

function aborted(signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, () => resolve()));
}
