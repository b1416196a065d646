/**
 * A transport for the requests of a leader.
 * Invariant: no request starts after the deadline of the term, even in a process that was paused and whose timers have
 * not fired yet.
 */
import type { Transport } from '../apimachinery/http/transport.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { type LeaderTerm, readThrough } from './leader-term.ts';

/**
 * Once the Lease is lost, running requests are cancelled, and new ones reject with the reason of `term.lost` without a
 * call of `transport`. A request that has started may still reach the server later, so writes that must not be late
 * should have a resourceVersion. The signal that `transport` gets checks the deadline when it is read, so a transport
 * that retries is fenced before each attempt.
 */
export function fenced(transport: Transport, term: Pick<LeaderTerm, 'lost' | 'throwIfLost'>): Transport {
  return async (request) => {
    const signed = { ...request, signal: fencedSignal(term.lost, request.signal) };
    // Checked last, because the time between this check and the start of the request is not protected.
    term.throwIfLost();
    return transport(signed);
  };
}

/** Returns a signal for one request. Node would report the listeners of many requests on one signal as a leak. */
function fencedSignal(lost: AbortSignalLike, own: AbortSignalLike | undefined): AbortSignal {
  const signal = AbortSignal.any(own === undefined ? [lost] : [lost, own]);
  // A read of `lost.aborted` after the deadline aborts `lost`, and thereby the combined signal.
  return readThrough(signal, () => void lost.aborted);
}
