/** A proxy made of the listener and the outbound client, its upstream servers, and clients for both protocols. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ClientHttp2Stream,
  connect,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
} from 'node:http2';
import { createServer, request as sendHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { type ByteSink, type ByteSource, joinTunnels } from '../server/http/byte-stream.ts';
import type { Answer, AnswerHeaders, Handler, Incoming } from '../server/http/exchange.ts';
import type { OutboundResponse } from '../server/http/outbound.ts';
import { certificates, listen, text } from './listener.fixtures.ts';
import type { Listener } from './listener.ts';
import { createOutboundClient } from './outbound/outbound-client.ts';

export type Protocol = 'h2' | 'http/1.1';

export type UpstreamHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

/** Functions that close what a test has opened, newest last. */
export const cleanups: (() => unknown)[] = [];

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export interface Upstream {
  readonly url: string;
  /** Destroys all connections. */
  kill(): void;
}

export async function upstream(
  protocol: Protocol,
  handler: UpstreamHandler,
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<Upstream> {
  const { server: pair } = await certificates();
  const tls = { key: pair.keyPem, cert: pair.certificatePem };
  const server: Server =
    protocol === 'h2' ? createSecureServer(tls, handler as never) : createServer(tls, handler as never);
  if (upgrade !== undefined) server.on('upgrade', upgrade);
  const sockets = new Set<Duplex>();
  server.on('secureConnection', (socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const kill = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  cleanups.push(() => {
    kill();
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, kill };
}

/** Wraps a source such that its use of the sink can be checked. */
export class MeasuredSource implements ByteSource {
  readonly #source: ByteSource;
  bytes = 0;
  /** The most bytes that were written without the sink saying that it has room for more. */
  highWater = 0;
  /** Writes to a sink that was full. */
  violations = 0;
  /** How often the sink was full. */
  pauses = 0;
  onPause: () => void = () => {};
  #unconfirmed = 0;
  #full = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  pipeTo(sink: ByteSink): void {
    this.#source.pipeTo({
      write: (chunks) => {
        if (this.#full) this.violations++;
        for (const chunk of chunks) {
          this.bytes += chunk.byteLength;
          this.#unconfirmed += chunk.byteLength;
        }
        this.highWater = Math.max(this.highWater, this.#unconfirmed);
        this.#full = !sink.write(chunks);
        if (!this.#full) this.#unconfirmed = 0;
        else {
          this.pauses++;
          this.onPause();
        }
        return !this.#full;
      },
      onDrain: (listener) =>
        sink.onDrain(() => {
          this.#full = false;
          this.#unconfirmed = 0;
          listener();
        }),
      end: () => sink.end(),
      abort: () => sink.abort(),
      onClose: (listener) => sink.onClose(listener),
    });
  }
}

export interface Proxy {
  readonly listener: Listener;
  /** The request body and the response body of the last request to a path that begins with /measured. */
  measured: { readonly request: MeasuredSource; response: MeasuredSource | undefined } | undefined;
}

const DROPPED = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect']);

function forwardedHeaders(incoming: Incoming): AnswerHeaders {
  const headers: Record<string, readonly string[]> = {};
  for (const name of incoming.headerNames()) if (!DROPPED.has(name)) headers[name] = incoming.headerValues(name);
  return headers;
}

/** A proxy in front of one upstream server, which is asked with HTTP/2 if it supports it. */
export async function proxyTo(target: { readonly url: string }): Promise<Proxy> {
  const { ca } = await certificates();
  const client = createOutboundClient();
  cleanups.push(() => client.stop());
  const answerOf = (response: OutboundResponse, source: ByteSource): Answer => ({
    kind: 'stream',
    status: response.status,
    headers: response.headers,
    start: (sink) => source.pipeTo(sink),
  });
  const handler: Handler = async (incoming) => {
    const controller = new AbortController();
    incoming.onClose(() => controller.abort());
    const common = {
      url: `${target.url}${incoming.target}`,
      ca: ca.certificatePem,
      method: incoming.method,
      headers: forwardedHeaders(incoming),
      signal: controller.signal,
    };
    try {
      const upgrade = incoming.header('upgrade');
      if (upgrade !== undefined) {
        const result = await client.upgrade({ ...common, upgrade });
        if (result.kind === 'response') return answerOf(result.response, result.response);
        const { protocol, headers, tunnel } = result;
        return { kind: 'tunnel', protocol, headers, start: (peer) => joinTunnels(peer, tunnel) };
      }
      if (!incoming.target.startsWith('/measured')) {
        const response = await client.request({ ...common, body: incoming.bodySource() });
        return answerOf(response, response);
      }
      const body = new MeasuredSource(incoming.bodySource());
      proxy.measured = { request: body, response: undefined };
      const response = await client.request({ ...common, body });
      const source = new MeasuredSource(response);
      proxy.measured.response = source;
      return answerOf(response, source);
    } catch (caught) {
      return text((caught as Error).message, 502);
    }
  };
  const proxy: Proxy = { listener: await listen(handler), measured: undefined };
  cleanups.push(() => proxy.listener.stop());
  return proxy;
}

export interface ClientExchange {
  readonly body: Writable;
  /** Rejects if the request fails before the response. */
  readonly response: Promise<{
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly body: Readable;
  }>;
  abort(): void;
}

/** Sends a request whose body is written by the test. */
export async function send(
  listener: Listener,
  protocol: Protocol,
  { method = 'POST', path, headers = {} }: { method?: string; path: string; headers?: Record<string, string> },
): Promise<ClientExchange> {
  const { ca } = await certificates();
  if (protocol === 'http/1.1') {
    const outgoing = sendHttps(`${listener.url}${path}`, { ca: ca.certificatePem, agent: false, method, headers });
    const response = new Promise<Awaited<ClientExchange['response']>>((resolve, reject) => {
      outgoing.on('response', (incoming) =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming }),
      );
      outgoing.on('error', reject);
    });
    response.catch(() => {});
    return { body: outgoing, response, abort: () => outgoing.destroy() };
  }
  const session = connect(listener.url, { ca: ca.certificatePem });
  session.on('error', () => {});
  cleanups.push(() => session.destroy());
  const stream: ClientHttp2Stream = session.request(
    { ':method': method, ':path': path, ...headers },
    { endStream: false },
  );
  const response = new Promise<Awaited<ClientExchange['response']>>((resolve, reject) => {
    stream.on('response', (fields) => resolve({ status: Number(fields[':status']), headers: fields, body: stream }));
    stream.on('error', reject);
  });
  response.catch(() => {});
  return { body: stream, response, abort: () => stream.destroy() };
}
