/** Failures of outbound requests in the words of Go's HTTP client, which operators search for. */
import { TransportError, toError } from '../../base/errors.ts';
import type { OutboundTarget } from '../../server/http/outbound.ts';

export const STOPPED = 'the server is shutting down';

/** The codes of failures before a connection exists, so that the request was not sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** A failure before a connection could be used, so that the request was not sent. */
export class NotSentError extends TransportError {}

/** Wraps a failure: `Get "<url>": dial tcp 127.0.0.1:1: connect: connection refused`. */
export function outboundError(method: string, target: OutboundTarget, caught: unknown): TransportError {
  const cause = toError(caught);
  const message = `${operation(method)} ${JSON.stringify(target.url)}: ${describe(cause, target)}`;
  const isUnsent = cause instanceof NotSentError || NOT_SENT.has(codeOf(cause) ?? '');
  return new TransportError(message, { cause, retryable: isUnsent });
}

/** Go prints `Get` for GET. */
function operation(method: string): string {
  return `${method.slice(0, 1)}${method.slice(1).toLowerCase()}`;
}

function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function describe(error: Error, { url, address }: OutboundTarget): string {
  const target = new URL(url);
  const to = `${address?.host ?? target.hostname}:${address?.port ?? (target.port === '' ? 443 : target.port)}`;
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return `dial tcp ${to}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${target.hostname}: no such host`;
    case 'ETIMEDOUT':
      return `dial tcp ${to}: i/o timeout`;
    case 'EHOSTUNREACH':
      return `dial tcp ${to}: connect: no route to host`;
    case 'ECONNRESET':
      return 'EOF';
    default:
      return error.message;
  }
}
