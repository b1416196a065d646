/** The shutdown filter: refuses new requests while the server stops. Probes and metrics are answered until the end. */
import { serviceUnavailable } from '../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Answer } from '../http/exchange.ts';
import { plainAnswer } from '../http/plain-answers.ts';
import { encodeValue } from '../http/respond.ts';
import type { RequestFilter, ServerRequest } from '../http/server-request.ts';

/** The state of the shutdown. The chain only reads it. */
export interface ShutdownState {
  /** True once new requests are refused. */
  readonly refusing: boolean;
  /** Refuses with 429 instead of 503, as `--shutdown-send-retry-after`. Default false. */
  readonly sendRetryAfter?: boolean;
}

const EXEMPT = ['/readyz', '/livez', '/healthz', '/metrics'] as const;

const UNAVAILABLE: Answer = {
  kind: 'bytes',
  status: 503,
  headers: { 'retry-after': '1', 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
  body: encodeValue(
    serviceUnavailable('apiserver is shutting down') as unknown as JsonObject,
    'application/json',
    false,
  ),
};
const TEXT = 'The apiserver is shutting down, please try again later.';
const RETRY = plainAnswer(429, TEXT, { 'retry-after': '5' });
/** HTTP/2 does not have this header: there the listener sends GOAWAY. */
const RETRY_AND_CLOSE = plainAnswer(429, TEXT, { 'retry-after': '5', connection: 'close' });

export function withShutdown(state: ShutdownState): RequestFilter {
  return (next) => (request) => (state.refusing && !isExempt(request) ? refusal(state, request) : next(request));
}

function isExempt(request: ServerRequest): boolean {
  return EXEMPT.some((prefix) => request.info.path.startsWith(prefix));
}

function refusal(state: ShutdownState, request: ServerRequest): Answer {
  if (state.sendRetryAfter !== true) return UNAVAILABLE;
  return request.incoming.connection.protocol === 'http/1.1' ? RETRY_AND_CLOSE : RETRY;
}
