/** A client of a test server, and servers with faults. */
import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session, type Settings } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Transport, TransportRequest, TransportResponse } from '../../apimachinery/http/transport.ts';
import type { Clock } from '../../base/clock.ts';
import { certificates } from '../listener.fixtures.ts';
import { cleanups } from '../proxy.fixtures.ts';
import { ServerTransport, type ServerTransportOptions } from './server-transport.ts';

/** Credentials that never change. The certificate authority is that of the test servers. */
export async function transportTo(
  server: string,
  more: Partial<ServerTransportOptions> & { readonly clock?: Clock } = {},
): Promise<ServerTransport> {
  const { ca } = await certificates();
  const credentials = { trust: { caPem: ca.certificatePem, clientCertificate: undefined }, headers: {} };
  const made = new ServerTransport({
    server,
    userAgent: 'test',
    credentials: { current: () => credentials, renew: async () => undefined, stop: () => {} },
    ...more,
  });
  cleanups.push(() => made.stop());
  return made;
}

export function get(
  { transport }: { readonly transport: Transport },
  target: string,
  more: Partial<TransportRequest> = {},
): Promise<TransportResponse> {
  return transport({ method: 'GET', target, ...more });
}

export function streamOf({ body }: TransportResponse): AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) throw new TypeError('the body is not a stream');
  return body;
}

export async function textOf({ body }: TransportResponse): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Resolves with what a promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

export interface Http2TestServer {
  readonly server: Http2SecureServer;
  readonly url: string;
  readonly port: number;
  /** The sessions that are open. */
  readonly sessions: Set<ServerHttp2Session>;
}

export async function http2Server(settings: Settings = {}): Promise<Http2TestServer> {
  const { server: pair } = await certificates();
  const server = createSecureServer({ key: pair.keyPem, cert: pair.certificatePem, settings });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream) => stream.on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `https://127.0.0.1:${port}`, port, sessions };
}

/** A TCP server whose connections are closed at the end of the test. */
export async function tcpServer(onSocket: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}
