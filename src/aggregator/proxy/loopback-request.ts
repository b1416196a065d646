/**
 * Requests whose APIService names the Service of this server itself. They pass the filters again, without a socket.
 * Invariant: such a request is not proxied a second time, so an APIService cannot make a request run in circles.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { serviceUnavailable } from '../../apimachinery/status/status-catalogue.ts';
import { TransportError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ByteSource } from '../../server/http/byte-stream.ts';
import type { Answer, BodyResult, Connection, Handler, Incoming } from '../../server/http/exchange.ts';
import type { ServerRequest } from '../../server/http/server-request.ts';
import { forwardedHeaders } from './forwarded-headers.ts';

export interface Loopback {
  /** The head of the filter chain. */
  readonly handler: Handler;
  /** The identity of the front proxy. Requests that arrive over it are not passed on again. */
  readonly connection: Connection;
}

/** Throws a StatusError if the request cannot be answered here. */
export function loopbackAnswer(
  request: ServerRequest,
  target: string,
  loopback: Loopback | undefined,
): MaybePromise<Answer> {
  const { incoming } = request;
  if (loopback === undefined || incoming.connection === loopback.connection)
    throw new StatusError(serviceUnavailable('service unavailable'), {
      cause: new TransportError('an APIService names the service of this server, which does not have its version'),
    });
  const headers = forwardedHeaders(request, target);
  for (const name of UPGRADE_HEADERS) {
    const value = incoming.header(name);
    if (value !== undefined) headers[name] = value;
  }
  return loopback.handler(new LoopbackIncoming(incoming, target, headers, loopback.connection));
}

/** The listener of the client's connection completes an upgrade. */
const UPGRADE_HEADERS = ['connection', 'upgrade'];

const NO_VALUES: readonly string[] = [];

/** The client's request with the headers of the proxy, on the connection of the front proxy. */
class LoopbackIncoming implements Incoming {
  readonly method: string;
  readonly target: string;
  readonly connection: Connection;
  readonly #incoming: Incoming;
  readonly #headers: HttpHeaders;

  constructor(incoming: Incoming, target: string, headers: HttpHeaders, connection: Connection) {
    this.method = incoming.method;
    this.target = target;
    this.connection = connection;
    this.#incoming = incoming;
    this.#headers = headers;
  }

  header(name: string): string | undefined {
    const value = Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
    return value === undefined || typeof value === 'string' ? value : value.join(', ');
  }

  headerValues(name: string): readonly string[] {
    const value = Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined;
    return value === undefined ? NO_VALUES : typeof value === 'string' ? [value] : value;
  }

  headerNames(): readonly string[] {
    return Object.keys(this.#headers);
  }

  body(limit: number): MaybePromise<BodyResult> {
    return this.#incoming.body(limit);
  }

  bodySource(): ByteSource {
    return this.#incoming.bodySource();
  }

  onClose(listener: () => void): void {
    this.#incoming.onClose(listener);
  }
}
