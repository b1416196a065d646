/**
 * One HTTP/1.1 connection.
 * Invariant: while no exchange is open, the connection's deadline bounds the time until the next request's headers are
 * complete.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { PeerCertificate } from '../../server/http/exchange.ts';
import { NEVER, type Timed } from '../deadline-wheel.ts';
import { type ExchangeContext, handle, type ServedConnection } from '../exchange-context.ts';
import type { TlsPeer } from '../tls/tls-peer.ts';
import { H1Exchange, type H1ExchangeOptions } from './h1-exchange.ts';

export class H1Connection implements ServedConnection, Timed {
  readonly protocol = 'http/1.1' as const;
  readonly secure = true;
  readonly remoteAddress: string;
  deadline: number;
  index: number | undefined = undefined;
  readonly #context: ExchangeContext;
  readonly #socket: TLSSocket;
  readonly #peer: TlsPeer;
  readonly #open = new Set<H1Exchange>();

  constructor(context: ExchangeContext, socket: TLSSocket, peer: TlsPeer) {
    const { limits, wheel } = context;
    this.#context = context;
    this.#socket = socket;
    this.#peer = peer;
    this.remoteAddress = peer.remoteAddress;
    this.deadline = wheel.in(limits.headersTimeoutMs);
  }

  /** Called once, before the first request. */
  start(): void {
    const { wheel } = this.#context;
    wheel.add(this);
    this.#socket.on('close', () => {
      wheel.delete(this);
      // Node emits 'close' only on the response that has the socket, not on pipelined ones that wait for it.
      for (const exchange of this.#open) this.#release(exchange);
    });
  }

  certificate(): PeerCertificate | undefined {
    return this.#peer.certificate();
  }

  certificateProblem(authority: string): string | undefined {
    return this.#peer.certificateProblem(authority);
  }

  /** Closes an idle connection. Later answers carry `connection: close` by themselves. */
  drain(): void {
    if (this.#open.size === 0) this.#socket.end();
    for (const exchange of this.#open) exchange.drain();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  expire(): void {
    this.#socket.destroy();
  }

  /** Called for each request whose headers are complete. */
  accept(
    request: IncomingMessage,
    response: ServerResponse,
    how: Pick<H1ExchangeOptions, 'expectsContinue' | 'upgrade'>,
  ): void {
    const { limits, wheel, problems } = this.#context;
    if (this.#open.size >= limits.maxPipelined) {
      problems.report(
        'too-many-pipelined-requests',
        this.remoteAddress,
        'an HTTP/1.1 connection was closed: too many pipelined requests',
      );
      this.#socket.destroy();
      return;
    }
    // Node's own limit silently drops the headers beyond it, so they are counted here.
    if (request.rawHeaders.length / 2 > limits.maxHeaderCount) {
      refuse(this.#socket, '431 Request Header Fields Too Large');
      return;
    }
    const exchange = new H1Exchange({ context: this.#context, connection: this, request, response, ...how });
    this.#open.add(exchange);
    this.deadline = NEVER;
    wheel.add(exchange);
    response.on('close', () => {
      this.#release(exchange);
      if (this.#open.size > 0) return;
      this.deadline = wheel.in(exchange.isReceiving ? limits.lingerMs : limits.idleTimeoutMs);
      if (this.#context.draining) this.#socket.end();
    });
    handle(this.#context, exchange);
  }

  #release(exchange: H1Exchange): void {
    if (!this.#open.delete(exchange)) return;
    this.#context.wheel.delete(exchange);
    exchange.handleClose();
  }
}

/** Answers a request that cannot be passed to a handler, and closes the connection. The text is that of Go's server. */
export function refuse(socket: TLSSocket, status: string): void {
  if (socket.writable) {
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`,
      () => socket.destroy(),
    );
  } else socket.destroy();
}
