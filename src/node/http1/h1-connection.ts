/**
 * One HTTP/1.1 connection. Invariant: it is idle exactly while no exchange is open, and its deadline then bounds the time to the next whole set of
 * headers, however slowly they drip.
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
  place: number | undefined = undefined;
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
    wheel.add(this);
    socket.on('close', () => {
      wheel.delete(this);
      // Node closes the answer that has the socket, and forgets those that wait behind it.
      for (const exchange of this.#open) this.#release(exchange);
    });
  }

  certificate(): PeerCertificate | undefined {
    return this.#peer.certificate();
  }

  certificateProblem(): string | undefined {
    return this.#peer.certificateProblem();
  }

  /** Answers that are still to come say `connection: close` by themselves. */
  drain(): void {
    if (this.#open.size === 0) this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  expire(): void {
    this.#socket.destroy();
  }

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
        'an HTTP/1.1 connection was closed: too many requests sent ahead',
      );
      this.#socket.destroy();
      return;
    }
    // Counted here because Node's own limit silently drops what is beyond it.
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
      this.deadline = wheel.in(limits.idleTimeoutMs);
      if (this.#context.draining) this.#socket.end();
    });
    handle(this.#context, exchange);
  }

  #release(exchange: H1Exchange): void {
    if (!this.#open.delete(exchange)) return;
    this.#context.wheel.delete(exchange);
    exchange.closed();
  }
}

/** Answers without a request that could be handed on, and closes. The text is the one of Go's server. */
export function refuse(socket: TLSSocket, status: string): void {
  if (socket.writable) {
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`,
      () => socket.destroy(),
    );
  } else socket.destroy();
}
