/**
 * The connections to other servers under one trust configuration: kept HTTP/1.1 connections and HTTP/2 sessions.
 * Invariant: a connection is used only for requests with the same CA bundle and client certificate as that which made
 * it.
 */

import { Agent as PlainAgent, request as sendPlain } from 'node:http';
import { Agent, type RequestOptions, request as sendHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { H2Shared } from '../http2/shared.ts';
import { Dialer, type TrustOptions } from './dial.ts';
import { DirectReads } from './direct-reads.ts';
import { NotSentError } from './errors.ts';
import { IDLE_MS, MAX_FREE_SOCKETS, MAX_KNOWN_ORIGINS } from './limits.ts';
import { PooledSession } from './pooled-session.ts';
import { PostConnections } from './post-connections.ts';
import { keyOf, type Origin } from './target.ts';

/** A connection for one request. */
export type Connection =
  /** A stream of the session is reserved. */
  | { readonly protocol: 'h2'; readonly session: PooledSession }
  /** `socket` is a connection that the request may use up; undefined to take one from the agent. */
  | { readonly protocol: 'http/1.1'; readonly socket: TLSSocket | undefined };

/** Takes a kept HTTP/1.1 connection, or a new one. */
export const FROM_AGENT: Connection = { protocol: 'http/1.1', socket: undefined };

const AGENT_OPTIONS = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_FREE_SOCKETS };

/** An agent whose connections are verified before a request gets them. */
class VerifyingAgent extends Agent {
  readonly #dialer: Dialer;

  constructor(dialer: Dialer) {
    super(AGENT_OPTIONS);
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

export interface PoolOptions extends TrustOptions {
  /** Connections without TLS, for HTTP/1.1 alone. Default false. */
  readonly isPlain?: boolean;
  /** The output of HTTP/2 connections, which several pools may share. */
  readonly http2: H2Shared;
}

/** Gives up a connection that was not used: releases its reserved stream, or closes its socket. */
export function discardConnection(connection: Connection): void {
  if (connection.protocol === 'h2') connection.session.release();
  else connection.socket?.destroy();
}

export class ConnectionPool {
  /** The kept HTTP/1.1 connections. */
  readonly agent: PlainAgent;
  /** The connections of calls that are sent as a whole. */
  readonly posts: PostConnections;
  /** Sends a request over HTTP/1.1, with or without TLS. */
  readonly send: typeof sendHttps;
  readonly #isPlain: boolean;
  readonly #dialer: Dialer;
  readonly #clock: Clock;
  readonly #http2: H2Shared;
  /** Sessions that take requests. There are several if the server limits the streams of one. */
  readonly #sessions = new Map<string, PooledSession[]>();
  readonly #open = new Set<PooledSession>();
  readonly #withoutHttp2 = new Set<string>();
  #isRetired = false;
  /** Origins whose protocol is being negotiated. */
  readonly #negotiating = new Map<string, Promise<Connection>>();

  constructor(options: PoolOptions) {
    this.#isPlain = options.isPlain ?? false;
    this.#clock = options.clock;
    this.#http2 = options.http2;
    this.#dialer = new Dialer(options);
    this.posts = new PostConnections(this.#dialer);
    this.agent = this.#isPlain ? new PlainAgent(AGENT_OPTIONS) : new VerifyingAgent(this.#dialer);
    this.send = this.#isPlain ? sendPlain : sendHttps;
  }

  /** Returns a connection that uses HTTP/2 if the origin supports it. Rejects with Node's error if none can be made. */
  negotiate(origin: Origin): MaybePromise<Connection> {
    if (this.#isPlain) return FROM_AGENT;
    const key = origin.key ?? keyOf(origin);
    const sessions = this.#sessions.get(key);
    for (let i = 0; sessions !== undefined && i < sessions.length; i++) {
      const session = sessions[i]!;
      if (session.reserve()) return { protocol: 'h2', session };
    }
    if (this.#withoutHttp2.has(key)) return FROM_AGENT;
    const negotiating = this.#negotiating.get(key);
    // Only the first request uses the new socket, if it is an HTTP/1.1 connection.
    if (negotiating !== undefined)
      return negotiating.then((connection) => (connection.protocol === 'h2' ? this.negotiate(origin) : FROM_AGENT));
    const started = this.#connect(origin, key);
    const settled = (): void => void this.#negotiating.delete(key);
    started.then(settled, settled);
    this.#negotiating.set(key, started);
    return started;
  }

  /** Makes a connection outside of the pool, for HTTP/1.1. */
  dial(origin: Origin): Promise<TLSSocket> {
    return this.#dialer.dial(origin, ['http/1.1']);
  }

  /** The number of connections that exist. */
  get connections(): number {
    const sockets = [this.agent.sockets, this.agent.freeSockets].flatMap((lists) => Object.values(lists));
    return this.#open.size + this.posts.idle + sockets.reduce((sum, list) => sum + (list?.length ?? 0), 0);
  }

  /** True once the owner has dropped the pool: new requests use another one. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Closes idle connections, and marks the pool as dropped. */
  retire(): void {
    this.#isRetired = true;
    this.closeIdle();
  }

  /** Closes idle connections. Running requests continue; what they leave open closes after its idle time. */
  closeIdle(): void {
    for (const sockets of Object.values(this.agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    for (const session of this.#open) session.close();
    this.posts.closeIdle();
  }

  destroy(): void {
    this.#isRetired = true;
    this.#dialer.stop();
    this.agent.destroy();
    for (const session of this.#open) session.destroy();
    this.posts.closeIdle();
  }

  async #connect(origin: Origin, key: string): Promise<Connection> {
    const reads = new DirectReads();
    const socket = await this.#dialer.dial(origin, ['h2', 'http/1.1'], reads);
    if (socket.alpnProtocol !== 'h2') {
      if (this.#withoutHttp2.size >= MAX_KNOWN_ORIGINS) this.#withoutHttp2.clear();
      this.#withoutHttp2.add(key);
      return { protocol: 'http/1.1', socket };
    }
    const session: PooledSession = new PooledSession(
      { socket, reads, http2: this.#http2, clock: this.#clock },
      { onRetired: () => this.#forget(key, session), onClosed: () => this.#open.delete(session) },
    );
    this.#open.add(session);
    await session.start();
    if (!session.reserve()) throw new NotSentError('http2: the server takes no requests');
    const sessions = this.#sessions.get(key);
    if (sessions === undefined) this.#sessions.set(key, [session]);
    else sessions.push(session);
    return { protocol: 'h2', session };
  }

  #forget(key: string, session: PooledSession): void {
    const rest = this.#sessions.get(key)?.filter((other) => other !== session) ?? [];
    if (rest.length === 0) this.#sessions.delete(key);
    else this.#sessions.set(key, rest);
  }
}
