/**
 * The connections to other servers under one trust configuration: kept HTTP/1.1 connections and HTTP/2 sessions.
 * Invariant: a connection is used only for requests with the same CA bundle and client certificate as that which made
 * it.
 */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { Agent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { toError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { Dialer, type TrustOptions } from './dial.ts';
import type { Origin } from './target.ts';

/** A connection for one request. */
export type Connection =
  | { readonly protocol: 'h2'; readonly session: PooledSession }
  /** `socket` is a connection that the request may use up; undefined to take one from the agent. */
  | { readonly protocol: 'http/1.1'; readonly socket: TLSSocket | undefined };

const IDLE_MS = 30_000;
const MAX_FREE_SOCKETS = 16;
/** Origins that are known to have no HTTP/2. */
const MAX_KNOWN_ORIGINS = 1_000;
/** The receive windows of Go's transport, so that paused streams do not block the others of their session. */
const SESSION_WINDOW = 2 ** 30;
const STREAM_WINDOW = 256 * 1024;
/** Takes a kept HTTP/1.1 connection, or a new one. */
export const FROM_AGENT: Connection = { protocol: 'http/1.1', socket: undefined };

/** An agent whose connections are verified before a request gets them. */
class VerifyingAgent extends Agent {
  readonly #dialer: Dialer;

  constructor(dialer: Dialer) {
    super({ keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_FREE_SOCKETS });
    this.#dialer = dialer;
  }

  /** Called by Node. The result comes through the callback. */
  override createConnection(
    { host, port, servername }: RequestOptions,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): null {
    const origin: Origin = { host: host as string, port: Number(port), servername: servername as string };
    const answer = callback as (error: Error | null, socket?: Duplex) => void;
    this.#dialer.dial(origin, ['http/1.1']).then(
      (socket) => answer(null, socket),
      (caught: unknown) => answer(toError(caught)),
    );
    return null;
  }
}

export class ConnectionPool {
  readonly agent: Agent;
  readonly #dialer: Dialer;
  readonly #sessions = new Map<string, PooledSession>();
  readonly #withoutHttp2 = new Set<string>();
  /** Origins whose protocol is being negotiated. */
  readonly #negotiating = new Map<string, Promise<Connection>>();

  constructor(options: TrustOptions) {
    this.#dialer = new Dialer(options);
    this.agent = new VerifyingAgent(this.#dialer);
  }

  /** Returns a connection that uses HTTP/2 if the origin supports it. Rejects with Node's error if none can be made. */
  negotiate(origin: Origin): MaybePromise<Connection> {
    const key = `${origin.host}|${origin.port}|${origin.servername}`;
    const session = this.#sessions.get(key);
    if (session?.isUsable) return { protocol: 'h2', session };
    if (this.#withoutHttp2.has(key)) return FROM_AGENT;
    const negotiating = this.#negotiating.get(key);
    // Only the first request uses the new socket, if it is an HTTP/1.1 connection.
    if (negotiating !== undefined)
      return negotiating.then((connection) => (connection.protocol === 'h2' ? connection : FROM_AGENT));
    const started = this.#connect(origin, key).finally(() => this.#negotiating.delete(key));
    this.#negotiating.set(key, started);
    return started;
  }

  /** Makes a connection outside of the pool, for HTTP/1.1. */
  dial(origin: Origin): Promise<TLSSocket> {
    return this.#dialer.dial(origin, ['http/1.1']);
  }

  /** Closes idle connections. Running requests continue; what they leave open closes after its idle time. */
  closeIdle(): void {
    for (const sockets of Object.values(this.agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  destroy(): void {
    this.#dialer.stop();
    this.agent.destroy();
    for (const session of this.#sessions.values()) session.destroy();
    this.#sessions.clear();
  }

  async #connect(origin: Origin, key: string): Promise<Connection> {
    const socket = await this.#dialer.dial(origin, ['h2', 'http/1.1']);
    if (socket.alpnProtocol !== 'h2') {
      if (this.#withoutHttp2.size >= MAX_KNOWN_ORIGINS) this.#withoutHttp2.clear();
      this.#withoutHttp2.add(key);
      return { protocol: 'http/1.1', socket };
    }
    const session = new PooledSession(
      connectHttp2('https://upstream', {
        createConnection: () => socket,
        settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      }),
    );
    session.start(() => {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
    });
    this.#sessions.set(key, session);
    return { protocol: 'h2', session };
  }
}

/** An HTTP/2 session that closes after its idle time, and does not keep the process alive while it has no streams. */
export class PooledSession {
  readonly #session: ClientHttp2Session;
  #streams = 0;
  #retired = false;

  constructor(session: ClientHttp2Session) {
    this.#session = session;
  }

  /** `onRetired` is called once or more when the session takes no more requests. */
  start(onRetired: () => void): void {
    const session = this.#session;
    const retire = (): void => {
      this.#retired = true;
      onRetired();
    };
    session.once('connect', () => session.setLocalWindowSize(SESSION_WINDOW));
    // Each stream reports the failure itself.
    session.on('error', retire);
    session.on('goaway', retire);
    session.on('close', retire);
    session.setTimeout(IDLE_MS, () => {
      if (this.#streams === 0) this.close();
    });
  }

  get isUsable(): boolean {
    return !this.#retired && !this.#session.closed && !this.#session.destroyed;
  }

  /** Opens a stream. */
  request(headers: OutgoingHttpHeaders, options: ClientSessionRequestOptions): ClientHttp2Stream {
    const stream = this.#session.request(headers, options);
    if (this.#streams++ === 0) this.#session.ref();
    stream.once('close', () => {
      if (--this.#streams === 0) this.#session.unref();
    });
    return stream;
  }

  /** Takes no more requests and closes after the last one. */
  close(): void {
    this.#retired = true;
    this.#session.close();
  }

  destroy(): void {
    this.#retired = true;
    this.#session.destroy();
  }
}
