import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { createRandom } from '../../base/random.fixtures.ts';
import { chunksOf } from '../../server/http/chunk-source.ts';
import type { Answer, AnswerSink, Handler } from '../../server/http/exchange.ts';
import { listen, stopAll, text } from '../listener.fixtures.ts';
import type { Listener } from '../listener.ts';
import { CODE, FRAME, SETTING, WINDOW_LIMIT } from './frames.ts';
import { isEnd, RawClient, request, settings, windowUpdate } from './wire.fixtures.ts';

const open: Listener[] = [];
afterEach(() => stopAll(open));

async function start(handler: Handler): Promise<Listener> {
  const listener = await listen(handler);
  open.push(listener);
  return listener;
}

function body(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i < size; i++) bytes[i] = (i * 31 + (i >> 8)) & 0xff;
  return bytes;
}

/** Answers the same bytes in one of three kinds of answer, chosen by the path. */
function serve(bytes: Buffer): Handler {
  const pieces = Array.from({ length: Math.ceil(bytes.length / 999) }, (_, i) =>
    bytes.subarray(i * 999, (i + 1) * 999),
  );
  return ({ target }): Answer => {
    if (target === '/bytes') return { kind: 'bytes', status: 200, headers: {}, body: bytes };
    if (target === '/chunks') return { kind: 'chunks', status: 200, headers: {}, chunks: chunksOf(pieces) };
    if (target === '/small') return text('small');
    return {
      kind: 'stream',
      status: 200,
      headers: {},
      start(sink) {
        sink.write(pieces);
        sink.end();
      },
    };
  };
}

const KINDS = ['/bytes', '/chunks', '/stream'];

describe('flow control', () => {
  it('sends one byte at a time into windows of one byte', async () => {
    const bytes = body(300);
    const listener = await start(serve(bytes));
    for (const path of KINDS) {
      const client = await RawClient.connect(listener, [SETTING.initialWindowSize, 1]);
      client.send(request(1, { path }));
      for (let size = 1; size <= bytes.length; size++) {
        await client.until(() => client.dataOf(1).length === size);
        if (size < bytes.length) client.send(windowUpdate(1, 1));
      }
      await client.end(1);
      expect(client.dataOf(1).equals(bytes)).toBe(true);
      const sizes = client.frames.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload.length);
      expect(Math.max(...sizes)).toBe(1);
      client.socket.destroy();
    }
  });

  it('sends nothing into a window of zero, and everything once SETTINGS increase it', async () => {
    const bytes = body(40_000);
    const listener = await start(serve(bytes));
    for (const path of KINDS) {
      const client = await RawClient.connect(listener, [SETTING.initialWindowSize, 0]);
      client.send(request(1, { path }));
      expect(await client.status(1)).toBe('200');
      await client.settle('nothing!');
      expect(client.count(FRAME.data)).toBe(0);
      client.send(settings([SETTING.initialWindowSize, 1_000]));
      await client.until(() => client.dataOf(1).length === 1_000);
      await client.settle('no more!');
      expect(client.dataOf(1).length).toBe(1_000);
      // Smaller again: the window is negative until it is updated.
      client.send(settings([SETTING.initialWindowSize, 0]), windowUpdate(1, 999));
      await client.settle('negative');
      expect(client.dataOf(1).length).toBe(1_000);
      client.send(windowUpdate(1, 1));
      await client.settle('at zero!');
      expect(client.dataOf(1).length).toBe(1_000);
      client.send(windowUpdate(1, 1));
      await client.until(() => client.dataOf(1).length === 1_001);
      client.send(settings([SETTING.initialWindowSize, 100_000]));
      await client.end(1);
      expect(client.dataOf(1).equals(bytes)).toBe(true);
      client.socket.destroy();
    }
  });

  it('ends an empty answer, or a stream without more bytes, although the window is zero', async () => {
    const sink = new Deferred<AnswerSink>();
    const listener = await start(({ target }) =>
      target === '/empty'
        ? { kind: 'chunks', status: 200, headers: {}, chunks: chunksOf([]) }
        : { kind: 'stream', status: 200, headers: {}, start: (started) => sink.resolve(started) },
    );
    const client = await RawClient.connect(listener, [SETTING.initialWindowSize, 0]);
    client.send(request(1, { path: '/empty' }), request(3));
    expect(isEnd(await client.end(1))).toBe(true);
    (await sink.promise).end();
    expect(isEnd(await client.end(3))).toBe(true);
    client.socket.destroy();
  });

  it('shares a connection window that one stream has exhausted, and loses no bytes', async () => {
    const bytes = body(200_000);
    const listener = await start(serve(bytes));
    const client = await RawClient.connect(listener, [SETTING.initialWindowSize, WINDOW_LIMIT]);
    client.send(request(1, { path: '/bytes' }));
    await client.until(() => client.dataOf(1).length === 65_535);
    client.send(request(3, { path: '/small' }), request(5, { path: '/chunks' }), request(7, { path: '/stream' }));
    expect(await client.status(3)).toBe('200');
    expect(await client.status(7)).toBe('200');
    await client.settle('blocked!');
    expect([1, 3, 5, 7].map((stream) => client.dataOf(stream).length)).toEqual([65_535, 0, 0, 0]);
    let given = 65_535;
    const random = createRandom(2);
    const total = (): number => [1, 3, 5, 7].reduce((sum, stream) => sum + client.dataOf(stream).length, 0);
    while (given < 600_005) {
      const more = Math.min(600_005 - given, 1 + random.int(50_000));
      given += more;
      client.send(windowUpdate(0, more));
      const now = given;
      await client.until(() => total() === now);
    }
    await Promise.all([1, 3, 5, 7].map((stream) => client.end(stream)));
    expect(client.dataOf(3).toString()).toBe('small');
    for (const stream of [1, 5, 7]) expect(client.dataOf(stream).equals(bytes)).toBe(true);
    client.socket.destroy();
  });

  it('delivers every byte once and in order with random windows of many streams', async () => {
    const bytes = body(30_000);
    const listener = await start(serve(bytes));
    const random = createRandom(5);
    const client = await RawClient.connect(listener, [SETTING.initialWindowSize, 100]);
    const streams = Array.from({ length: 20 }, (_, i) => 2 * i + 1);
    client.send(...streams.map((stream) => request(stream, { path: random.pick(KINDS) })));
    client.send(windowUpdate(0, 20 * 30_000));
    const isOpen = (stream: number): boolean => !client.frames.some((one) => one.stream === stream && isEnd(one));
    for (let round = 0; streams.some(isOpen); round++) {
      for (const stream of streams.filter(isOpen))
        if (random.int(2) === 0) client.send(windowUpdate(stream, 1 + random.int(4_000)));
      if (random.int(6) === 0) client.send(settings([SETTING.initialWindowSize, random.int(500)]));
      await client.settle(`r${round}`.padEnd(8));
    }
    for (const stream of streams) expect(client.dataOf(stream).equals(bytes)).toBe(true);
    client.socket.destroy();
  });

  it("treats a window above 2^31-1 as a connection error, or as a stream error for a stream's window", async () => {
    const listener = await start(() => new Promise<Answer>(() => {}));
    const client = await RawClient.connect(listener);
    client.send(request(1), windowUpdate(1, WINDOW_LIMIT));
    expect(await client.resetCode(1)).toBe(CODE.flowControlError);
    client.send(windowUpdate(0, WINDOW_LIMIT));
    expect(await client.goaway()).toBe(CODE.flowControlError);
    const other = await RawClient.connect(listener);
    other.send(request(1), windowUpdate(1, WINDOW_LIMIT - 65_535), settings([SETTING.initialWindowSize, 65_536]));
    expect(await other.goaway()).toBe(CODE.flowControlError);
    for (const { socket } of [client, other]) socket.destroy();
  });

  it("treats a WINDOW_UPDATE of zero as a connection error, or as a stream error for a stream's window", async () => {
    const listener = await start(() => new Promise<Answer>(() => {}));
    for (const [frames, code] of [
      [[windowUpdate(0, 0)], CODE.protocolError],
      [[windowUpdate(1, 1)], CODE.protocolError],
      [[request(1), Buffer.concat([windowUpdate(1, 1).fill(3, 2, 3).subarray(0, 12)])], CODE.frameSizeError],
    ] as const) {
      const client = await RawClient.connect(listener);
      client.send(...frames);
      expect(await client.goaway()).toBe(code);
      client.socket.destroy();
    }
    const client = await RawClient.connect(listener);
    client.send(request(1), request(3), windowUpdate(1, 0));
    expect(await client.resetCode(1)).toBe(CODE.protocolError);
    await client.settle('the rest');
    expect(client.count(FRAME.resetStream, 3)).toBe(0);
    client.socket.destroy();
  });
});
