/** One request of a client and its response. */
import type { TransportRequest, TransportResponse } from '../../apimachinery/http/transport.ts';
import { onAbort } from '../../base/abort.ts';
import { Deferred } from '../../base/deferred.ts';
import { toError } from '../../base/errors.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import type { OutboundResponse, OutboundTarget } from '../../server/http/outbound.ts';
import { type Connection, type ConnectionPool, discardConnection } from '../outbound/connection-pool.ts';
import { clientError, lostConnection, NotProcessedError } from '../outbound/errors.ts';
import { sendHttp1 } from '../outbound/http1-request.ts';
import type { Abort, Message, RequestEvents } from '../outbound/request-events.ts';
import { sendOver } from '../outbound/send-over.ts';
import type { ParsedTarget } from '../outbound/target.ts';
import { type BodyReceiver, CollectedBody, StreamedBody } from './response-body.ts';

export interface ExchangeOptions {
  readonly request: TransportRequest;
  /** The request with all its headers. */
  readonly message: Message;
  readonly target: ParsedTarget;
  readonly pool: ConnectionPool;
  /** The running requests of the transport, which `stop()` aborts. */
  readonly running: Set<Abort>;
  /** Returns the target for the message of a failure. */
  readonly describe: () => OutboundTarget;
}

/** A body of at most this declared length is collected and handed out as a whole. */
const COLLECTED_BYTES = 256 * 1024;
/** How often a request is sent that the server does not process, because it closes the connection or has no room. */
const ATTEMPTS = 4;

export class Exchange implements RequestEvents<OutboundResponse> {
  readonly #options: ExchangeOptions;
  readonly #response = new Deferred<TransportResponse>();
  #release: () => void = () => {};
  #send: Abort | undefined;
  #attempts = 0;
  #body: BodyReceiver | undefined;
  #isAborted = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  get response(): Promise<TransportResponse> {
    return this.#response.promise;
  }

  start(): void {
    this.#options.running.add(this.#abort);
    this.#release = onAbort(this.#options.request.signal, this.#abort);
    if (!this.#isAborted) this.#attempt();
  }

  answered(response: OutboundResponse): void {
    const { status, headers } = response;
    const body = this.#bodyOf(response);
    if (body === undefined) {
      const collected = new CollectedBody(
        (bytes) => this.#response.resolve({ status, headers, body: bytes }),
        (error) => this.#response.reject(error),
      );
      this.#body = collected;
      response.pipeTo(collected);
      return;
    }
    this.#body = body;
    response.pipeTo(body);
    this.#response.resolve({ status, headers, body });
  }

  failed(error: Error): void {
    if (this.#body !== undefined) {
      if (!this.#body.isEnded) this.#body.fail(this.#describe(error));
      return;
    }
    if (error instanceof NotProcessedError && this.#attempts < ATTEMPTS && !this.#isAborted) return;
    this.#reject(error);
  }

  closed(): void {
    // Neither answered nor failed: the server did not process the request.
    if (this.#body === undefined && !this.#response.settled) this.#afterWait(undefined);
    if (this.#body === undefined && !this.#response.settled && !this.#isAborted) {
      this.#attempt();
      return;
    }
    if (this.#body?.isEnded === false) this.failed(lostConnection('unexpected EOF'));
    this.#options.running.delete(this.#abort);
    this.#release();
  }

  readonly #abort = (reason: Error): void => {
    this.#isAborted = true;
    this.#response.reject(reason);
    this.#body?.cancel(reason);
    this.#send?.(reason);
  };

  /**
   * Reads the signal after a wait and before the request is sent. The process may have been paused meanwhile, and the
   * signal of a leader checks the end of the leader's term only when it is read.
   */
  readonly #afterWait = <C>(made: C): C => {
    void this.#options.request.signal?.aborted;
    return made;
  };

  #attempt(): void {
    this.#attempts++;
    const { message: request, target, pool } = this.#options;
    try {
      const connection = pool.negotiate(target);
      this.#send = sendOver(isPromise(connection) ? connection.then(this.#afterWait) : connection, this, {
        send: (made: Connection) =>
          made.protocol === 'h2'
            ? made.session.send({ request, target, events: this })
            : sendHttp1({ request, target, events: this }, pool, made),
        discard: discardConnection,
      });
    } catch (caught) {
      // HTTP does not allow one of the headers.
      this.#reject(toError(caught));
      this.closed();
    }
  }

  /** Returns the body as a stream; undefined for a body that is empty or short, which is collected. */
  #bodyOf({ status, headers }: OutboundResponse): StreamedBody | undefined {
    const { method, signal } = this.#options.request;
    if (method === 'HEAD' || status === 204 || status === 304) return undefined;
    const length = headers['content-length'];
    if (typeof length === 'string' && Number(length) <= COLLECTED_BYTES) return undefined;
    return new StreamedBody(signal);
  }

  #reject(error: Error): void {
    if (!this.#response.settled) this.#response.reject(this.#describe(error));
  }

  #describe(error: Error): Error {
    return clientError(this.#options.request.method, this.#options.describe(), error);
  }
}
