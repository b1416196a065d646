import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { Answer, AnswerSink } from '../server/http/exchange.ts';
import { h2, h2Request, listen, raw, readAll, text } from './listener.fixtures.ts';

/**
 * Counts the sockets and servers of this process. Timers are not counted: those of the listener are on the virtual
 * clock.
 */
function resources(): number {
  return process.getActiveResourcesInfo().filter((name) => /TCP|TLS|HTTP/i.test(name)).length;
}

describe('drain', () => {
  it('finishes running requests on both protocols, refuses new ones, then resolves with no socket left', async () => {
    const before = resources();
    const clock = new VirtualClock(Date.now());
    const release = new Deferred<Answer>();
    const running = [new Deferred<void>(), new Deferred<void>()];
    let at = 0;
    const listener = await listen(
      () => {
        running[at++]?.resolve();
        return release.promise;
      },
      { clock },
    );
    const session = await h2(listener);
    const goaway = once(session, 'goaway');
    const idle = await h2(listener);
    const slow = h2Request(session, { ':path': '/' });
    await running[0]?.promise;
    const socket = await raw(listener, 'http/1.1');
    const idleSocket = await raw(listener, 'http/1.1');
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const h1Answer = readAll(socket);
    await running[1]?.promise;
    expect(listener.connections()).toBe(4);

    let drained = false;
    const drain = listener.drain().then(() => {
      drained = true;
    });
    const [code] = await goaway;
    expect(code).toBe(0);
    await Promise.all([once(idle, 'close'), once(idleSocket, 'close')]);
    await expect(h2(listener)).rejects.toThrow('ECONNREFUSED');
    expect(drained).toBe(false);

    release.resolve(text('finished'));
    expect(await slow).toMatchObject({ status: 200, body: 'finished' });
    expect(await h1Answer).toMatch(/connection: close.*finished/s);
    await drain;
    expect(listener.connections()).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    await listener.stop();
    if (!session.destroyed) await once(session, 'close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(resources()).toBe(before);
  });

  it('waits until the handler ends its streaming answer', async () => {
    const started = new Deferred<AnswerSink>();
    const listener = await listen(() => ({
      kind: 'stream',
      status: 200,
      headers: {},
      start: (sink) => started.resolve(sink),
    }));
    const socket = await raw(listener, 'http/1.1');
    const all = readAll(socket);
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const sink = await started.promise;
    const drain = listener.drain();
    sink.write([new TextEncoder().encode('last words')]);
    sink.end();
    expect(await all).toMatch(/last words.*0\r\n\r\n$/s);
    await drain;
  });
});

describe('stop', () => {
  it('closes running requests and leaves no socket and no timer', async () => {
    const before = resources();
    const clock = new VirtualClock(Date.now());
    const closed: string[] = [];
    const started = [new Deferred<void>(), new Deferred<void>()];
    const listener = await listen(
      (incoming) => ({
        kind: 'stream',
        status: 200,
        headers: {},
        start(sink) {
          sink.onClose(() => closed.push(incoming.connection.protocol));
          started[incoming.connection.protocol === 'h2' ? 0 : 1]?.resolve();
        },
      }),
      { clock },
    );
    const session = await h2(listener);
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => {});
    const socket = await raw(listener, 'http/1.1');
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    socket.resume();
    await Promise.all(started.map((one) => one.promise));
    expect(clock.pendingTimers).toBe(1);
    const ends = [once(session, 'close'), once(socket, 'close')];
    await listener.stop();
    expect(listener.connections()).toBe(0);
    expect(closed.sort()).toEqual(['h2', 'http/1.1']);
    expect(clock.pendingTimers).toBe(0);
    await Promise.all(ends);
    await new Promise((resolve) => setImmediate(resolve));
    expect(resources()).toBe(before);
    await listener.stop();
  });
});

describe('endsConnection', () => {
  it('sends GOAWAY, answers the request, and the connection closes', async () => {
    let ends = false;
    const listener = await listen(() => text('ok'), { endsConnection: () => ends });
    const session = await h2(listener);
    expect((await h2Request(session, { ':path': '/' })).status).toBe(200);
    ends = true;
    const [goaway, closed] = [once(session, 'goaway'), once(session, 'close')];
    expect((await h2Request(session, { ':path': '/' })).status).toBe(200);
    expect((await goaway)[0]).toBe(0);
    await closed;
    await listener.stop();
  });
});
