/**
 * A transport that repeats requests where that is safe, by the rules of client-go (`rest/with_retry.go`):
 * - The server answers 429 or 5xx with Retry-After: any request, after that time.
 * - The connection breaks before the response of a request that changes nothing: after a second.
 * - The server did not process the request, as there was no connection or no stream for it: any request, once, after a
 *   second. Client-go leaves this to its caller.
 *
 * Invariant: a request is repeated only before its caller has seen a response. Bodies that break off later are not
 * repeated. There is no limit of requests per second.
 */
import type { Transport, TransportRequest, TransportResponse } from '../apimachinery/http/transport.ts';
import { type Clock, sleep, systemClock } from '../base/clock.ts';
import { isTransportError } from '../base/errors.ts';

export interface RetryOptions {
  /** How often one request is repeated. Default 10. */
  readonly retries?: number;
  /** How often a request is repeated that the server did not process. Counts to `retries`, too. Default 1. */
  readonly unsentRetries?: number;
  /** The longest wait that a server can ask for. Default 30 s. */
  readonly longestWaitMs?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** The wait after a failure of the connection; client-go's. */
const LOST_WAIT_MS = 1_000;

/** When nothing is left to try, the last response or error is the result. A signal ends the wait with its reason. */
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

/** Whole seconds, if the server asks for another attempt. Like client-go it ignores a date. */
function retryAfter({ status, headers }: TransportResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const value = headers['retry-after'];
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** Ends a stream, so that its connection is free. */
async function discard({ body }: TransportResponse): Promise<void> {
  if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.();
}
