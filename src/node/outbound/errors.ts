/** Failures of outbound requests in the words of Go's HTTP client, which operators search for. */
import { decodeUtf8 } from '../../base/bytes.ts';
import { isTransportError, TransportError, toError } from '../../base/errors.ts';
import { OutboundError, type OutboundTarget } from '../../server/http/outbound.ts';
import { describeTlsAlert } from './tls-alert.ts';

const PLAIN_HTTP = 'http: server gave HTTP response to HTTPS client';
export const STOPPED = 'the server is shutting down';

/** The codes of failures before a connection exists, so that the request was not sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Methods of requests that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The codes of connections that break. */
const LOST: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED']);

/** A failure before a connection could be used, so that the request was not sent. */
export class NotSentError extends TransportError {}

/** The CA bundle or the client certificate cannot be used. */
export class MisconfiguredError extends NotSentError {}

/** The server says that it did not process the request: REFUSED_STREAM, or a GOAWAY (RFC 9113, 8.7). */
export class NotProcessedError extends NotSentError {}

/** The server reset a stream without a code of failure. */
export class StreamResetError extends TransportError {}

/** A failure while the body of an answer is read. client-go does not name the URL then. */
export class BodyError extends TransportError {
  constructor(reason: string, cause?: Error) {
    super(`unexpected error when reading response body. Please retry. Original error: ${reason}`, {
      retryable: false,
      connectionLost: true,
      ...(cause && { cause }),
    });
  }
}

/** Returns the error of a connection that broke while it had requests. */
export function lostConnection(message: string, cause?: Error): TransportError {
  return new TransportError(message, { retryable: false, connectionLost: true, ...(cause && { cause }) });
}

/**
 * Wraps a failure: `Get "<url>": dial tcp 127.0.0.1:1: connect: connection refused`. It is retryable exactly if the
 * request was not sent.
 */
export function outboundError(method: string, target: OutboundTarget, caught: unknown): OutboundError {
  const cause = toError(caught);
  const detail = describe(cause, target);
  const retryable = isUnsent(cause);
  const where = cause instanceof BodyError ? '' : `${operation(method)} ${JSON.stringify(target.url)}: `;
  return new OutboundError(`${where}${detail}`, detail, {
    cause,
    retryable,
    connectionLost: !retryable && isLost(cause),
    isMisconfigured: cause instanceof MisconfiguredError,
  });
}

/**
 * Wraps a failure in the same words. It is retryable if the server did not process the request, or if the request
 * changes nothing and the server or the connection broke its answer off. An answer that is not HTTP is not.
 */
export function clientError(method: string, target: OutboundTarget, caught: unknown): TransportError {
  const error = outboundError(method, target, caught);
  if (error.retryable || !SAFE_METHODS.has(method)) return error;
  const { message, cause, connectionLost } = error;
  return new TransportError(message, { cause, connectionLost, retryable: connectionLost || isReset(cause) });
}

function isUnsent(error: Error): boolean {
  return error instanceof NotSentError || NOT_SENT.has(codeOf(error) ?? '');
}

/** Reports whether the server ended the stream with an error. */
function isReset(error: unknown): boolean {
  return error instanceof StreamResetError || (error instanceof Error && codeOf(error) === 'ERR_HTTP2_STREAM_ERROR');
}

function isLost(error: Error): boolean {
  return isTransportError(error) ? error.connectionLost : LOST.has(codeOf(error) ?? '');
}

/** Go prints `Get` for GET. */
function operation(method: string): string {
  return `${method.slice(0, 1)}${method.slice(1).toLowerCase()}`;
}

function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function describe(error: Error, outbound: OutboundTarget): string {
  if (error instanceof NotSentError && error.cause instanceof Error) return describe(error.cause, outbound);
  const { url, address } = outbound;
  const target = new URL(url);
  const to =
    dialledAddress(error) ??
    `${address?.host ?? target.hostname}:${address?.port ?? (target.port === '' ? 443 : target.port)}`;
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
    // OpenSSL does not tell which bytes it got instead of TLS; almost always they are HTTP.
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return PLAIN_HTTP;
    default:
      if (codeOf(error)?.startsWith('HPE_')) return `malformed HTTP response ${firstLine(error)}`;
      return describeTlsAlert(error) ?? error.message;
  }
}

/**
 * Returns the address that a connection was refused by, which Go names instead of the host. Node reports several
 * addresses of one host as an AggregateError; Go reports the first.
 */
function dialledAddress(error: Error): string | undefined {
  const { address, port } = (error instanceof AggregateError ? error.errors[0] : error) as {
    readonly address?: string;
    readonly port?: number;
  };
  if (address === undefined || port === undefined) return undefined;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The longest part of a malformed response that is shown. */
const SHOWN_BYTES = 64;

/** Returns the first line that Node's parser could not read, in quotes. */
function firstLine(error: Error): string {
  const { rawPacket } = error as { readonly rawPacket?: Uint8Array };
  const text = rawPacket === undefined ? '' : decodeUtf8(rawPacket.subarray(0, SHOWN_BYTES));
  return JSON.stringify(text.split(/\r?\n/, 1)[0]);
}
