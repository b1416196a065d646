import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { ByteTunnel } from '../server/http/byte-stream.ts';
import type { Handler } from '../server/http/exchange.ts';
import { closed, h1Request, h2, h2Request, listen, raw } from './listener.fixtures.ts';
import type { Listener } from './listener.ts';
import { cleanUp, cleanups, proxyTo, type Upstream, upstream } from './proxy.fixtures.ts';

afterEach(cleanUp);

const MB = 1024 * 1024;

function upgradeHead(protocol: string, more = ''): string {
  return `GET /tunnel HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: ${protocol}\r\n${more}\r\n`;
}

/**
 * Opens a tunnel through a listener: sends the head, then `first` in the same write, and waits for the answer's head.
 */
async function connectTunnel(
  listener: Listener,
  protocol: string,
  first = '',
): Promise<{ socket: TLSSocket; head: string; rest: Buffer }> {
  const socket = await raw(listener, 'http/1.1');
  cleanups.push(() => socket.destroy());
  socket.write(`${upgradeHead(protocol)}${first}`);
  let all = Buffer.alloc(0);
  while (!all.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    all = Buffer.concat([all, chunk]);
  }
  socket.pause();
  const end = all.indexOf('\r\n\r\n') + 4;
  return { socket, head: all.subarray(0, end).toString(), rest: all.subarray(end) };
}

async function readBytes(socket: TLSSocket, before: Buffer, count: number): Promise<Buffer> {
  const chunks = [before];
  let size = before.length;
  socket.resume();
  while (size < count) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    chunks.push(chunk);
    size += chunk.length;
  }
  socket.pause();
  return Buffer.concat(chunks);
}

/** Switches to the protocol that the client asks for, and calls back with the raw connection. */
function switching(
  onSocket: (socket: Duplex) => void,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  return (request, socket, head) => {
    socket.on('error', () => {});
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${request.headers.upgrade}\r\nx-a: 1\r\n\r\n`,
    );
    if (head.length > 0) socket.unshift(head);
    onSocket(socket);
  };
}

function echo(): Promise<Upstream> {
  return upstream(
    'http/1.1',
    () => {},
    switching((socket) => socket.pipe(socket)),
  );
}

describe('a proxied upgrade', () => {
  it('carries WebSocket messages in both directions', async () => {
    const server = await listen(() => ({
      kind: 'websocket',
      headers: {},
      protocols: [],
      start: (peer) => peer.onMessage((message) => peer.send(message)),
    }));
    cleanups.push(() => server.stop());
    const { listener } = await proxyTo(server);
    const socket = await raw(listener, 'http/1.1');
    cleanups.push(() => socket.destroy());
    const key = 'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    socket.write(upgradeHead('websocket', key));
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n/);
    expect(head.toString()).toContain('sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    for (const message of ['hello', 'world']) {
      // A masked text frame with the mask zero.
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | message.length, 0, 0, 0, 0]), Buffer.from(message)]));
      const expected = Buffer.concat([Buffer.from([0x82, message.length]), Buffer.from(message)]);
      expect(await readBytes(socket, Buffer.alloc(0), expected.length)).toEqual(expected);
    }
  });

  it('carries 20 MB of another protocol in both directions with backpressure', async () => {
    const { listener } = await proxyTo(await echo());
    const { socket, head, rest } = await connectTunnel(listener, 'SPDY/3.1', 'first');
    expect(head).toContain('Upgrade: SPDY/3.1\r\n');
    expect(head).toContain('x-a: 1\r\n');
    expect((await readBytes(socket, rest, 5)).toString()).toBe('first');
    const block = randomBytes(256 * 1024);
    const sent = createHash('sha256');
    const received = createHash('sha256');
    let size = 0;
    const all = new Deferred<void>();
    socket.on('data', (chunk: Buffer) => {
      received.update(chunk);
      size += chunk.length;
      // Reads one chunk per turn of the event loop.
      socket.pause();
      setImmediate(() => socket.resume());
      if (size === 20 * MB) all.resolve();
    });
    socket.resume();
    for (let i = 0; i < 80; i++) {
      sent.update(block);
      if (!socket.write(block)) await once(socket, 'drain');
    }
    await all.promise;
    expect(received.digest('hex')).toBe(sent.digest('hex'));
  });

  it('returns the answer of an upstream that does not switch protocols', async () => {
    const target = await upstream(
      'http/1.1',
      () => {},
      (_request, socket) => {
        socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno');
      },
    );
    const { listener } = await proxyTo(target);
    const answer = await h1Request(listener, { headers: { connection: 'Upgrade', upgrade: 'websocket' } });
    expect([answer.status, answer.body]).toEqual([403, 'no']);
  });

  it('closes the upstream connection when the client disconnects, cleanly or not', async () => {
    for (const leave of ['end', 'destroy'] as const) {
      const ended = new Deferred<void>();
      const target = await upstream(
        'http/1.1',
        () => {},
        switching((socket) => {
          socket.resume();
          socket.on('close', () => ended.resolve());
        }),
      );
      const { listener } = await proxyTo(target);
      const { socket } = await connectTunnel(listener, 'test');
      socket[leave]();
      await ended.promise;
    }
  });

  it('delivers the last bytes of the upstream before it closes, and closes when the upstream dies', async () => {
    const target = await upstream(
      'http/1.1',
      () => {},
      switching((socket) => {
        socket.once('data', (chunk: Buffer) => {
          if (chunk.toString() === 'finish') socket.end(Buffer.alloc(5 * MB));
          else socket.destroy();
        });
      }),
    );
    const { listener } = await proxyTo(target);
    const finishing = await connectTunnel(listener, 'test', 'finish');
    let size = finishing.rest.length;
    finishing.socket.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    finishing.socket.resume();
    await closed(finishing.socket);
    expect(size).toBe(5 * MB);
    const dying = await connectTunnel(listener, 'test', 'die');
    dying.socket.resume();
    await closed(dying.socket);
  });

  it('is closed when the listener drains', async () => {
    const target = await echo();
    const { listener } = await proxyTo(target);
    const { socket } = await connectTunnel(listener, 'test', 'x');
    socket.resume();
    await listener.drain();
    await closed(socket);
  });
});

describe('a tunnel', () => {
  async function serve(start: (tunnel: ByteTunnel) => void, clock?: VirtualClock): Promise<Listener> {
    const handler: Handler = () => ({ kind: 'tunnel', protocol: 'test', headers: { 'x-a': ['1', '2'] }, start });
    const listener = await listen(handler, clock === undefined ? {} : { clock });
    cleanups.push(() => listener.stop());
    return listener;
  }

  it('answers 101 with the given headers', async () => {
    const listener = await serve((tunnel) => tunnel.write([Buffer.from('hello')]));
    const { socket, head, rest } = await connectTunnel(listener, 'test');
    expect(head).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\nx-a: 1\r\nx-a: 2\r\n\r\n',
    );
    expect((await readBytes(socket, rest, 5)).toString()).toBe('hello');
  });

  it('is refused with 400 and started as closed if the request is not an upgrade, as on HTTP/2', async () => {
    let closes = 0;
    const listener = await serve((tunnel) => tunnel.onClose(() => closes++));
    const session = await h2(listener);
    cleanups.push(() => session.destroy());
    expect((await h1Request(listener, {})).status).toBe(400);
    expect((await h2Request(session, { ':path': '/' })).status).toBe(400);
    expect(closes).toBe(2);
  });

  it('calls onClose also after a clean end of either side', async () => {
    const closes = [new Deferred<void>(), new Deferred<void>()];
    let at = 0;
    const listener = await serve((tunnel) => {
      const mine = at++;
      tunnel.onClose(() => closes[mine]!.resolve());
      if (mine === 0) tunnel.end();
      else tunnel.pipeTo({ write: () => true, onDrain: () => {}, end: () => {}, abort: () => {}, onClose: () => {} });
    });
    const first = await connectTunnel(listener, 'test');
    first.socket.resume();
    await closes[0]!.promise;
    const second = await connectTunnel(listener, 'test');
    second.socket.resume();
    second.socket.end();
    await closes[1]!.promise;
  });

  it('is closed at its deadline if the client does not read', async () => {
    const clock = new VirtualClock();
    const full = new Deferred<void>();
    const gone = new Deferred<void>();
    const listener = await serve((tunnel) => {
      tunnel.onClose(() => gone.resolve());
      const block = Buffer.alloc(MB);
      const fill = (): void => {
        if (tunnel.write([block])) setImmediate(fill);
        else full.resolve();
      };
      tunnel.onDrain(fill);
      fill();
    }, clock);
    const { socket } = await connectTunnel(listener, 'test');
    socket.pause();
    await full.promise;
    for (let i = 0; i < 600; i++) await clock.advance(1_000);
    await gone.promise;
  });
});
