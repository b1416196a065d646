/**
 * The listener on one TLS port, for HTTP/2 and HTTP/1.1 according to ALPN.
 * Invariants: `#accepted` contains every socket from accept to close. Until a connection object takes over, the socket
 * has a deadline in the wheel. After `stop()` resolves, no socket and no timer is left.
 */
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import {
  createSecureContext,
  createServer as createTlsServer,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { type Clock, systemClock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { ConfigError, toError } from '../base/errors.ts';
import type { Handler } from '../server/http/exchange.ts';
import { DeadlineWheel, type Timed } from './deadline-wheel.ts';
import type { ExchangeContext, ServedConnection } from './exchange-context.ts';
import { H1Connection, refuse } from './http1/h1-connection.ts';
import { createUpgrader } from './http1/upgrade.ts';
import { H2Connection } from './http2/h2-connection.ts';
import { H2Shared } from './http2/shared.ts';
import { defaultLimits, type ListenerLimits } from './limits.ts';
import { type ListenerProblem, ProblemReports } from './problems.ts';
import type { TlsConfig } from './tls/tls-config.ts';
import { createTlsIdentity, type TlsIdentity, withDefaultCertificate } from './tls/tls-identity.ts';
import { plainAddress, TlsPeer } from './tls/tls-peer.ts';

export interface ListenerOptions {
  /** An IP address or a name. `::` accepts IPv4 too. */
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly tls: TlsConfig;
  readonly handler: Handler;
  /** Overrides of `defaultLimits`. */
  readonly limits?: Partial<ListenerLimits>;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Called per request on HTTP/2: true sends GOAWAY, and the client opens another connection. Default: never. */
  readonly endsConnection?: (() => boolean) | undefined;
  /** Called for each problem that an operator should know. Default: problems are dropped. */
  readonly onProblem?: (problem: ListenerProblem) => void;
}

export interface Listener {
  /** The IP address that it listens on. */
  readonly address: string;
  readonly port: number;
  /** `https://127.0.0.1:6443`, with the address that it listens on. */
  readonly url: string;
  /** Returns the number of open sockets, including unfinished handshakes. */
  connections(): number;
  /**
   * Replaces certificates and client CAs from the next handshake on. Throws ConfigError, and changes nothing, if they
   * cannot be used, or if they introduce or remove client CAs altogether: whether clients are asked for certificates is
   * fixed at the start.
   */
  setTls(tls: TlsConfig): void;
  /**
   * Accepts no new connections and requests, and resolves when the last connection is closed. Running requests finish.
   * Handlers must end their streaming answers, WebSockets and tunnels themselves.
   */
  drain(): Promise<void>;
  /** Closes all connections at once, and resolves when they are closed. */
  stop(): Promise<void>;
}

const TICK_MS = 1_000;
const KEEP_ALIVE_MS = 30_000;
const BACKLOG = 1_024;
/** First byte of a TLS record that carries a handshake. */
const TLS_HANDSHAKE = 0x16;
const PLAIN_HTTP = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Starts to listen. Throws ConfigError if the port or the certificates cannot be used. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const listener = new NodeListener(options, createTlsIdentity(options.tls));
  await listener.listen(options.host, options.port);
  return listener;
}

/** An accepted socket. `served` is set after its handshake. */
class Accepted implements Timed {
  deadline: number;
  readonly socket: Socket;
  served: ServedConnection | undefined;

  constructor(socket: Socket, deadline: number) {
    this.socket = socket;
    this.deadline = deadline;
  }

  expire(): void {
    this.socket.destroy();
  }
}

class NodeListener implements Listener {
  address = '';
  port = 0;
  readonly #clock: Clock;
  readonly #limits: ListenerLimits;
  readonly #context: ExchangeContext;
  readonly #wheel: DeadlineWheel;
  readonly #problems: ProblemReports;
  readonly #net: NetServer;
  readonly #tls: TlsServer;
  readonly #h2: H2Shared;
  readonly #http: HttpServer;
  /**
   * The open sockets by both addresses of the connection, because a TLSSocket does not expose its underlying socket.
   */
  readonly #accepted = new Map<string, Accepted>();
  readonly #h1 = new WeakMap<object, H1Connection>();
  #identity: TlsIdentity;
  #drained: Deferred<void> | undefined;
  #stopped = false;

  constructor(options: ListenerOptions, identity: TlsIdentity) {
    this.#clock = options.clock ?? systemClock;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#identity = identity;
    this.#problems = new ProblemReports(options.onProblem ?? (() => {}));
    this.#wheel = new DeadlineWheel(this.#clock, { tickMs: TICK_MS, onTick: () => this.#problems.tick() });
    this.#context = {
      handler: options.handler,
      limits: this.#limits,
      wheel: this.#wheel,
      problems: this.#problems,
      draining: false,
      endsConnection: options.endsConnection,
    };
    this.#net = createNetServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }, (socket) =>
      this.#accept(socket),
    );
    this.#tls = withDefaultCertificate(() => this.#createTls());
    this.#h2 = new H2Shared(this.#clock);
    this.#http = this.#createHttp();
  }

  get url(): string {
    return `https://${this.address.includes(':') ? `[${this.address}]` : this.address}:${this.port}`;
  }

  connections(): number {
    return this.#accepted.size;
  }

  async listen(host: string, port: number): Promise<void> {
    try {
      this.#net.listen({ host, port, backlog: BACKLOG });
      await once(this.#net, 'listening');
    } catch (caught) {
      throw listenError(host, port, toError(caught));
    }
    const bound = this.#net.address() as AddressInfo;
    this.address = bound.address;
    this.port = bound.port;
    // After most of these errors, such as a lack of file descriptors, Node continues to accept.
    this.#net.on('error', (error) =>
      this.#problems.report('too-many-connections', '', `a connection could not be accepted: ${error.message}`, error),
    );
  }

  setTls(tls: TlsConfig): void {
    const identity = createTlsIdentity(tls);
    if ((identity.authorities === undefined) !== (this.#identity.authorities === undefined))
      throw new ConfigError('client certificate authorities cannot be introduced or dropped without a restart');
    // Checked first: a server that refuses the certificate in `setSecureContext` has already applied other options.
    withDefaultCertificate(() => createSecureContext(identity.options));
    this.#tls.setSecureContext(identity.options);
    this.#identity = identity;
  }

  drain(): Promise<void> {
    if (this.#drained === undefined) {
      this.#drained = new Deferred();
      this.#context.draining = true;
      this.#net.close();
      for (const accepted of this.#accepted.values()) {
        if (accepted.served === undefined) accepted.socket.destroy();
        else accepted.served.drain();
      }
      if (this.#accepted.size === 0) this.#drained.resolve();
    }
    return this.#drained.promise;
  }

  stop(): Promise<void> {
    const drained = this.drain();
    if (!this.#stopped) {
      this.#stopped = true;
      for (const accepted of this.#accepted.values()) {
        accepted.served?.destroy();
        accepted.socket.destroy();
      }
    }
    return drained;
  }

  #accept(socket: Socket): void {
    const remote = plainAddress(socket.remoteAddress);
    if (this.#context.draining || this.#accepted.size >= this.#limits.maxConnections) {
      if (!this.#context.draining)
        this.#problems.report(
          'too-many-connections',
          remote,
          `a connection was refused: ${this.#accepted.size} are open`,
        );
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    // The client has disconnected already.
    if (key === undefined) {
      socket.destroy();
      return;
    }
    const accepted = new Accepted(socket, 0);
    this.#accepted.set(key, accepted);
    this.#wheel.add(accepted);
    accepted.deadline = this.#wheel.in(this.#limits.handshakeTimeoutMs);
    // The 'close' event that follows is handled.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#wheel.delete(accepted);
      this.#accepted.delete(key);
      if (this.#accepted.size === 0) this.#drained?.resolve();
    });
    socket.once('data', (first: Buffer) => this.#firstBytes(socket, remote, first));
  }

  #firstBytes(socket: Socket, remote: string, first: Buffer): void {
    socket.pause();
    if (first[0] !== TLS_HANDSHAKE && looksLikeHttp(first)) {
      this.#problems.report('plain-http', remote, 'a client sent an HTTP request to an HTTPS server');
      socket.end(PLAIN_HTTP, () => socket.destroy());
      return;
    }
    socket.unshift(first);
    this.#tls.emit('connection', socket);
  }

  #createTls(): TlsServer {
    const server = createTlsServer({
      ...this.#identity.options,
      ALPNProtocols: ['h2', 'http/1.1'],
      requestCert: this.#identity.authorities !== undefined,
      rejectUnauthorized: false,
      // The deadline wheel enforces the limit.
      handshakeTimeout: 2 ** 31 - 1,
      SNICallback: (serverName, done) => done(null, this.#identity.contextFor(serverName)),
    });
    server.on('secureConnection', (socket) => this.#serve(socket));
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      const remote = plainAddress(socket.remoteAddress);
      if (error.code !== 'ECONNRESET')
        this.#problems.report('tls-handshake', remote, `TLS handshake error: ${error.message}`, error);
      socket.destroy();
    });
    return server;
  }

  #serve(socket: TLSSocket): void {
    const accepted = this.#accepted.get(keyOf(socket) ?? '');
    if (accepted === undefined || this.#context.draining) {
      socket.destroy();
      return;
    }
    socket.on('error', () => {});
    this.#wheel.delete(accepted);
    const peer = new TlsPeer(socket, this.#identity.authorities, this.#clock);
    if (socket.alpnProtocol === 'h2') {
      const connection = new H2Connection(this.#context, this.#h2, socket, peer);
      accepted.served = connection;
      connection.start();
    } else {
      const connection = new H1Connection(this.#context, socket, peer);
      accepted.served = connection;
      this.#h1.set(socket, connection);
      connection.start();
      this.#http.emit('connection', socket);
    }
  }

  #createHttp(): HttpServer {
    const server = createHttpServer({
      maxHeaderSize: this.#limits.maxHeaderBytes,
      // The deadline wheel enforces these limits.
      requestTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: 0,
    });
    server.maxHeadersCount = 0;
    const accept = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void => {
      const connection = this.#h1.get(request.socket);
      if (connection === undefined) request.socket.destroy();
      else connection.accept(request, response, { expectsContinue });
    };
    server.on('request', (request, response) => accept(request, response, false));
    server.on('checkContinue', (request, response) => accept(request, response, true));
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket as TLSSocket, head));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // The client has disconnected, perhaps within a body.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || error.code === 'HPE_INVALID_EOF_STATE') {
        socket.destroy();
        return;
      }
      const remote = plainAddress((socket as TLSSocket).remoteAddress);
      this.#problems.report('broken-protocol', remote, `an HTTP/1.1 connection broke: ${error.message}`, error);
      refuse(
        socket as TLSSocket,
        error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request',
      );
    });
    return server;
  }

  /**
   * Handles an upgrade request. Node has detached the connection from its parser, so it carries only this request,
   * whatever the answer is.
   */
  #upgrade(request: IncomingMessage, socket: TLSSocket, head: Buffer): void {
    const connection = this.#h1.get(socket);
    // Node no longer parses a body.
    if (connection === undefined || hasBody(request)) {
      refuse(socket, '400 Bad Request');
      return;
    }
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    response.on('finish', () => {
      response.detachSocket(socket);
      socket.destroySoon();
    });
    const { maxMessageBytes } = this.#limits;
    const upgrade = createUpgrader({ request, response, socket, head, maxMessageBytes });
    connection.accept(request, response, { expectsContinue: false, upgrade });
  }
}

function keyOf(socket: Socket): string | undefined {
  if (socket.remotePort === undefined) return undefined;
  return `${socket.remoteAddress}|${socket.remotePort}|${socket.localAddress}`;
}

/** Returns whether the bytes begin with upper-case letters, as an HTTP method does and a TLS record does not. */
function looksLikeHttp(first: Uint8Array): boolean {
  return first.length >= 3 && first.subarray(0, 3).every((byte) => byte >= 0x41 && byte <= 0x5a);
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function listenError(host: string, port: number, cause: Error): ConfigError {
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const code = (cause as NodeJS.ErrnoException).code;
  const why =
    code === 'EADDRINUSE'
      ? 'another program uses that port already; stop it, or choose another port (0 takes any free one)'
      : code === 'EACCES'
        ? 'this user may not use that port; choose one above 1023'
        : code === 'EADDRNOTAVAIL'
          ? 'this machine does not have that address; choose one that it has, such as 127.0.0.1'
          : code === 'ENOTFOUND' || code === 'EAI_AGAIN'
            ? 'the name has no address; choose an IP address of this machine, such as 127.0.0.1'
            : `${cause.message}; choose another address or port`;
  return new ConfigError(`cannot listen on ${where}: ${why}`, { cause });
}
