/**
 * A transport for a leader's requests. Invariant: no request starts after the deadline of the term, also in a process
 * that was paused and whose timers have not fired yet.
 */
import type { Transport } from '../apimachinery/http/transport.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { type LeaderTerm, readThrough } from './leader-term.ts';

/**
 * Rejects with the reason of `term.lost` once the Lease is lost, without a call of `transport`. A request that runs is
 * cancelled then. A request that has started may still reach the server later: writes that must not come late carry a
 * resourceVersion. The signal that `transport` receives checks the deadline when it is read, so a transport that
 * retries is fenced before each attempt.
 */
export function fenced(transport: Transport, term: Pick<LeaderTerm, 'lost' | 'throwIfLost'>): Transport {
  return async (request) => {
    const signed = { ...request, signal: fencedSignal(term.lost, request.signal) };
    // The last step: the time between this check and the start of the request is not protected.
    term.throwIfLost();
    return transport(signed);
  };
}

/** A signal per request: listeners of many requests on one signal would look like a leak. */
function fencedSignal(lost: AbortSignalLike, own: AbortSignalLike | undefined): AbortSignal {
  const signal = AbortSignal.any(own === undefined ? [lost] : [lost, own]);
  // A read of `lost.aborted` past the deadline aborts it, and the combined signal with it.
  return readThrough(signal, () => void lost.aborted);
}
