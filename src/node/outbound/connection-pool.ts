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
import { Agent } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { TransportError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ClientKeyPair } from '../../server/http/outbound.ts';
import { STOPPED } from './errors.ts';
import type { Origin } from './target.ts';

export interface TrustOptions {
  /** PEM; empty for the authorities that the system trusts. */
  readonly ca: string;
  readonly clientCertificate: ClientKeyPair | undefined;
}

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

export class ConnectionPool {
  readonly agent: Agent;
  readonly #tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly #sessions = new Map<string, PooledSession>();
  readonly #withoutHttp2 = new Set<string>();
  /** Origins whose protocol is being negotiated. */
  readonly #negotiating = new Map<string, Promise<Connection>>();
  #destroyed = false;

  constructor({ ca, clientCertificate }: TrustOptions) {
    this.#tls = { ...(ca === '' ? {} : { ca }), ...clientCertificate };
    this.agent = new Agent({ ...this.#tls, keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_FREE_SOCKETS });
  }

  /** Returns a connection that uses HTTP/2 if the origin supports it. Rejects with Node's error if none can be made. */
  negotiate(origin: Origin): MaybePromise<Connection> {
    const key = `${origin.host}|${origin.port}|${origin.servername ?? ''}`;
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

  /** The TLS options of a connection outside of the pool. */
  get tls(): { readonly ca?: string; readonly cert?: string; readonly key?: string } {
    return this.#tls;
  }

  /** Closes idle connections. Running requests continue; what they leave open closes after its idle time. */
  closeIdle(): void {
    for (const sockets of Object.values(this.agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  destroy(): void {
    this.#destroyed = true;
    this.agent.destroy();
    for (const session of this.#sessions.values()) session.destroy();
    this.#sessions.clear();
  }

  async #connect({ host, port, servername }: Origin, key: string): Promise<Connection> {
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      const connecting = connectTls({
        ...this.#tls,
        host,
        port,
        ALPNProtocols: ['h2', 'http/1.1'],
        ...(servername === undefined ? {} : { servername }),
      });
      connecting.once('error', reject);
      connecting.once('secureConnect', () => {
        connecting.off('error', reject);
        resolve(connecting);
      });
    });
    if (this.#destroyed) {
      socket.destroy();
      throw new TransportError(STOPPED);
    }
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
