import { once } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { readThrough } from '../../client/leader-term.ts';
import { cleanUp } from '../proxy.fixtures.ts';
import { failure, get, http2Server, streamOf, tcpServer, textOf, transportTo } from './client.fixtures.ts';

afterEach(cleanUp);

function answer(stream: ServerHttp2Stream, text: string): void {
  stream.respond({ ':status': 200 });
  stream.end(text);
}

describe('HTTP/2 connections', () => {
  it('carry many requests at once', async () => {
    const { server, url, sessions } = await http2Server();
    server.on('stream', (stream, headers) => answer(stream, headers[':path'] ?? ''));
    const made = await transportTo(url);
    const targets = Array.from({ length: 500 }, (_, i) => `/${i}`);
    expect(await Promise.all(targets.map(async (target) => textOf(await get(made, target))))).toEqual(targets);
    expect([sessions.size, made.connections]).toEqual([1, 1]);
  });

  it('are added when the server allows no more streams, also for requests that start together', async () => {
    const { server, url, sessions } = await http2Server({ maxConcurrentStreams: 10 });
    let open = 0;
    server.on('stream', (stream) => {
      open++;
      stream.on('close', () => open--);
      stream.respond({ ':status': 200 });
      stream.write('x');
    });
    const made = await transportTo(url);
    const watches = await Promise.all(Array.from({ length: 25 }, () => get(made, '/')));
    expect([sessions.size, made.connections]).toEqual([3, 3]);
    for (const watch of watches) for await (const _chunk of streamOf(watch)) break;
    await expect.poll(() => open).toBe(0);
    expect(await Promise.all(Array.from({ length: 10 }, () => get(made, '/')))).toHaveLength(10);
    expect(made.connections).toBe(3);
  });

  it('take no new requests after GOAWAY, and finish those that they have', async () => {
    const { server, url, sessions } = await http2Server();
    const watching = new Deferred<ServerHttp2Stream>();
    server.on('stream', (stream, headers) => {
      if (headers[':path'] === '/short') {
        answer(stream, String(sessions.size));
        return;
      }
      stream.respond({ ':status': 200 });
      stream.write('x');
      watching.resolve(stream);
    });
    const made = await transportTo(url);
    const watch = streamOf(await get(made, '/watch'))[Symbol.asyncIterator]();
    await watch.next();
    const stream = await watching.promise;
    stream.session?.goaway();
    await expect.poll(async () => textOf(await get(made, '/short'))).toBe('2');
    stream.end('rest');
    expect(Buffer.from((await watch.next()).value ?? []).toString()).toBe('rest');
    expect((await watch.next()).done).toBe(true);
    await expect.poll(() => made.connections).toBe(1);
  });

  it('send a request again that the server refused', async () => {
    const { server, url } = await http2Server();
    let refusals = 0;
    server.on('stream', (stream, headers) => {
      if (headers[':path'] === '/always' || refusals++ < 2) stream.close(7);
      else answer(stream, 'ok');
    });
    const made = await transportTo(url);
    expect(await textOf(await made.transport({ method: 'POST', target: '/', body: Buffer.from('x') }))).toBe('ok');
    const error = await failure(made.transport({ method: 'POST', target: '/always', body: Buffer.from('x') }));
    expect(error).toMatchObject({ retryable: true, connectionLost: false });
  });

  it('carry no request whose signal would abort when it is read after the wait for a connection', async () => {
    const { server, url } = await http2Server();
    let paths: string[] = [];
    server.on('stream', (stream, headers) => {
      paths.push(headers[':path'] ?? '');
      answer(stream, '');
    });
    const abort = new AbortController();
    let isLost = false;
    // As after a pause of the process: the timer that should abort has not fired yet.
    server.on('connection', () => {
      isLost = true;
    });
    const signal = readThrough(abort.signal, () => {
      if (isLost) abort.abort(new Error('the Lease is lost'));
    });
    const made = await transportTo(url);
    expect(await failure(get(made, '/late', { signal }))).toMatchObject({ message: 'the Lease is lost' });
    paths = [];
    await get(made, '/next');
    expect(paths).toEqual(['/next']);
  });

  it('send no request again whose signal would abort when it is read', async () => {
    const { server, url } = await http2Server();
    const abort = new AbortController();
    let attempts = 0;
    server.on('stream', (stream) => {
      attempts++;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    const signal = readThrough(abort.signal, () => {
      if (attempts > 0) abort.abort(new Error('the Lease is lost'));
    });
    const made = await transportTo(url);
    expect(await failure(get(made, '/', { signal }))).toMatchObject({ message: 'the Lease is lost' });
    expect(attempts).toBe(1);
  });

  it('that the server closes in order in the middle of a body are lost', async () => {
    const { server, url } = await http2Server();
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('x', () => stream.session?.destroy());
    });
    const made = await transportTo(url);
    expect(await failure(get(made, '/').then(textOf))).toMatchObject({ retryable: true, connectionLost: true });
    await expect.poll(() => made.connections).toBe(0);
  });

  it('report a stream that the server reset', async () => {
    const { server, url } = await http2Server();
    server.on('stream', (stream, headers) => {
      if (headers[':path'] === '/body') {
        stream.respond({ ':status': 200 });
        stream.write('x', () => stream.destroy(new Error('broken')));
      } else stream.close(2);
    });
    const made = await transportTo(url);
    for (const target of ['/head', '/body']) {
      const error = await failure(get(made, target).then(textOf));
      expect(error).toMatchObject({ retryable: true, connectionLost: false });
      expect((error as Error).message).toContain('; INTERNAL_ERROR; received from peer');
    }
    expect(made.connections).toBe(1);
  });
});

/** A relay that stops forwarding, such that its connections look alive. */
async function relayTo(port: number): Promise<{ readonly port: number; freeze(): void }> {
  const pairs: [Socket, Socket][] = [];
  const relay = await tcpServer((socket) => {
    const upstream = connect(port, '127.0.0.1');
    upstream.on('error', () => {});
    socket.on('close', () => upstream.destroy());
    socket.pipe(upstream);
    upstream.pipe(socket);
    pairs.push([socket, upstream]);
  });
  const freeze = (): void => {
    for (const [a, b] of pairs) {
      a.unpipe(b);
      b.unpipe(a);
      a.resume();
      b.resume();
    }
  };
  return { port: relay.port, freeze };
}

describe('health pings', () => {
  it('end the watches of a peer that does not answer, after 50 s', async () => {
    const clock = new VirtualClock(Date.now());
    const { server, port } = await http2Server();
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('x');
    });
    const relay = await relayTo(port);
    const made = await transportTo(`https://127.0.0.1:${relay.port}`, { clock });
    const watch = streamOf(await get(made, '/'))[Symbol.asyncIterator]();
    await watch.next();
    relay.freeze();
    const reading = failure(watch.next());
    // The first check, after 5 s, sees that bytes have arrived.
    await clock.advance(49_999);
    expect(made.connections).toBe(1);
    await clock.advance(1);
    const error = await reading;
    expect(error).toMatchObject({ keelsonError: 'TransportError', retryable: true, connectionLost: true });
    expect((error as Error).message).toContain('http2: client connection lost');
    await expect.poll(() => made.connections).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keep an idle watch whose peer answers, and stop with the last stream', async () => {
    const clock = new VirtualClock(Date.now());
    const { server, url, sessions } = await http2Server();
    const streams: ServerHttp2Stream[] = [];
    server.on('stream', (stream) => {
      streams.push(stream);
      stream.respond({ ':status': 200 });
      stream.write('x');
    });
    const made = await transportTo(url, { clock });
    const watch = streamOf(await get(made, '/'))[Symbol.asyncIterator]();
    await watch.next();
    const [session] = sessions;
    for (let i = 0; i < 3; i++) {
      const pinged = once(session!, 'ping');
      while (clock.pendingTimers > 0) {
        await clock.advance(5_000);
        if (await Promise.race([pinged.then(() => true), new Promise((r) => setTimeout(() => r(false), 50))])) break;
      }
      // The answer to this ping of the server follows the answer to that of the client.
      await new Promise((resolve) => session!.ping(resolve));
      await clock.advance(15_000);
      expect(made.connections).toBe(1);
    }
    streams[0]!.end();
    expect((await watch.next()).done).toBe(true);
    await clock.advance(60_000);
    expect(clock.pendingTimers).toBe(0);
  });
});
