/**
 * The probe of a backend: several attempts, one of which must succeed. The state machine (`stepProbe`) does no I/O.
 *
 * To damp flapping, an APIService becomes unavailable only if five attempts fail, as in kube-aggregator. Here the
 * attempts are not made at once. While an attempt has no response, another attempt begins each second, so that a
 * backend that hung is found soon after it recovers. A failed attempt is repeated only if the backend was available
 * before: an unavailable backend stays unavailable after one failure.
 */
import { onAbort } from '../../base/abort.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { TransportError, toError } from '../../base/errors.ts';

/** The most attempts of one probe, as in kube-aggregator. */
export const MAX_ATTEMPTS = 5;
/** The time limit of one probe with all its attempts. kube-aggregator gives each request 5 s. */
export const PROBE_MS = 5000;
/** While an attempt has no response, the next attempt begins after this time. */
export const NEXT_ATTEMPT_MS = 1000;

export interface ProbeState {
  readonly wasAvailable: boolean;
  readonly started: number;
  readonly running: number;
}

export type ProbeEvent =
  | { readonly kind: 'tick' }
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'expired' };

export type ProbeAction = 'attempt' | 'wait' | 'pass' | 'fail';

/** The state after the first attempt was started. */
export function beginProbe(wasAvailable: boolean): ProbeState {
  return { wasAvailable, started: 1, running: 1 };
}

/** Returns the next state and the action to perform. The state already counts the attempt of the action `attempt`. */
export function stepProbe(
  state: ProbeState,
  event: ProbeEvent,
): { readonly state: ProbeState; readonly action: ProbeAction } {
  switch (event.kind) {
    case 'passed':
      return { state, action: 'pass' };
    case 'expired':
      return { state, action: 'fail' };
    case 'tick':
      return state.started < MAX_ATTEMPTS ? attempted(state, state.running) : { state, action: 'wait' };
    case 'failed': {
      const running = state.running - 1;
      if (state.wasAvailable && state.started < MAX_ATTEMPTS) return attempted(state, running);
      return { state: { ...state, running }, action: running === 0 ? 'fail' : 'wait' };
    }
  }
}

function attempted(state: ProbeState, running: number): { readonly state: ProbeState; readonly action: ProbeAction } {
  return { state: { ...state, started: state.started + 1, running: running + 1 }, action: 'attempt' };
}

export interface ProbeOptions {
  readonly clock: Clock;
  readonly wasAvailable: boolean;
  /** Makes one attempt. Resolves if the backend passes, and rejects otherwise. The signal aborts the attempt. */
  attempt(signal: AbortSignal): Promise<void>;
  /** Aborts the probe, which then rejects with the reason of the signal. */
  readonly signal: AbortSignal;
}

/** The message of a probe that got no response in time, as Go's HTTP client words it. */
export const LATE = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

/** Resolves if the backend is available. Rejects with the last failure, or with the reason of the signal. */
export async function runProbe(options: ProbeOptions): Promise<void> {
  const { clock, attempt, signal } = options;
  const attempts = new AbortController();
  const outcome = new Deferred<void>();
  let state = beginProbe(options.wasAvailable);
  let failure: Error = new TransportError(LATE);
  let ticker: Timer | undefined;

  const apply = (event: ProbeEvent): void => {
    if (outcome.settled) return;
    const next = stepProbe(state, event);
    state = next.state;
    if (next.action === 'pass') outcome.resolve();
    else if (next.action === 'fail') outcome.reject(failure);
    else if (next.action === 'attempt') begin();
  };
  const begin = (): void => {
    ticker?.cancel();
    ticker = clock.setTimer(NEXT_ATTEMPT_MS, () => apply({ kind: 'tick' }));
    attempt(attempts.signal).then(
      () => apply({ kind: 'passed' }),
      (caught) => {
        failure = toError(caught);
        apply({ kind: 'failed' });
      },
    );
  };

  const expiry = clock.setTimer(PROBE_MS, () => apply({ kind: 'expired' }));
  const stopListening = onAbort(signal, (reason) => outcome.reject(reason));
  try {
    begin();
    await outcome.promise;
  } finally {
    expiry.cancel();
    ticker?.cancel();
    stopListening();
    attempts.abort();
  }
}
