/** An outbound request over HTTP/1.1. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { type RequestOptions, request as sendHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { TransportError } from '../../base/errors.ts';
import { type ByteSink, type ByteSource, type ByteTunnel, EMPTY_SOURCE } from '../../server/http/byte-stream.ts';
import type { OutboundResponse, OutboundUpgrade, OutboundUpgradeRequest } from '../../server/http/outbound.ts';
import { pipeReadable } from '../streams/pipe-readable.ts';
import { openTunnel } from '../streams/socket-tunnel.ts';
import { writableSink } from '../streams/writable-sink.ts';
import type { Connection, ConnectionPool } from './connection-pool.ts';
import { type Abort, BODY_ABORTED, type Message, type Sending } from './request-events.ts';
import { type ParsedTarget, responseHeaders } from './target.ts';
import { readTrailers } from './trailers.ts';

type Http1Connection = Extract<Connection, { protocol: 'http/1.1' }>;

/** Sends the head and the body. */
export function sendHttp1(
  { request, target, events }: Sending<Message, OutboundResponse>,
  pool: ConnectionPool,
  { socket }: Http1Connection,
): Abort {
  const body = request.body === EMPTY_SOURCE ? undefined : request.body;
  const outgoing = pool.send({
    ...optionsOf(request.method, target),
    // Node ignores createConnection if there is an agent.
    ...(socket === undefined ? { agent: pool.agent } : { createConnection: () => socket }),
    headers: {
      host: target.authority,
      ...(body instanceof Uint8Array ? { 'content-length': body.byteLength } : undefined),
      ...(request.headers as Record<string, string>),
    },
  });
  outgoing.on('response', (incoming) => events.answered(new Http1Response(outgoing, incoming)));
  outgoing.on('error', (error) => events.failed(error));
  outgoing.on('close', () => events.closed());
  // Node reports the end of a request that waits for its connection only when there is one.
  const abort: Abort = (error) => {
    events.failed(error);
    outgoing.destroy(error);
  };
  // The agent would close the connection, and Node would report no error.
  outgoing.on('upgrade', (incoming, socket) => {
    socket.destroy();
    const protocol = JSON.stringify(incoming.headers.upgrade ?? '');
    events.failed(new TransportError(`backend tried to switch protocol ${protocol} when "" was requested`));
  });
  if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
  else pipeWhenConnected(body, outgoing, () => abort(new TransportError(BODY_ABORTED)));
  return abort;
}

/**
 * Pipes the source once there is a connection. Before that, nothing of the source is read, so the request can be sent
 * again over another connection.
 */
function pipeWhenConnected(body: ByteSource, outgoing: ClientRequest, abort: () => void): void {
  const pipe = (): void => body.pipeTo(writableSink(outgoing, abort));
  if (outgoing.socket === null) outgoing.once('socket', pipe);
  else pipe();
}

/** Sends an upgrade request over a connection of its own. */
export function sendUpgrade(
  { request, target, events }: Sending<Pick<OutboundUpgradeRequest, 'method' | 'headers' | 'upgrade'>, OutboundUpgrade>,
  connection: TLSSocket,
): Abort {
  const { method, headers, upgrade } = request;
  let tunnel: ByteTunnel | undefined;
  const outgoing = sendHttps({
    ...optionsOf(method, target),
    createConnection: () => connection,
    headers: { host: target.authority, ...(headers as Record<string, string>), connection: 'Upgrade', upgrade },
  });
  outgoing.on('upgrade', (incoming, socket, head) => {
    tunnel = openTunnel(socket, head);
    tunnel.onClose(() => events.closed());
    const protocol = incoming.headers.upgrade ?? upgrade;
    events.answered({ kind: 'tunnel', protocol, headers: responseHeaders(incoming.rawHeaders), tunnel });
  });
  outgoing.on('response', (incoming) => {
    // Node would keep the connection, which belongs to no agent.
    incoming.on('close', () => connection.destroy());
    events.answered({ kind: 'response', response: new Http1Response(outgoing, incoming) });
  });
  outgoing.on('error', (error) => events.failed(error));
  outgoing.on('close', () => {
    if (tunnel === undefined) events.closed();
  });
  outgoing.end();
  return (error) => (tunnel === undefined ? outgoing.destroy(error) : tunnel.abort());
}

function optionsOf(method: string, { host, port, path, servername }: ParsedTarget): RequestOptions {
  return { method, host, port, path, servername };
}

class Http1Response implements OutboundResponse {
  readonly status: number;
  readonly headers: OutboundResponse['headers'];
  readonly #outgoing: ClientRequest;
  readonly #incoming: IncomingMessage;

  constructor(outgoing: ClientRequest, incoming: IncomingMessage) {
    this.status = incoming.statusCode ?? 0;
    this.headers = responseHeaders(incoming.rawHeaders);
    this.#outgoing = outgoing;
    this.#incoming = incoming;
  }

  pipeTo(sink: ByteSink): void {
    pipeReadable(this.#incoming, sink, {
      trailers: () => readTrailers(this.#incoming.rawTrailers),
      onCancel: () => this.abort(),
    });
  }

  abort(): void {
    this.#outgoing.destroy();
  }
}
