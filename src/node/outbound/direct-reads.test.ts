import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { certificates } from '../listener.fixtures.ts';
import { DirectReads } from './direct-reads.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Connects to a server that sends these chunks, each in a TLS record of its own or in several, and then ends. */
async function receiving(
  chunks: readonly Buffer[],
): Promise<{ readonly reads: DirectReads; readonly socket: TLSSocket }> {
  const { server: pair } = await certificates();
  const server: Server = createServer({ cert: pair.certificatePem, key: pair.keyPem }, (peer) => {
    peer.on('error', () => undefined);
    for (const chunk of chunks) peer.write(chunk);
    peer.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reads = new DirectReads();
  const { port } = server.address() as AddressInfo;
  // Node's types lack `onread` here.
  const options = { host: '127.0.0.1', port, rejectUnauthorized: false, onread: reads.onread };
  const socket = connect(options);
  reads.bind(socket, true);
  stops.push(() => {
    socket.destroy();
    server.close();
  });
  await once(socket, 'secureConnect');
  return { reads, socket };
}

/** Chunks of all sizes, no two alike. */
function chunksOf(sizes: readonly number[]): Buffer[] {
  return sizes.map((size, i) => Buffer.alloc(size, `${i}|`));
}

const SMALL = chunksOf(Array.from({ length: 200 }, (_, i) => 1 + ((i * 37) % 900)));
const MIXED = chunksOf([10, 70_000, 600, 600, 16_384, 1, 300_000, 5_000, 20]);

describe('direct reads', () => {
  for (const [what, chunks] of [
    ['small records', SMALL],
    ['bodies of all sizes', MIXED],
  ] as const)
    it(`hand on ${what} in order, in memory that is not written to again`, async () => {
      const { reads, socket } = await receiving(chunks);
      const kept: Buffer[] = [];
      const ended = once(socket, 'end');
      reads.listen((bytes) => kept.push(bytes));
      await ended;
      expect(Buffer.concat(kept).equals(Buffer.concat(chunks))).toBe(true);
    });

  it('hand on the bytes that came before the listener first', async () => {
    const { reads, socket } = await receiving(SMALL);
    await once(socket, 'readable');
    const kept: Buffer[] = [];
    const ended = once(socket, 'end');
    reads.listen((bytes) => kept.push(bytes));
    await ended;
    expect(Buffer.concat(kept).equals(Buffer.concat(SMALL))).toBe(true);
  });

  it('leave a socket without a listener a stream that can be paused', async () => {
    const { socket } = await receiving(MIXED);
    const kept: Buffer[] = [];
    // An iterator reads on demand, so the stream is full meanwhile.
    for await (const bytes of socket) {
      kept.push(bytes as Buffer);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(Buffer.concat(kept).equals(Buffer.concat(MIXED))).toBe(true);
  });

  it('keep little memory alive with a small piece', async () => {
    const { reads, socket } = await receiving(SMALL);
    const kept: Buffer[] = [];
    const ended = once(socket, 'end');
    reads.listen((bytes) => kept.push(bytes));
    await ended;
    const largest = Math.max(...kept.filter(({ length }) => length < 4096).map(({ buffer }) => buffer.byteLength));
    expect(largest).toBeLessThanOrEqual(64 * 1024);
  });
});
