import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { WebSocketPeer } from '../../server/http/exchange.ts';
import { listen, raw, readAll, stopAll, text } from '../listener.fixtures.ts';
import type { Listener } from '../listener.ts';

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const open: Listener[] = [];
afterEach(() => stopAll(open));

const requestHead = (more = '', key = KEY, version = '13'): string =>
  `GET /watch HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: ${version}\r\nsec-websocket-key: ${key}\r\n${more}\r\n`;

/** A masked frame, as clients send them. */
function frame(first: number, payload: Uint8Array | string): Buffer {
  const bytes = Buffer.from(payload as string);
  const mask = Buffer.from([1, 2, 3, 4]);
  const head = bytes.length < 126 ? Buffer.from([first, 0x80 | bytes.length]) : Buffer.alloc(4, first);
  if (bytes.length >= 126) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(bytes.length, 2);
  }
  return Buffer.concat([head, mask, bytes.map((byte, i) => byte ^ mask[i & 3]!)]);
}

async function serve(
  start: (peer: WebSocketPeer) => void,
  options: { protocols?: readonly string[]; clock?: VirtualClock } = {},
): Promise<Listener> {
  const listener = await listen(
    () => ({ kind: 'websocket', headers: { 'audit-id': '7' }, protocols: options.protocols ?? [], start }),
    options.clock === undefined ? {} : { clock: options.clock },
  );
  open.push(listener);
  return listener;
}

/** Reads until the server has sent `count` bytes after the head of its answer. */
async function afterHead(socket: TLSSocket, count: number): Promise<Buffer> {
  let all = Buffer.alloc(0);
  for (;;) {
    const head = all.indexOf('\r\n\r\n');
    if (head >= 0 && all.length - head - 4 >= count) return all.subarray(head + 4);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    all = Buffer.concat([all, chunk]);
  }
}

describe('a WebSocket', () => {
  it('whose client disconnected before the answer, or whose handshake fails, is started as closed', async () => {
    const asked = new Deferred<void>();
    const left = new Deferred<void>();
    const ended = new Deferred<void>();
    let over = 0;
    const start = (peer: WebSocketPeer): void => {
      peer.onClose(() => {
        over++;
        ended.resolve();
      });
    };
    const late = await listen(async (incoming) => {
      incoming.onClose(() => left.resolve());
      asked.resolve();
      await left.promise;
      return { kind: 'websocket', headers: {}, protocols: [], start };
    });
    open.push(late);
    const socket = await raw(late, 'http/1.1');
    socket.write(requestHead());
    await asked.promise;
    socket.destroy();
    await ended.promise;
    expect(over).toBe(1);

    const refusing = await serve(start);
    const other = await raw(refusing, 'http/1.1');
    const all = readAll(other);
    other.write(requestHead('', 'short'));
    expect(await all).toContain('400 Bad Request');
    expect(over).toBe(2);
  });

  it("is accepted with its key, the first supported protocol that the client offers, and the answer's headers", async () => {
    const listener = await serve((peer) => peer.close(1000, peer.protocol), { protocols: ['v2', 'v1'] });
    const socket = await raw(listener, 'http/1.1');
    const all = readAll(socket);
    socket.write(requestHead('sec-websocket-protocol: v0, v1\r\n'));
    socket.write(frame(0x88, Buffer.from([3, 0xe8])));
    const accept = createHash('sha1').update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    expect((await all).split('\r\n')).toEqual([
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      'Sec-WebSocket-Protocol: v1',
      'audit-id: 7',
      '',
      '\x88\x04\x03\xe8v1',
    ]);
  });

  it('carries messages in both directions, whole and in fragments, and answers pings', async () => {
    const seen: string[] = [];
    const listener = await serve((peer) => {
      peer.onMessage((message) => {
        const got = Buffer.from(message).toString();
        seen.push(got);
        peer.send(got.length < 200 ? `echo ${got}` : message);
      });
    });
    const socket = await raw(listener, 'http/1.1');
    const large = 'x'.repeat(70_000);
    // The first frame is sent in one write with the request.
    socket.write(Buffer.concat([Buffer.from(requestHead()), frame(0x81, 'hé')]));
    socket.write(frame(0x02, 'a'.repeat(60_000)));
    socket.write(frame(0x89, 'are you there'));
    socket.write(frame(0x80, 'a'.repeat(10_000)));
    const answer = await afterHead(socket, 10 + 15 + 70_010);
    expect(answer.subarray(0, 10).equals(Buffer.concat([Buffer.from([0x81, 8]), Buffer.from('echo hé')]))).toBe(true);
    expect(answer.includes(Buffer.from('\x0dare you there', 'latin1'))).toBe(true);
    expect(answer.subarray(-70_000).equals(Buffer.from(large.replaceAll('x', 'a')))).toBe(true);
    expect(answer.readUInt8(answer.length - 70_010)).toBe(0x82);
    expect(answer.readBigUInt64BE(answer.length - 70_008)).toBe(70_000n);
    expect(seen.map((one) => one.length)).toEqual([2, 70_000]);
    socket.destroy();
  });

  it.each([
    ['bad key', requestHead('', 'abc'), 400],
    ['other version', requestHead('', KEY, '8'), 426],
    ['no protocol in common', requestHead('sec-websocket-protocol: other\r\n'), 400],
    ['another upgrade', requestHead().replace('upgrade: websocket', 'upgrade: SPDY/3.1'), 400],
    ['another method', requestHead().replace('GET', 'POST'), 400],
    ['a body', requestHead('content-length: 5\r\n'), 400],
  ])('is refused for %s', async (_what, head, status) => {
    const listener = await serve(() => expect.fail('it must not start'), { protocols: ['v1'] });
    const socket = await raw(listener, 'http/1.1');
    const all = readAll(socket);
    socket.write(head);
    expect((await all).slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  });

  it('gets an ordinary answer if the handler returns one', async () => {
    const listener = await listen(() => text('who are you', 401));
    open.push(listener);
    const socket = await raw(listener, 'http/1.1');
    const all = readAll(socket);
    socket.write(requestHead());
    expect(await all).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n.*connection: close.*who are you$/is);
  });

  it.each([
    ['an unmasked frame', Buffer.from([0x81, 1, 0x61]), 1002],
    ['reserved bits', frame(0xc1, 'x'), 1002],
    ['an unknown opcode', frame(0x83, 'x'), 1002],
    ['a fragmented ping', frame(0x09, 'x'), 1002],
    ['a continuation of nothing', frame(0x80, 'x'), 1002],
    ['a message inside another', Buffer.concat([frame(0x01, 'x'), frame(0x81, 'x')]), 1002],
    ['text that is not UTF-8', frame(0x81, Buffer.from([0xff])), 1007],
    ['a message beyond the limit', Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]), 1009],
    ['a close code that means nothing', frame(0x88, Buffer.from([3, 0xed])), 1002],
  ])('is closed for %s', async (_what, bytes, code) => {
    const gone = new Deferred<void>();
    const listener = await serve((peer) => peer.onClose(() => gone.resolve()));
    const socket = await raw(listener, 'http/1.1');
    const all = readAll(socket);
    socket.write(requestHead());
    socket.write(bytes);
    const answer = Buffer.from(await all, 'latin1');
    const close = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
    expect([close[0], close.readUInt16BE(2)]).toEqual([0x88, code]);
    await gone.promise;
  });

  it("answers the client's close frame, and calls onClose", async () => {
    const gone = new Deferred<void>();
    const peers: WebSocketPeer[] = [];
    const listener = await serve((peer) => {
      peers.push(peer);
      peer.onClose(() => gone.resolve());
    });
    const socket = await raw(listener, 'http/1.1');
    const all = readAll(socket);
    socket.write(requestHead());
    socket.write(frame(0x88, Buffer.from([3, 0xe9])));
    expect((await all).endsWith('\x88\x02\x03\xe9')).toBe(true);
    await gone.promise;
    expect(peers[0]?.send('x')).toBe(false);
  });

  it('is closed when the client does not answer the close frame', async () => {
    const clock = new VirtualClock(Date.now());
    const listener = await serve((peer) => peer.close(1001, 'é'.repeat(100)), { clock });
    const socket = await raw(listener, 'http/1.1');
    socket.write(requestHead());
    const close = await afterHead(socket, 2);
    expect(close[1]).toBe(2 + 122);
    const end = readAll(socket);
    await clock.advance(40_000);
    await end;
  });

  it('applies backpressure for a client that does not read', async () => {
    const drained = new Deferred<void>();
    let waits = 0;
    const block = Buffer.alloc(200_000, 'z');
    let left = 100;
    const listener = await serve((peer) => {
      const pump = (): void => {
        while (left > 0) {
          left--;
          if (!peer.send(block)) {
            waits++;
            return;
          }
        }
        drained.resolve();
      };
      peer.onDrain(pump);
      pump();
    });
    const socket = await raw(listener, 'http/1.1');
    socket.write(requestHead());
    socket.resume();
    await drained.promise;
    expect(waits).toBeGreaterThan(5);
    socket.destroy();
  });
});
