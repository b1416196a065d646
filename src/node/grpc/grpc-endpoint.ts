/** The addresses of gRPC servers: TCP with or without TLS, and sockets in the file system. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { ConfigError, toError } from '../../base/errors.ts';
import type { GrpcTls } from '../../base/grpc.ts';
import type { DirectReads } from '../outbound/direct-reads.ts';
import { NotSentError } from '../outbound/errors.ts';
import { KEEP_ALIVE_MS } from '../outbound/limits.ts';
import { originOf } from '../outbound/target.ts';

export interface GrpcEndpoint {
  readonly scheme: 'http' | 'https';
  /** The value of `:authority`. */
  readonly authority: string;
  /** Begins to connect. The socket is bound to `reads`. */
  connect(reads: DirectReads): Socket;
  /** Resolves when the socket can be written to. Rejects with a NotSentError. */
  connected(socket: Socket): Promise<void>;
}

const UNIX = 'unix://';

/** Throws ConfigError for an address that has none of the three forms. */
export function parseGrpcEndpoint(endpoint: string, tls: GrpcTls): GrpcEndpoint {
  if (endpoint.startsWith(UNIX)) {
    // Linux marks a name in the abstract namespace with a zero byte.
    const path = endpoint.slice(UNIX.length).replace(/^@/, '\0');
    if (path.length > 0) return plain('localhost', (reads) => connectPlain({ path, onread: reads.onread }));
  } else if (URL.canParse(endpoint)) {
    const url = new URL(endpoint);
    const { host, port } = originOf(url);
    if (url.protocol === 'http:') return plain(url.host, (reads) => connectPlain({ host, port, onread: reads.onread }));
    if (url.protocol === 'https:') return secure(url.host, host, port, tls);
  }
  throw new ConfigError(
    `${JSON.stringify(endpoint)} is not the address of a gRPC server (http://, https:// or unix:///path)`,
  );
}

function plain(authority: string, connect: (reads: DirectReads) => Socket): GrpcEndpoint {
  return {
    scheme: 'http',
    authority,
    connect: (reads) => prepared(connect(reads), reads),
    connected: (socket) => once(socket, 'connect'),
  };
}

function secure(authority: string, host: string, port: number, { ca, cert, key }: GrpcTls): GrpcEndpoint {
  return {
    scheme: 'https',
    authority,
    connect: (reads) =>
      prepared(
        connectTls({
          host,
          port,
          // Node's types lack `onread` here.
          ...({ onread: reads.onread } as object),
          ...(isIP(host) === 0 && { servername: host }),
          ALPNProtocols: ['h2'],
          ...(ca !== undefined && { ca }),
          ...(cert !== undefined && { cert }),
          ...(key !== undefined && { key }),
        }),
        reads,
      ),
    connected: async (socket) => {
      await once(socket, 'secureConnect');
      if (socket instanceof TLSSocket && socket.alpnProtocol !== 'h2')
        throw new NotSentError('the server does not support HTTP/2');
    },
  };
}

function prepared(socket: Socket, reads: DirectReads): Socket {
  reads.bind(socket, true);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket;
}

function once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      socket.off('error', failed);
      socket.off('close', closed);
    };
    const failed = (error: Error): void => {
      settle();
      // Node reports several addresses of one host as an AggregateError without a message.
      const cause = error instanceof AggregateError ? toError(error.errors[0]) : error;
      reject(new NotSentError(cause.message, { cause }));
    };
    const closed = (): void => failed(new NotSentError('the connection was closed'));
    socket.on('error', failed);
    socket.on('close', closed);
    socket.once(event, () => {
      settle();
      resolve();
    });
  });
}
