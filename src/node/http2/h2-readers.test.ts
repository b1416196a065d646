import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { chunksOf } from '../../server/http/chunk-source.ts';
import type { Answer, AnswerSink, Handler } from '../../server/http/exchange.ts';
import { listen, stopAll, text } from '../listener.fixtures.ts';
import type { Listener } from '../listener.ts';
import { CODE, FRAME, SETTING, WINDOW_LIMIT } from './frames.ts';
import {
  data,
  endless,
  inMemory,
  isEnd,
  POST,
  ping,
  preface,
  RawClient,
  request,
  reset,
  turns,
  WIDE,
  wide,
  windowUpdate,
} from './wire.fixtures.ts';

const open: Listener[] = [];
afterEach(() => stopAll(open));

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

describe('a client that does not read', () => {
  it('does not make the server hold more than a bound, whatever it requests', async () => {
    const sinks: AnswerSink[] = [];
    const handler: Handler = ({ target }) =>
      target === '/stream'
        ? { kind: 'stream', status: 200, headers: {}, start: (sink) => sinks.push(sink) }
        : target === '/bytes'
          ? text('b'.repeat(500_000))
          : endless();
    const { send, socket } = inMemory(handler, { controlFrameBurst: 5_000 });
    socket.taking = false;
    send(wide());
    for (let i = 0; i < 200; i++) send(request(2 * i + 1, { path: ['/stream', '/bytes', '/chunks'][i % 3]! }));
    await turns();
    for (let round = 0; round < 100; round++) {
      for (const sink of sinks) sink.write([Buffer.alloc(5_000)]);
      for (let i = 0; i < 20; i++) send(ping());
      await turns(1);
      expect(socket.writableLength).toBeLessThan(700 * 1024);
    }
    socket.destroy();
  });

  it('gets every byte once and in order when it reads again', async () => {
    const bytes = Buffer.from(Array.from({ length: 2_000_000 }, (_, i) => i % 251));
    const pieces = Array.from({ length: 200 }, (_, i) => bytes.subarray(i * 10_000, (i + 1) * 10_000));
    const handler: Handler = ({ target }) =>
      target === '/bytes'
        ? { kind: 'bytes', status: 200, headers: {}, body: bytes }
        : { kind: 'chunks', status: 200, headers: {}, chunks: chunksOf(pieces) };
    const { send, socket, log } = inMemory(handler);
    socket.taking = false;
    send(wide(), request(1, { path: '/bytes' }), request(3, { path: '/chunks' }), ping('a ping!!'));
    await turns();
    send(request(5, { path: '/bytes' }), ping('another!'));
    await turns();
    socket.takeAll();
    await Promise.all([1, 3, 5].map((stream) => log.end(stream)));
    for (const stream of [1, 3, 5]) expect(log.dataOf(stream).equals(bytes)).toBe(true);
    expect(log.count(FRAME.ping)).toBe(2);
    socket.destroy();
  });

  it('is disconnected when it reads nothing for too long, also if it only watches', async () => {
    let gone = 0;
    const { send, socket, clock, problems } = inMemory((incoming) => {
      incoming.onClose(() => gone++);
      return incoming.target === '/watch'
        ? { kind: 'stream', status: 200, headers: {}, start: () => {} }
        : text('x'.repeat(100_000));
    });
    send(wide(), request(1, { path: '/watch' }));
    await turns();
    socket.taking = false;
    send(request(3), request(5), request(7), request(9));
    await turns();
    // All four answers are written to the socket, so only the watch is open.
    send(request(11));
    await clock.advance(20_000);
    expect(socket.destroyed).toBe(false);
    await clock.advance(120_000);
    expect(socket.destroyed).toBe(true);
    await turns();
    expect(gone).toBeGreaterThanOrEqual(1);
    expect(problems.map(({ kind }) => kind)).toContain('too-slow');
    expect(clock.pendingTimers).toBe(0);
  });

  it('is disconnected also if it was idle when it stopped reading, whatever it opens or resets later', async () => {
    const { send, socket, clock } = inMemory(({ target }) =>
      target === '/watch' ? { kind: 'stream', status: 200, headers: {}, start: () => {} } : text('x'.repeat(200_000)),
    );
    send(wide());
    await turns();
    socket.taking = false;
    send(request(1), request(3));
    await turns();
    send(request(5, { path: '/watch' }));
    let seconds = 0;
    for (let stream = 7; !socket.destroyed && seconds < 300; stream += 2) {
      send(request(stream), reset(stream), reset(stream - 2));
      await clock.advance(2_000);
      seconds += 2;
    }
    expect(seconds).toBeLessThan(150);
    expect(clock.pendingTimers).toBe(0);
  });

  it('may be slow as long as it makes progress', async () => {
    const { send, socket, clock, log } = inMemory(() => text('x'.repeat(3_000_000)));
    socket.taking = false;
    send(wide(), request(1));
    for (let round = 0; !log.frames.some(isEnd); round++) {
      expect(round).toBeLessThan(100);
      await clock.advance(15_000);
      expect(socket.destroyed).toBe(false);
      socket.takeAll();
      socket.taking = false;
      await turns();
    }
    expect(log.dataOf(1).length).toBe(3_000_000);
    socket.destroy();
  });

  it('does not make the server keep requests that it resets', async () => {
    const { send, socket, connection } = inMemory(() => text('x'.repeat(300_000)));
    socket.taking = false;
    send(wide(), request(1), request(3));
    await turns();
    for (let i = 2; i < 400; i++) {
      send(request(2 * i + 1));
      await turns(1);
      send(reset(2 * i + 1));
    }
    expect(connection.streams.size).toBeLessThanOrEqual(2);
    socket.takeAll();
    await turns();
    expect(connection.streams.size).toBe(0);
    socket.destroy();
  });
});

describe('a client whose windows stay at zero', () => {
  for (const kind of ['bytes', 'chunks', 'ended stream'] as const)
    it(`loses an answer of ${kind}, before or after some of it`, async () => {
      for (const window of [0, 10]) {
        let gone = 0;
        const { send, socket, clock, log, problems, connection } = inMemory((incoming) => {
          incoming.onClose(() => gone++);
          if (kind === 'bytes') return text('x'.repeat(1_000));
          if (kind === 'chunks') return endless();
          const start = (sink: AnswerSink): void => {
            sink.write([Buffer.alloc(1_000)]);
            sink.end();
          };
          return { kind: 'stream', status: 200, headers: {}, start };
        });
        send(preface([SETTING.initialWindowSize, window]), request(1, POST));
        await turns();
        // The end of the body must not extend the deadline.
        send(data(1, '', true));
        await clock.advance(20_000);
        expect(connection.streams.size).toBe(1);
        await clock.advance(20_000);
        expect(await log.resetCode(1)).toBe(CODE.internalError);
        expect([gone, connection.streams.size]).toEqual([1, 0]);
        expect(problems.map((problem) => problem.kind)).toEqual(['too-slow']);
        socket.destroy();
      }
    });

  it('does not get more time byte by byte', async () => {
    const { send, socket, clock, connection } = inMemory(() => endless());
    send(preface([SETTING.initialWindowSize, 1]), request(1));
    await turns();
    let seconds = 0;
    for (; connection.streams.size > 0 && seconds < 200; seconds += 5) {
      send(windowUpdate(1, 1));
      await clock.advance(5_000);
    }
    expect(seconds).toBeLessThan(60);
    socket.destroy();
  });

  it('makes a stream hold unsent chunks and no sent ones', async () => {
    const sink = new Deferred<AnswerSink>();
    const { send, socket, log } = inMemory(() => ({
      kind: 'stream',
      status: 200,
      headers: {},
      start: (started) => sink.resolve(started),
    }));
    send(preface([SETTING.initialWindowSize, 0]), request(1));
    const stream = await sink.promise;
    const refs: WeakRef<Buffer>[] = [];
    // The client never reads everything, and the stream never reaches its high-water mark.
    for (let i = 0; i < 5_000; i++) {
      const chunk = Buffer.alloc(10, i % 251);
      refs.push(new WeakRef(chunk));
      expect(stream.write([chunk])).toBe(true);
      if (i > 100) send(windowUpdate(1, 10), windowUpdate(0, 10));
      await turns(1);
    }
    collectGarbage();
    expect(refs.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(2_500);
    expect(log.dataOf(1).length).toBe(4_899 * 10);
    const all = log.dataOf(1);
    for (let i = 0; i < 4_899; i++) expect(all[i * 10]).toBe(i % 251);
    socket.destroy();
  });
});

describe('one connection', () => {
  it('serves a small GET while a huge answer runs', async () => {
    const listener = await listen(({ target }) => (target === '/huge' ? endless(100_000) : text('small')));
    open.push(listener);
    const client = await RawClient.connect(listener, WIDE);
    client.send(windowUpdate(0, WINDOW_LIMIT - 65_535), request(1, { path: '/huge' }), request(3, { path: '/huge' }));
    await client.until(() => client.dataOf(1).length > 1_000_000);
    const before = client.frames.length;
    client.send(request(5));
    await client.end(5);
    const between = client.frames.slice(before).reduce((sum, { payload }) => sum + payload.length, 0);
    // Only the kernel buffers and the output of one turn, not seconds of it.
    expect(between).toBeLessThan(20_000_000);
    expect(client.dataOf(3).length).toBeGreaterThan(client.dataOf(1).length / 2);
    client.socket.destroy();
  });

  it('serves streams round-robin', async () => {
    const { send, socket, log } = inMemory(({ target }) => (target === '/huge' ? endless() : text('small')));
    send(wide(), request(1, { path: '/huge' }), request(3, { path: '/huge' }));
    await turns(5);
    const before = log.dataOf(1).length + log.dataOf(3).length;
    send(request(5));
    await log.end(5);
    expect(log.dataOf(1).length + log.dataOf(3).length - before).toBeLessThan(1_000_000);
    expect(Math.abs(log.dataOf(1).length - log.dataOf(3).length)).toBeLessThan(600_000);
    socket.destroy();
  });

  it('pauses and resumes each watch on its own', async () => {
    const sinks: AnswerSink[] = [];
    const { send, socket, log } = inMemory(() => ({
      kind: 'stream',
      status: 200,
      headers: {},
      start: (sink) => sinks.push(sink),
    }));
    send(preface([SETTING.initialWindowSize, 0]), windowUpdate(0, 10_000_000), request(1), request(3));
    await turns();
    const drains = [0, 0];
    for (const [i, sink] of sinks.entries()) sink.onDrain(() => drains[i]!++);
    const event = Buffer.alloc(1_000);
    let accepted = 0;
    while (sinks[0]!.write([event])) accepted++;
    expect(accepted).toBe(65);
    expect(sinks[1]!.write([event])).toBe(true);
    send(windowUpdate(3, 5_000));
    await turns();
    expect([log.dataOf(1).length, log.dataOf(3).length, ...drains]).toEqual([0, 1_000, 0, 0]);
    // Not before all bytes are sent.
    send(windowUpdate(1, 65_999));
    await turns();
    expect([log.dataOf(1).length, ...drains]).toEqual([65_999, 0, 0]);
    send(windowUpdate(1, 1));
    await turns();
    expect([log.dataOf(1).length, ...drains]).toEqual([66_000, 1, 0]);
    expect(sinks[0]!.write([event])).toBe(true);
    socket.destroy();
  });

  it('aborts an answer whose source throws, and no other stream gets its bytes', async () => {
    const broken = (after: number): Answer => {
      let left = after;
      const next = (): Buffer => {
        if (left-- === 0) throw new Error('broken source');
        return Buffer.alloc(100, 's');
      };
      return { kind: 'chunks', status: 200, headers: {}, chunks: { size: undefined, next } };
    };
    for (const after of [0, 1, 3]) {
      const { send, socket, log, problems } = inMemory(({ target }) =>
        target === '/broken' ? broken(after) : text('whole'),
      );
      send(preface(), request(1), request(3, { path: '/broken' }), request(5));
      expect(await log.resetCode(3)).toBe(CODE.internalError);
      await Promise.all([log.end(1), log.end(5)]);
      expect([log.dataOf(1).toString(), log.dataOf(5).toString()]).toEqual(['whole', 'whole']);
      expect(log.frames.every(({ type }) => type <= FRAME.continuation)).toBe(true);
      expect(problems.map(({ kind }) => kind)).toEqual(['handler-failed']);
      socket.destroy();
    }
  });
});
