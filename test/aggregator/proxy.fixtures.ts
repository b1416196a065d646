/** The proxy of the aggregator behind a real listener and real filters, with servers behind it on real sockets. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer as createTls, type TLSSocket } from 'node:tls';
import { createBackendClient } from '../../src/aggregator/proxy/backend-client.ts';
import { createProxy } from '../../src/aggregator/proxy/proxy-request.ts';
import type { BackendClient, RemoteVersion } from '../../src/aggregator/remote-version.ts';
import type { UserInfo } from '../../src/apimachinery/meta/user-info.ts';
import { systemClock } from '../../src/base/clock.ts';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import { certificates } from '../../src/node/listener.fixtures.ts';
import { type Listener, startListener } from '../../src/node/listener.ts';
import { createOutboundClient } from '../../src/node/outbound/outbound-client.ts';
import {
  createCa,
  issueClientCertificate,
  issueServerCertificate,
  type KeyedCertificate,
} from '../../src/pki/certificates.ts';
import { NOT_RECOGNIZED } from '../../src/server/authenticator.ts';
import { anonymousAuthenticator } from '../../src/server/filters/authentication/anonymous.ts';
import {
  bearerTokenAuthenticator,
  webSocketTokenAuthenticator,
} from '../../src/server/filters/authentication/bearer-token.ts';
import {
  FRONT_PROXY_AUTHORITY,
  requestHeaderAuthenticator,
  STANDARD_REQUEST_HEADERS,
} from '../../src/server/filters/authentication/request-header.ts';
import { createAuthenticator } from '../../src/server/filters/authentication/union.ts';
import { buildChain } from '../../src/server/filters/filter-chain.ts';
import { authorizerOf, LogRecorder } from '../../src/server/filters/filters.fixtures.ts';
import type { ClientKeyPair, ServiceAddress, ServiceResolver } from '../../src/server/http/outbound.ts';
import { createLongRunningCheck, InFlightGate } from '../../src/server/in-flight.ts';

export const GROUP = 'rec.example.com';
export const PATH: string = `/apis/${GROUP}/v1/namespaces/x/things`;
export const SERVICE = { namespace: 'x', name: 'rec', port: 443 };
/** The token of `ada`. */
export const TOKEN = 'ada-token';

const ADA: UserInfo = {
  name: 'ada',
  uid: 'u-1',
  groups: ['dev', 'system:authenticated'],
  extra: { 'example.com/scope%': ['a', 'b'] },
};

const cleanups: (() => unknown)[] = [];

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

interface BackendPki {
  readonly ca: KeyedCertificate;
  readonly serving: KeyedCertificate;
  readonly proxyCa: KeyedCertificate;
  readonly proxyClient: KeyedCertificate;
}
let made: Promise<BackendPki> | undefined;

export function backendPki(): Promise<BackendPki> {
  made ??= (async () => {
    const clock = systemClock;
    const ca = await createCa({ clock, commonName: 'backend-ca' });
    const proxyCa = await createCa({ clock, commonName: 'front-proxy-ca' });
    return {
      ca,
      serving: await issueServerCertificate(ca, { clock, hosts: ['rec.x.svc'] }),
      proxyCa,
      proxyClient: await issueClientCertificate(proxyCa, { clock, user: 'front-proxy-client', groups: [] }),
    };
  })();
  return made;
}

export interface Backend {
  readonly address: ServiceAddress;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<TLSSocket>;
  /** The connections that were accepted so far. */
  accepted: number;
  stop(): void;
}

/** The connections below TLS, by the port of the proxy. */
const plainSockets = new Map<number | undefined, Socket>();

/** Sends a TCP reset. */
export function reset(socket: TLSSocket): void {
  plainSockets.get(socket.remotePort)?.resetAndDestroy();
}

interface BackendOptions {
  readonly pair?: KeyedCertificate;
  /** Another port than a free one, to start a server again where it was. */
  readonly port?: number;
}

async function listenOn(server: Server, { port = 0 }: BackendOptions): Promise<Backend> {
  const sockets = new Set<TLSSocket>();
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket);
    backend.accepted++;
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    plainSockets.set(remotePort, socket);
    socket.on('close', () => plainSockets.delete(remotePort));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  cleanups.push(stop);
  const backend: Backend = {
    address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    sockets,
    accepted: 0,
    stop,
  };
  return backend;
}

async function tlsOf({ pair }: BackendOptions): Promise<object> {
  const { serving, proxyCa } = await backendPki();
  const { keyPem: key, certificatePem: cert } = pair ?? serving;
  return { key, cert, ca: proxyCa.certificatePem, requestCert: true, rejectUnauthorized: false };
}

/** A server that answers each request head with bytes. Every head is passed to `onHead`. */
export async function rawBackend(
  onHead: (head: string, socket: TLSSocket) => void,
  options: BackendOptions = {},
): Promise<Backend> {
  const server = createTls({ ...(await tlsOf(options)), ALPNProtocols: ['http/1.1'] }, (socket) => {
    let buffered = '';
    socket.on('data', (chunk: Buffer) => {
      buffered += chunk.toString('latin1');
      const end = buffered.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = buffered.slice(0, end);
      buffered = '';
      onHead(head, socket);
    });
  });
  return listenOn(server, options);
}

export type BackendHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

export async function httpBackend(
  protocol: 'h2' | 'http/1.1',
  handler: BackendHandler,
  options: BackendOptions = {},
): Promise<Backend> {
  const tls = await tlsOf(options);
  const server = protocol === 'h2' ? createSecureServer(tls, handler as never) : createHttps(tls, handler as never);
  return listenOn(server as Server, options);
}

/** Returns the headers of a head, names in lower case. */
export function headersOf(head: string): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers[name] = [...(headers[name] ?? []), line.slice(colon + 1).trim()];
  }
  return headers;
}

export interface Aggregated {
  readonly listener: Listener;
  readonly clock: VirtualClock;
  readonly log: LogRecorder;
  readonly client: BackendClient;
  /** The version that requests are passed on to. Tests change it. */
  version: RemoteVersion;
  /** The addresses of the Service. Tests change them. */
  addresses: readonly ServiceAddress[];
  certificate: ClientKeyPair | undefined;
}

export interface AggregatedOptions {
  readonly addresses: readonly ServiceAddress[];
  readonly version?: Partial<RemoteVersion>;
  readonly services?: ServiceResolver;
  readonly rejectsRedirects?: boolean;
  readonly strictTransportSecurity?: string;
}

/** Other paths than those of GROUP are answered here, with `own`. */
export async function startAggregated(options: AggregatedOptions): Promise<Aggregated> {
  const { ca, proxyClient } = await backendPki();
  // Certificates of clients are valid now.
  const clock = new VirtualClock(Date.now());
  const log = new LogRecorder();
  const outbound = createOutboundClient();
  const services: ServiceResolver = options.services ?? {
    resolve: (_namespace, _name, _port, tried = []) => {
      const isTried = (address: ServiceAddress): boolean =>
        tried.some(({ host, port }) => host === address.host && port === address.port);
      return (aggregated.addresses.find((address) => !isTried(address)) ?? aggregated.addresses[0])!;
    },
  };
  const client = createBackendClient({ outbound, services, clientCertificate: () => aggregated.certificate });
  const own = () => ({ kind: 'bytes', status: 200, headers: {}, body: Buffer.from('own') }) as const;
  const { rejectsRedirects, strictTransportSecurity } = options;
  const proxy = createProxy({ client, clock, own, ...(rejectsRedirects !== undefined && { rejectsRedirects }) });
  const tokens = (token: string) => (token === TOKEN ? ({ outcome: 'ok', user: ADA } as const) : NOT_RECOGNIZED);
  const handler = buildChain({
    clock,
    logger: log,
    newAuditId: () => 'audit-1',
    authenticate: createAuthenticator({
      authenticators: [
        requestHeaderAuthenticator({ ...STANDARD_REQUEST_HEADERS, allowedNames: ['front-proxy-client'] }),
        bearerTokenAuthenticator(tokens),
        webSocketTokenAuthenticator(tokens),
      ],
      anonymous: anonymousAuthenticator(),
    }),
    authorizer: authorizerOf(() => true),
    isLongRunning: createLongRunningCheck({ verbs: ['watch'], subresources: [] }),
    gate: new InFlightGate(),
    flows: { match: () => ({ schemaUid: 'schema-1', priorityLevelUid: 'level-1' }) },
    strictTransportSecurity,
    dispatch: (request) =>
      request.info.path.startsWith(`/apis/${GROUP}/`) ? proxy(request, aggregated.version) : own(),
  });
  const { server } = await certificates();
  const clientCa = { [FRONT_PROXY_AUTHORITY]: (await backendPki()).proxyCa.certificatePem };
  const tls = { key: server.keyPem, cert: server.certificatePem, clientCa };
  const listener = await startListener({ host: '127.0.0.1', port: 0, tls, handler, clock });
  cleanups.push(async () => {
    await listener.stop();
    await outbound.stop();
  });
  const aggregated: Aggregated = {
    listener,
    clock,
    log,
    client,
    addresses: options.addresses,
    certificate: { cert: proxyClient.certificatePem, key: proxyClient.keyPem },
    version: {
      name: `v1.${GROUP}`,
      group: GROUP,
      version: 'v1',
      service: SERVICE,
      ca: ca.certificatePem,
      insecureSkipTlsVerify: false,
      groupPriority: 1000,
      versionPriority: 10,
      availability: { status: 'True', reason: 'Passed', message: '' },
      ...options.version,
    },
  };
  return aggregated;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string[]>;
  readonly body: string;
  /** Whether the server closed the connection before the end of the body. */
  readonly isBroken: boolean;
}

/** Sends bytes over a new connection, and reads one answer. Lines are separated by `\n`. */
export async function ask(
  { listener }: Aggregated,
  head: string,
  body = '',
  certificate?: KeyedCertificate,
): Promise<RawAnswer> {
  const socket = await openClient(listener, certificate);
  socket.write(
    `${head
      .trim()
      .split('\n')
      .map((line) => line.trim())
      .join('\r\n')}\r\n\r\n${body}`,
  );
  const answer = await readAnswer(socket, head.startsWith('HEAD'));
  socket.destroy();
  return answer;
}

/** Asks for a path as ada. */
export function get(aggregated: Aggregated, path: string = PATH, headers = ''): Promise<RawAnswer> {
  return ask(aggregated, `GET ${path} HTTP/1.1\nHost: api.example.com\nAuthorization: Bearer ${TOKEN}\n${headers}`);
}

export async function openClient(listener: Listener, certificate?: KeyedCertificate): Promise<TLSSocket> {
  const { ca } = await certificates();
  const socket = connect({
    ...(certificate && { cert: certificate.certificatePem, key: certificate.keyPem }),
    host: '127.0.0.1',
    port: listener.port,
    ca: ca.certificatePem,
    ALPNProtocols: ['http/1.1'],
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  cleanups.push(() => socket.destroy());
  return socket;
}

/** Reads an answer with a length or in chunks; the body of 101 is what came with it. */
export function readAnswer(socket: TLSSocket, isHead = false): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let all = '';
    const parse = (isClosed: boolean): void => {
      const end = all.indexOf('\r\n\r\n');
      if (end < 0) {
        if (isClosed) resolve({ status: 0, headers: {}, body: all, isBroken: true });
        return;
      }
      const head = all.slice(0, end);
      const headers = headersOf(head);
      const status = Number(head.split(' ')[1]);
      const rest = all.slice(end + 4);
      const length = headers['content-length']?.[0];
      const done = (body: string, isBroken: boolean): void => resolve({ status, headers, body, isBroken });
      if (status === 101 || isHead || status === 304 || status === 204) done(rest, false);
      else if (length !== undefined) {
        if (rest.length >= Number(length) || isClosed) done(rest, rest.length < Number(length));
      } else if (rest.endsWith('0\r\n\r\n')) done(unchunked(rest), false);
      else if (isClosed) done(rest, headers['transfer-encoding'] !== undefined);
    };
    socket.on('data', (chunk: Buffer) => {
      all += chunk.toString('latin1');
      parse(false);
    });
    socket.on('close', () => parse(true));
  });
}

function unchunked(text: string): string {
  let body = '';
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.slice(0, end), 16);
    if (!(size > 0)) return body;
    body += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 4 + size);
  }
}

/** Resolves when the check passes; it is called in every turn of the event loop. */
export async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setImmediate(resolve));
}
