/** Runs a call with a time limit. */
import { onAbort } from '../base/abort.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { Clock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { TransportError } from '../base/errors.ts';

export interface TimedCallOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Cancels the call earlier. */
  readonly signal?: AbortSignalLike | undefined;
}

/**
 * Runs a call with a signal that aborts after `timeoutMs`. Then rejects with a TransportError, even if the call does
 * not react to the signal. Rejects with the reason of `signal` if that aborts first.
 */
export async function timedCall<R>(
  options: TimedCallOptions,
  call: (signal: AbortSignalLike) => Promise<R>,
): Promise<R> {
  options.signal?.throwIfAborted();
  const abort = new AbortController();
  const ended = new Deferred<never>();
  const end = (reason: Error): void => {
    ended.reject(reason);
    abort.abort(reason);
  };
  const timer = options.clock.setTimer(options.timeoutMs, () =>
    end(new TransportError(`no response within ${Math.round(options.timeoutMs)} ms`)),
  );
  const stopListening = onAbort(options.signal, end);
  try {
    return await Promise.race([call(abort.signal), ended.promise]);
  } finally {
    timer.cancel();
    stopListening();
  }
}
