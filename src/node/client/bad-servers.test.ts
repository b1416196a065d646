import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { certificates } from '../listener.fixtures.ts';
import { cleanUp, cleanups } from '../proxy.fixtures.ts';
import { failure, get, streamOf, tcpServer, textOf, transportTo } from './client.fixtures.ts';

afterEach(cleanUp);

/** A TLS server that sends raw bytes. Returns its URL and the number of its connections. */
async function tlsServer(protocol: string, onSocket: (socket: TLSSocket) => void) {
  const { server: pair } = await certificates();
  const server = createTlsServer({ key: pair.keyPem, cert: pair.certificatePem, ALPNProtocols: [protocol] });
  const sockets = new Set<Socket>();
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.byteLength, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));
/** `:status: 200` of the static table. */
const HEADERS = Buffer.from([0x88]);

/** Calls back after the head of the first request. */
function onRequest(socket: TLSSocket, answer: () => void): void {
  let bytes = Buffer.alloc(0);
  let isAnswered = false;
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    // The preface, then frames.
    for (let at = 24; at + 9 <= bytes.byteLength; at += 9 + bytes.readUIntBE(at, 3))
      if (bytes[at + 3] === 1 && !isAnswered) {
        isAnswered = true;
        answer();
      }
  });
}

type Case = readonly [name: string, protocol: string, serve: (socket: TLSSocket) => void];

const cases: readonly Case[] = [
  ['garbage', 'http/1.1', (socket) => socket.write('no HTTP at all\r\n\r\n')],
  ['garbage on HTTP/2', 'h2', (socket) => socket.write('no HTTP at all\r\n\r\n')],
  ['the end of the connection', 'http/1.1', (socket) => socket.on('data', () => socket.end())],
  ['the end of the connection on HTTP/2', 'h2', (socket) => socket.end()],
  [
    'too many header bytes',
    'http/1.1',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      for (let i = 0; i < 1000; i++) socket.write(`x-header-${i}: ${'a'.repeat(1000)}\r\n`);
    },
  ],
  [
    'headers without end on HTTP/2',
    'h2',
    (socket) => {
      socket.write(SETTINGS);
      onRequest(socket, () => {
        socket.write(frame(1, 0, 1, HEADERS));
        // Literal fields without indexing: the name `x` and 1,000 bytes.
        const field = Buffer.concat([Buffer.from([0, 1, 0x78, 0x7f, 0xe9, 0x06]), Buffer.alloc(1000, 0x61)]);
        for (let i = 0; i < 1000; i++) socket.write(frame(9, 0, 1, Buffer.concat(Array(10).fill(field))));
      });
    },
  ],
  [
    'a frame that is too large',
    'h2',
    (socket) => {
      socket.write(SETTINGS);
      onRequest(socket, () => socket.write(frame(0, 0, 1, Buffer.alloc(100_000))));
    },
  ],
  [
    'fewer bytes than it declared',
    'http/1.1',
    (socket) => socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx')),
  ],
  [
    'a chunk that is not one',
    'http/1.1',
    (socket) => socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n')),
  ],
];

const silent: readonly Case[] = [['no response', 'h2', (socket) => socket.write(SETTINGS)]];

describe('a server that sends', () => {
  it.each(cases)('%s fails the request, and nothing is left', async (_name, protocol, serve) => {
    const { url, sockets } = await tlsServer(protocol, serve);
    const made = await transportTo(url);
    const error = await failure(get(made, '/').then(textOf));
    expect(error).toMatchObject({ keelsonError: 'TransportError' });
    await expect.poll(() => made.connections).toBe(0);
    made.stop();
    await expect.poll(() => sockets.size).toBe(0);
  });

  it.each(silent)('%s fails the request by a health ping', async (_name, protocol, serve) => {
    const clock = new VirtualClock(Date.now());
    const { url, sockets } = await tlsServer(protocol, serve);
    const made = await transportTo(url, { clock });
    const failed = failure(get(made, '/'));
    await expect.poll(() => clock.pendingTimers).toBe(1);
    await clock.advance(75_000);
    expect(await failed).toMatchObject({ keelsonError: 'TransportError', connectionLost: true });
    await expect.poll(() => made.connections + sockets.size).toBe(0);
  });

  it('data before the head fails the request, and leaves the connection', async () => {
    const { url, sockets } = await tlsServer('h2', (socket) => {
      socket.write(SETTINGS);
      onRequest(socket, () => socket.write(frame(0, 0, 1, Buffer.from('x'))));
    });
    const made = await transportTo(url);
    const error = await failure(get(made, '/'));
    expect(error).toMatchObject({ keelsonError: 'TransportError', retryable: false, connectionLost: false });
    expect((error as Error).message).toContain('stream error: stream ID 1; PROTOCOL_ERROR');
    expect([made.connections, sockets.size]).toEqual([1, 1]);
  });

  it('no TLS fails the request, which was not sent', async () => {
    const { port } = await tcpServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const made = await transportTo(`https://127.0.0.1:${port}`);
    const error = await failure(made.transport({ method: 'POST', target: '/' }));
    expect(error).toMatchObject({ keelsonError: 'TransportError', retryable: true });
    expect(made.connections).toBe(0);
  });

  it('a body without end is read as far as the reader wants', async () => {
    const { url, sockets } = await tlsServer('http/1.1', (socket) =>
      socket.on('data', () => {
        const more = (): void => {
          while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024)));
        };
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.on('drain', more);
        more();
      }),
    );
    const made = await transportTo(url);
    let bytes = 0;
    for await (const chunk of streamOf(await get(made, '/'))) {
      bytes += chunk.byteLength;
      if (bytes > 10_000_000) break;
    }
    await expect.poll(() => sockets.size).toBe(0);
    expect(made.connections).toBe(0);
  });
});
