/**
 * A transport that retries requests where this is safe, by the rules of client-go (`rest/with_retry.go`):
 * - The server answers 429 or 5xx with Retry-After: any request is retried, after that time.
 * - The connection breaks before the response of a request that changes nothing: it is retried after a second.
 * - The server did not process the request, because there was no connection or no stream for it: any request is retried
 *   once, after a second. client-go leaves this to its caller.
 *
 * Invariant: a request is retried only before its caller has seen a response. A response body that breaks off later is
 * not retried. There is no rate limit.
 */
import type { Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
import { type Clock, sleep, systemClock } from '../base/clock.ts';
import { isTransportError } from '../base/errors.ts';

export interface RetryOptions {
  /** How often one request is retried. Default 10. */
  readonly retries?: number;
  /**
   * How often a request that the server did not process is retried. These retries count towards `retries`, too. Default
   * 1.
   */
  readonly unsentRetries?: number;
  /** The longest wait that a server can ask for. Default 30 s. */
  readonly longestWaitMs?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** The wait after a failure of the connection, as in client-go. */
const LOST_WAIT_MS = 1_000;

/**
 * Wraps a transport. When no retries are left, the result is the last response or error. If the signal of a request
 * aborts during a wait, the request rejects with its reason.
 */
export function withRetries(transport: Transport, options: RetryOptions = {}): Transport {
  const policy: Required<RetryOptions> = {
    retries: 10,
    unsentRetries: 1,
    longestWaitMs: 30_000,
    clock: systemClock,
    ...options,
  };
  return (request) => attempt(transport, request, policy, { all: 0, unsent: 0 });
}

/** The retries of one request so far. */
interface Count {
  readonly all: number;
  readonly unsent: number;
}

function attempt(
  transport: Transport,
  request: TransportRequest,
  policy: Required<RetryOptions>,
  count: Count,
): Promise<TransportResponse> {
  const again = async (waitMs: number, unsent: number): Promise<TransportResponse> => {
    await sleep(policy.clock, waitMs, request.signal === undefined ? {} : { signal: request.signal });
    return attempt(transport, request, policy, { all: count.all + 1, unsent: count.unsent + unsent });
  };
  return transport(request).then(
    (response) => {
      const seconds = count.all < policy.retries ? retryAfter(response) : undefined;
      if (seconds === undefined) return response;
      return discard(response).then(() => again(Math.min(seconds * 1_000, policy.longestWaitMs), 0));
    },
    (error: unknown) => {
      const isRepeated = count.all < policy.retries && isTransportError(error) && error.retryable;
      if (isRepeated && error.connectionLost) return again(LOST_WAIT_MS, 0);
      if (isRepeated && count.unsent < policy.unsentRetries) return again(LOST_WAIT_MS, 1);
      throw error;
    },
  );
}

/**
 * Returns the seconds of Retry-After if the server asks for a retry; undefined otherwise. A date is ignored, as in
 * client-go.
 */
function retryAfter({ status, headers }: TransportResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const value = headers['retry-after'];
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** Closes a response stream, so that its connection can be reused. */
async function discard({ body }: TransportResponse): Promise<void> {
  if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.();
}
