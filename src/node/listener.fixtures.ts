/** Certificates and small clients for the tests of the listener. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../base/clock.ts';
import { createCa, issueServerCertificate, type KeyedCertificate } from '../pki/certificates.ts';
import type { Answer, Handler } from '../server/http/exchange.ts';
import { type Listener, type ListenerOptions, startListener } from './listener.ts';

export const clock: Clock = systemClock;
let made: Promise<{ ca: KeyedCertificate; server: KeyedCertificate }> | undefined;

export function certificates(): Promise<{ ca: KeyedCertificate; server: KeyedCertificate }> {
  made ??= (async () => {
    const ca = await createCa({ clock, commonName: 'test-only' });
    return { ca, server: await issueServerCertificate(ca, { clock }) };
  })();
  return made;
}

export async function listen(handler: Handler, options: Partial<ListenerOptions> = {}): Promise<Listener> {
  const { server } = await certificates();
  const tls = { key: server.keyPem, cert: server.certificatePem };
  return startListener({ host: '127.0.0.1', port: 0, tls, handler, ...options });
}

/** Resources that a test has opened, closed after it. */
export async function stopAll(listeners: Listener[]): Promise<void> {
  for (const listener of listeners.splice(0)) await listener.stop();
}

export function text(body: string, status = 200): Answer {
  return { kind: 'bytes', status, headers: { 'content-type': 'text/plain' }, body: new TextEncoder().encode(body) };
}

export async function h2(listener: Listener): Promise<ClientHttp2Session> {
  const { ca } = await certificates();
  const session = connect(listener.url, { ca: ca.certificatePem });
  session.on('error', () => {});
  await once(session, 'connect');
  return session;
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export async function h2Request(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string | Uint8Array,
): Promise<Response> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [response] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }];
  if (!stream.closed) await once(stream, 'close');
  return { status: response[':status'], headers: response, body: Buffer.concat(chunks).toString() };
}

export async function h1Request(
  listener: Listener,
  options: RequestOptions,
  body?: string | Uint8Array,
): Promise<Response> {
  const { ca } = await certificates();
  const outgoing = request(listener.url, { ca: ca.certificatePem, agent: false, ...options });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks).toString() };
}

/** A TLS connection without a client library on top. */
export async function raw(listener: Listener, protocol: 'h2' | 'http/1.1'): Promise<TLSSocket> {
  const { ca } = await certificates();
  const socket = connectTls({
    host: listener.address,
    port: listener.port,
    ca: ca.certificatePem,
    ALPNProtocols: [protocol],
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** Like `once(…, 'close')`, which would reject if an error comes first. */
export function closed(emitter: {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}): Promise<void> {
  return new Promise((resolve) => {
    if (emitter.destroyed) resolve();
    else emitter.once('close', resolve);
  });
}

/** Reads all bytes until the other side closes. */
export async function readAll(socket: TLSSocket): Promise<string> {
  let all = '';
  socket.on('data', (chunk: Buffer) => {
    all += chunk.toString('latin1');
  });
  if (!socket.destroyed) await once(socket, 'close');
  return all;
}
