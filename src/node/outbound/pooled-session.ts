/** An HTTP/2 session to another server, with its stream limit, its health pings and its idle time. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { toError } from '../../base/errors.ts';
import { lostConnection, NotSentError } from './errors.ts';
import { DIAL_MS, IDLE_MS, PING_TIMEOUT_MS, READ_CHECK_MS, READ_IDLE_MS, SESSION_WINDOW } from './limits.ts';

export interface SessionEvents {
  readonly onRetired: () => void;
  readonly onClosed: () => void;
}

/**
 * Does not keep the process alive while it has no streams, and closes after its idle time. While it has streams, it is
 * pinged whenever it receives nothing for READ_IDLE_MS. Without an answer within PING_TIMEOUT_MS all streams fail.
 */
export class PooledSession {
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #clock: Clock;
  #limit = 1;
  /** Streams that are open or reserved. */
  #streams = 0;
  #open = 0;
  #isRetired = false;
  #timer: Timer | undefined;
  #failure: Error | undefined;

  constructor(session: ClientHttp2Session, socket: Socket, clock: Clock) {
    this.#session = session;
    this.#socket = socket;
    this.#clock = clock;
  }

  /**
   * Resolves when the server has sent its settings, which contain its limit of streams. Rejects with a NotSentError.
   * `onRetired` is called once or more when the session takes no more requests, `onClosed` once when it has no
   * connection any more.
   */
  start({ onRetired, onClosed }: SessionEvents): Promise<void> {
    const session = this.#session;
    const started = new Deferred<void>();
    const late = setTimeout(() => session.destroy(new NotSentError('http2: timeout awaiting settings')), DIAL_MS);
    const retire = (): void => {
      this.#isRetired = true;
      onRetired();
    };
    session.once('connect', () => session.setLocalWindowSize(SESSION_WINDOW));
    session.on('remoteSettings', ({ maxConcurrentStreams }) => {
      clearTimeout(late);
      this.#limit = maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
      started.resolve();
    });
    // Each stream reports the failure itself.
    session.on('error', (error) => {
      retire();
      started.reject(new NotSentError(error.message, { cause: error }));
    });
    session.on('goaway', retire);
    session.on('close', () => {
      clearTimeout(late);
      this.#timer?.cancel();
      retire();
      onClosed();
      started.reject(new NotSentError('EOF'));
    });
    session.setTimeout(IDLE_MS, () => {
      if (this.#streams === 0) this.close();
    });
    return started.promise;
  }

  /** Takes one of the streams that the server allows. Returns false if there is none. See `release`. */
  reserve(): boolean {
    if (!this.isUsable || this.#streams >= this.#limit) return false;
    this.#streams++;
    return true;
  }

  /** Gives a reserved stream back that is not opened. */
  release(): void {
    this.#streams--;
  }

  get isUsable(): boolean {
    return !this.#isRetired && !this.#session.closed && !this.#session.destroyed;
  }

  get isBroken(): boolean {
    return this.#session.destroyed;
  }

  /** The reason why this side gave the connection up. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Opens a stream that was reserved. Throws NotSentError if the session has just ended. */
  request(headers: OutgoingHttpHeaders, options: ClientSessionRequestOptions): ClientHttp2Stream {
    const session = this.#session;
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(headers, options);
    } catch (caught) {
      this.release();
      if (this.isUsable) throw caught;
      throw new NotSentError(toError(caught).message, { cause: caught });
    }
    if (this.#open++ === 0) {
      session.ref();
      if (this.#timer === undefined) this.#expectBytes();
    }
    stream.once('close', () => {
      this.#streams--;
      if (--this.#open === 0) session.unref();
    });
    return stream;
  }

  /** Takes no more requests and closes after the last one. */
  close(): void {
    this.#isRetired = true;
    this.#session.close();
  }

  /** Fails all streams. */
  destroy(): void {
    this.#fail('http2: client connection force closed');
  }

  #fail(message: string): void {
    if (this.#session.destroyed) return;
    this.#failure ??= lostConnection(message);
    this.#isRetired = true;
    // Without an error, Node would end the streams as if they were complete.
    this.#session.destroy(this.#failure, constants.NGHTTP2_CANCEL);
  }

  /** Pings after READ_IDLE_MS without a byte. Stops when the session has no streams. */
  #expectBytes(seen: number = this.#socket.bytesRead, silentMs = 0): void {
    this.#timer = this.#clock.setTimer(
      READ_CHECK_MS,
      () => {
        this.#timer = undefined;
        if (this.#open === 0 || this.#session.destroyed) return;
        const now = this.#socket.bytesRead;
        if (now !== seen) this.#expectBytes(now);
        else if (silentMs + READ_CHECK_MS < READ_IDLE_MS) this.#expectBytes(seen, silentMs + READ_CHECK_MS);
        else this.#ping(seen);
      },
      { background: true },
    );
  }

  /** Any byte counts as an answer: the acknowledgement may be queued behind the data of a slow connection. */
  #ping(before: number): void {
    this.#session.ping(() => {});
    this.#timer = this.#clock.setTimer(
      PING_TIMEOUT_MS,
      () => {
        this.#timer = undefined;
        if (this.#session.destroyed) return;
        if (this.#socket.bytesRead !== before) {
          if (this.#open > 0) this.#expectBytes();
          return;
        }
        this.#fail('http2: client connection lost');
      },
      { background: true },
    );
  }
}
