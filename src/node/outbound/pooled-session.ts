/** An HTTP/2 connection to another server, with its stream limit, its health pings and its idle time. */
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { EMPTY_SOURCE } from '../../server/http/byte-stream.ts';
import type { OutboundResponse } from '../../server/http/outbound.ts';
import { ClientConnection } from '../http2/client/client-connection.ts';
import type { ClientRequest, ClientStream } from '../http2/client/client-stream.ts';
import type { ClientSettings } from '../http2/settings.ts';
import type { H2Shared } from '../http2/shared.ts';
import type { DirectReads } from './direct-reads.ts';
import { NotSentError } from './errors.ts';
import { DIAL_MS, HTTP2_SETTINGS, IDLE_MS, PING_TIMEOUT_MS, READ_CHECK_MS, READ_IDLE_MS } from './limits.ts';
import type { Abort, Message, RequestEvents, Sending } from './request-events.ts';

export interface SessionOptions {
  readonly socket: Socket;
  /** See ClientConnectionOptions. */
  readonly reads?: DirectReads;
  readonly http2: H2Shared;
  readonly clock: Clock;
  /** Default: those of requests to webhooks and extension API servers. */
  readonly settings?: ClientSettings;
  /** The time for the answer to a ping. Default: that of client-go. */
  readonly pingTimeoutMs?: number;
  /** See ClientConnectionOptions. */
  readonly controlFramesPerSecond?: number;
  /** See ClientConnectionOptions. */
  readonly sharesHeaders?: boolean;
}

export interface SessionEvents {
  /** Called once or more when the session takes no more requests. */
  readonly onRetired: () => void;
  /** Called once when the session has no connection any more. */
  readonly onClosed: () => void;
}

/**
 * A session without requests does not keep the process alive, and closes after its idle time. A session with requests
 * sends a ping when it has received nothing for READ_IDLE_MS. If the answer does not come in time, all requests fail.
 */
export class PooledSession {
  readonly #connection: ClientConnection;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #pingTimeoutMs: number;
  readonly #started = new Deferred<void>();
  #limit = 0;
  /** Streams that are reserved and not opened yet. */
  #reserved = 0;
  #timer: Timer | undefined;

  constructor({ socket, http2, clock, ...options }: SessionOptions, events: SessionEvents) {
    this.#socket = socket;
    this.#clock = clock;
    this.#pingTimeoutMs = options.pingTimeoutMs ?? PING_TIMEOUT_MS;
    this.#connection = new ClientConnection({
      socket,
      shared: http2,
      settings: options.settings ?? HTTP2_SETTINGS,
      clock,
      controlFramesPerSecond: options.controlFramesPerSecond,
      sharesHeaders: options.sharesHeaders,
      reads: options.reads,
      events: {
        maxStreams: (limit) => {
          this.#limit = limit;
          this.#started.resolve();
        },
        retired: events.onRetired,
        closed: (reason) => {
          this.#timer?.cancel();
          events.onClosed();
          this.#started.reject(new NotSentError(reason.message, { cause: reason }));
        },
      },
    });
  }

  /**
   * Resolves when the server has sent its settings, which contain its limit of streams. Rejects with a NotSentError.
   */
  async start(): Promise<void> {
    const late = setTimeout(() => this.#connection.fail('http2: timeout awaiting settings'), DIAL_MS);
    this.#socket.setTimeout(IDLE_MS, () => {
      if (this.#reserved + this.#connection.active === 0) this.#connection.close();
    });
    this.#connection.start();
    try {
      await this.#started.promise;
    } finally {
      clearTimeout(late);
    }
  }

  /** Takes one of the streams that the server allows. Returns false if there is none. See `release`. */
  reserve(): boolean {
    if (this.#reserved + this.#connection.active >= this.#limit || !this.#connection.isUsable) return false;
    this.#reserved++;
    return true;
  }

  /** Gives a reserved stream back that is not opened. */
  release(): void {
    this.#reserved--;
  }

  /**
   * Sends a request on the stream that was reserved. Throws if HTTP does not allow a header, and NotSentError if the
   * session has just ended.
   */
  send({ request, target, events }: Sending<Message, OutboundResponse>): Abort {
    const { method, headers } = request;
    const { path, authority } = target;
    const body = request.body === EMPTY_SOURCE ? undefined : request.body;
    const stream = this.open({ method, path, authority, headers, body }, events);
    return (error) => stream.cancel(error);
  }

  /** As `send`. Returns the stream. */
  open(request: ClientRequest, events: RequestEvents<OutboundResponse>): ClientStream {
    this.#reserved--;
    const stream = this.#connection.send(request, events);
    if (this.#timer === undefined) this.#expectBytes();
    return stream;
  }

  /** Takes no more requests and closes after the last one. */
  close(): void {
    this.#connection.close();
  }

  /** Fails all requests. */
  destroy(): void {
    this.#connection.fail('http2: client connection force closed');
  }

  /** Pings after READ_IDLE_MS without a byte. Stops when the session has no requests. */
  #expectBytes(seen: number = this.#connection.bytesRead, silentMs = 0): void {
    this.#timer = this.#clock.setTimer(
      READ_CHECK_MS,
      () => {
        this.#timer = undefined;
        if (this.#connection.active === 0) return;
        const now = this.#connection.bytesRead;
        if (now !== seen) this.#expectBytes(now);
        else if (silentMs + READ_CHECK_MS < READ_IDLE_MS) this.#expectBytes(seen, silentMs + READ_CHECK_MS);
        else this.#ping(seen);
      },
      { background: true },
    );
  }

  /** Any byte counts as an answer: the acknowledgement may be queued behind the data of a slow connection. */
  #ping(before: number): void {
    this.#connection.ping();
    this.#timer = this.#clock.setTimer(
      this.#pingTimeoutMs,
      () => {
        this.#timer = undefined;
        if (this.#connection.bytesRead === before) this.#connection.fail('http2: client connection lost');
        else if (this.#connection.active > 0) this.#expectBytes();
      },
      { background: true },
    );
  }
}
