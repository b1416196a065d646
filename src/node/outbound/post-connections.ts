/**
 * The HTTP/1.1 connections of a pool for POSTs with whole bodies: calls of webhooks. A connection carries one call at a
 * time. The most recently used one is taken first, so that the others can close.
 * Invariant: a connection with unread or surplus bytes is never used again.
 */
import type { TLSSocket } from 'node:tls';
import { TransportError, toError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Dialer } from './dial.ts';
import { BodyError, lostConnection } from './errors.ts';
import type { HopAnswer } from './follow-redirects.ts';
import { IDLE_MS, MAX_FREE_SOCKETS } from './limits.ts';
import type { RequestEvents } from './request-events.ts';
import { ResponseReader } from './response-reader.ts';
import { keyOf, type Origin } from './target.ts';

export interface Post {
  /** Head and body, as sent. */
  readonly bytes: Uint8Array;
  /** The largest body of the answer. */
  readonly answerBytes: number;
  readonly events: RequestEvents<HopAnswer>;
}

export class PostConnections {
  readonly #dialer: Dialer;
  readonly #free = new Map<string, PostConnection[]>();

  constructor(dialer: Dialer) {
    this.#dialer = dialer;
  }

  /** Returns a free connection, or a new one. Rejects as the dialer does. */
  take(origin: Origin): MaybePromise<PostConnection> {
    const key = keyOf(origin);
    const free = this.#free.get(key);
    const last = free?.pop();
    if (last !== undefined) {
      if (free?.length === 0) this.#free.delete(key);
      last.socket.ref();
      return last;
    }
    return this.#dialer.dial(origin, ['http/1.1']).then(
      (socket) =>
        new PostConnection(socket, {
          idle: (connection) => this.#keep(key, connection),
          closed: (connection) => this.#forget(key, connection),
        }),
    );
  }

  /** The number of connections without a call. */
  get idle(): number {
    let count = 0;
    for (const connections of this.#free.values()) count += connections.length;
    return count;
  }

  /** Closes the connections without a call. */
  closeIdle(): void {
    const all = [...this.#free.values()].flat();
    this.#free.clear();
    for (const { socket } of all) socket.destroy();
  }

  #keep(key: string, connection: PostConnection): void {
    const free = this.#free.get(key);
    if (free !== undefined && free.length >= MAX_FREE_SOCKETS) return void connection.socket.destroy();
    // An idle connection does not keep the process alive.
    connection.socket.unref();
    if (free === undefined) this.#free.set(key, [connection]);
    else free.push(connection);
  }

  #forget(key: string, connection: PostConnection): void {
    const rest = this.#free.get(key)?.filter((other) => other !== connection) ?? [];
    if (rest.length === 0) this.#free.delete(key);
    else this.#free.set(key, rest);
  }
}

interface ConnectionEvents {
  /** Called when the connection can take another call. */
  idle(connection: PostConnection): void;
  /** Called once when the connection is closed, with or without a call. */
  closed(connection: PostConnection): void;
}

export class PostConnection {
  readonly socket: TLSSocket;
  readonly #events: ConnectionEvents;
  #post: Post | undefined;
  #reader: ResponseReader | undefined;
  #failure: Error | undefined;

  constructor(socket: TLSSocket, events: ConnectionEvents) {
    this.socket = socket;
    this.#events = events;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('end', () => this.#ended());
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const addresses = `${localAddress}:${localPort}->${remoteAddress}:${remotePort}`;
      this.#failure ??=
        error.code === 'ECONNRESET'
          ? lostConnection(`read tcp ${addresses}: read: connection reset by peer`, error)
          : error;
    });
    socket.on('close', () => {
      this.#break(this.#failure ?? new TransportError('EOF'));
      events.closed(this);
    });
    // The idle timeout applies only between calls: a call has a timeout of its own.
    socket.setTimeout(IDLE_MS, () => {
      if (this.#post === undefined) socket.destroy();
    });
  }

  /** Whether the body of the current call's answer is being read. */
  get isInBody(): boolean {
    return this.#reader?.hasHead === true;
  }

  /** Gives a connection back that was taken and not used. */
  release(): void {
    this.#events.idle(this);
  }

  /** Sends a call on a connection without one. */
  send(post: Post): void {
    this.#post = post;
    this.#reader = new ResponseReader(post.answerBytes);
    this.socket.write(post.bytes);
  }

  /** Fails the call, if any, and closes the connection. */
  abort(error: Error): void {
    this.#fail(error);
    this.socket.destroy();
  }

  #take(bytes: Buffer): void {
    const reader = this.#reader;
    // The server sends bytes that no call waits for.
    if (reader === undefined) return void this.socket.destroy();
    try {
      if (reader.push(bytes)) this.#answered(reader);
    } catch (caught) {
      this.#break(toError(caught));
    }
  }

  #ended(): void {
    const reader = this.#reader;
    if (reader?.end() === true) this.#answered(reader);
    else this.#break(this.#failure ?? new TransportError(reader?.hasBegun === true ? 'unexpected EOF' : 'EOF'));
  }

  #answered(reader: ResponseReader): void {
    const { events } = this.#post as Post;
    this.#post = undefined;
    this.#reader = undefined;
    const { status, location, contentType } = reader;
    events.answered({ status, body: reader.body(), location, contentType });
    events.closed();
    // The answer came before the whole request was sent: the server does not read the rest.
    if (reader.keepsConnection && this.socket.writableLength === 0 && !this.socket.destroyed) this.#events.idle(this);
    else this.socket.destroy();
  }

  /** Fails the call for a connection or an answer that broke, and closes the connection. */
  #break(error: Error): void {
    this.abort(this.isInBody ? new BodyError(error.message, error) : error);
  }

  #fail(error: Error): void {
    const post = this.#post;
    this.#post = undefined;
    this.#reader = undefined;
    if (post === undefined) return;
    post.events.failed(error);
    post.events.closed();
  }
}
