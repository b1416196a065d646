import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import type { Answer, AnswerSink } from '../../server/http/exchange.ts';
import { listen, stopAll, text } from '../listener.fixtures.ts';
import type { Listener } from '../listener.ts';
import { CODE, FRAME, WINDOW_LIMIT } from './frames.ts';
import {
  data,
  endless,
  type InMemory,
  inMemory,
  never,
  POST,
  preface,
  RawClient,
  request,
  settings,
  turns,
  WIDE,
  wide,
  windowUpdate,
} from './wire.fixtures.ts';

const open: Listener[] = [];
afterEach(() => stopAll(open));

describe('drain', () => {
  it('serves running requests, refuses new ones, sends GOAWAY once, and closes after the last byte', async () => {
    const release = new Deferred<Answer>();
    const { send, socket, log, connection, clock } = inMemory(() => release.promise);
    send(wide(), request(1), request(3, POST));
    await turns();
    connection.drain();
    connection.drain();
    expect(await log.goaway()).toBe(CODE.noError);
    expect(log.lastStreamOfGoaway()).toBe(3);
    send(request(5));
    expect(await log.resetCode(5)).toBe(CODE.refusedStream);
    socket.taking = false;
    release.resolve(text('x'.repeat(100_000)));
    await turns();
    expect(socket.writableEnded).toBe(true);
    // As slow as the limits allow: 200 KB at 8 KB per second.
    await clock.advance(24_000);
    expect(socket.destroyed).toBe(false);
    socket.takeAll();
    await turns();
    expect([log.dataOf(1).length, log.dataOf(3).length, log.count(FRAME.goaway)]).toEqual([100_000, 100_000, 1]);
    // The last answer was sent before its request body: the client gets RST_STREAM with NO_ERROR.
    expect(log.frames.at(-1)).toMatchObject({ type: FRAME.resetStream, stream: 3 });
    await clock.advance(60_000);
    expect([socket.destroyed, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('waits for a watch, and closes an idle connection at once', async () => {
    const sink = new Deferred<AnswerSink>();
    const { send, socket, log, connection } = inMemory(() => ({
      kind: 'stream',
      status: 200,
      headers: {},
      start: (started) => sink.resolve(started),
    }));
    send(preface(), request(1));
    const stream = await sink.promise;
    connection.drain();
    await turns();
    expect(socket.writableEnded).toBe(false);
    stream.write([Buffer.from('last words')]);
    stream.end();
    await log.end(1);
    expect(log.dataOf(1).toString()).toBe('last words');
    await turns();
    expect(socket.writableEnded).toBe(true);
    const idle = inMemory(never);
    idle.send(preface());
    idle.connection.drain();
    await turns();
    expect([await idle.log.goaway(), idle.socket.writableEnded]).toEqual([CODE.noError, true]);
    for (const one of [socket, idle.socket]) one.destroy();
  });

  it('lets a TLS client read all of its answers before the connection closes', async () => {
    const answers = Array.from({ length: 20 }, () => new Deferred<Answer>());
    let at = 0;
    const all = new Deferred<void>();
    const listener = await listen(() => {
      if (at === 19) all.resolve();
      return answers[at++]!.promise;
    });
    open.push(listener);
    const client = await RawClient.connect(listener, WIDE);
    client.send(windowUpdate(0, WINDOW_LIMIT - 65_535), ...answers.map((_, i) => request(2 * i + 1)));
    await all.promise;
    const drained = listener.drain();
    for (const answer of answers) answer.resolve(text('x'.repeat(200_000)));
    await drained;
    for (const [i] of answers.entries()) expect(client.dataOf(2 * i + 1).length).toBe(200_000);
    expect(await client.goaway()).toBe(CODE.noError);
  });
});

describe('a connection that breaks with requests in every state', () => {
  /** Opens requests in every possible state. */
  async function everything(): Promise<InMemory & { readonly closes: Map<string, number>; sinkCloses: number[] }> {
    const closes = new Map<string, number>();
    const sinkCloses: number[] = [];
    const made = inMemory((incoming) => {
      const { target } = incoming;
      closes.set(target, 0);
      incoming.onClose(() => closes.set(target, closes.get(target)! + 1));
      if (target === '/body') return Promise.resolve(incoming.body(1_000_000)).then(({ outcome }) => text(outcome));
      if (target === '/stream' || target === '/full')
        return {
          kind: 'stream',
          status: 200,
          headers: {},
          start(sink) {
            const i = sinkCloses.push(0) - 1;
            sink.onClose(() => sinkCloses[i]!++);
            if (target === '/full') sink.write([Buffer.alloc(100_000)]);
          },
        };
      if (target === '/bytes') return text('x'.repeat(1_000_000));
      if (target === '/chunks') return endless();
      return never(incoming);
    });
    made.send(preface());
    for (const [i, path] of ['/never', '/bytes', '/chunks', '/stream', '/full', '/unread'].entries())
      made.send(request(2 * i + 1, { path, open: path === '/unread' }));
    made.send(request(13, { path: '/body', open: true }), data(13, 'abc'));
    await turns();
    return { ...made, closes, sinkCloses };
  }

  const ends: readonly (readonly [how: string, (all: InMemory) => void])[] = [
    ['the socket', ({ socket }) => socket.destroy()],
    ['the socket, with an error', ({ socket }) => socket.destroy(new Error('ECONNRESET'))],
    ['the listener', ({ connection }) => connection.destroy()],
    ['the client’s half', ({ socket }) => socket.push(null)],
    ['the protocol', ({ send }) => send(data(0, 'x'))],
    [
      'the frame before, and then the socket',
      ({ send, socket }) => {
        send(request(15, { path: '/late' }), request(17, { path: '/later' }), settings(), windowUpdate(0, 1_000_000));
        socket.destroy();
      },
    ],
  ];
  for (const [how, end] of ends)
    it(`calls onClose of every handler once and leaves no entry behind: ${how}`, async () => {
      const all = await everything();
      const { socket, connection, clock, closes, sinkCloses } = all;
      socket.on('error', () => {});
      expect(connection.streams.size).toBe(7);
      end(all);
      await turns();
      await clock.advance(5_000);
      expect(socket.destroyed).toBe(true);
      expect(connection.streams.size).toBe(0);
      expect([...closes.entries()].filter(([, count]) => count !== 1)).toEqual([]);
      expect(sinkCloses).toEqual([1, 1]);
      // Neither the connection nor a stream is in the deadline wheel.
      expect(clock.pendingTimers).toBe(0);
    });
});
