import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { chunksOf } from '../../server/http/chunk-source.ts';
import type { Answer, AnswerSink, BodyResult, Handler } from '../../server/http/exchange.ts';
import { listen, raw, stopAll, text } from '../listener.fixtures.ts';
import type { Listener, ListenerOptions } from '../listener.ts';
import { CODE, FLAG, FRAME, PREFACE, SETTING } from './frames.ts';
import {
  block,
  data,
  frame,
  isEnd,
  RawClient,
  request,
  requestBlock,
  reset,
  settings,
  windowUpdate,
} from './wire.fixtures.ts';

const open: Listener[] = [];
afterEach(() => stopAll(open));

async function start(handler: Handler, options: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await listen(handler, options);
  open.push(listener);
  return listener;
}

/** Answers with the request body. */
const echo: Handler = async (incoming) => {
  const body = await incoming.body(3_000_000);
  return body.outcome === 'ok'
    ? { kind: 'bytes', status: 200, headers: {}, body: body.bytes }
    : text(body.outcome, 413);
};
const never: Handler = () => new Promise<Answer>(() => {});
const POST = { method: 'POST', open: true } as const;

describe('a request body', () => {
  it('may end with trailers, which are ignored', async () => {
    const client = await RawClient.connect(await start(echo));
    client.send(
      request(1, POST),
      data(1, 'abc'),
      frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, block({ 'x-sum': '1' })),
    );
    await client.end(1);
    expect(client.dataOf(1).toString()).toBe('abc');
    client.socket.destroy();
  });

  it('with malformed trailers is a stream error', async () => {
    const client = await RawClient.connect(await start(echo));
    const trailers: readonly (readonly [flags: number, fields: Record<string, string>])[] = [
      [FLAG.endHeaders, { a: 'b' }],
      [FLAG.endHeaders | FLAG.endStream, { ':path': '/' }],
      [FLAG.endHeaders | FLAG.endStream, { A: 'b' }],
    ];
    for (const [i, [flags, fields]] of trailers.entries()) {
      const stream = 2 * i + 1;
      client.send(request(stream, POST), frame(FRAME.headers, flags, stream, block(fields)));
      expect(await client.resetCode(stream)).toBe(CODE.protocolError);
    }
    client.send(request(9));
    expect(await client.status(9)).toBe('200');
    client.socket.destroy();
  });

  it('may be padded, and so may headers; padding counts for windows', async () => {
    const client = await RawClient.connect(await start(echo));
    const head = Buffer.concat([Buffer.from([7]), requestBlock(POST), Buffer.alloc(7)]);
    client.send(frame(FRAME.headers, FLAG.endHeaders | FLAG.padded, 1, head));
    const padded = Buffer.concat([Buffer.from([255]), Buffer.from('ab'), Buffer.alloc(255)]);
    // So much padding that the window must be updated for it.
    for (let i = 0; i < 2_000; i++) {
      client.send(frame(FRAME.data, FLAG.padded, 1, padded));
      if (i % 100 === 99) await client.settle(`i${i}`.padEnd(8));
    }
    expect(client.count(FRAME.windowUpdate, 1)).toBe(3);
    client.send(frame(FRAME.data, FLAG.padded | FLAG.endStream, 1, Buffer.from([0])));
    await client.end(1);
    expect(client.dataOf(1).toString()).toBe('ab'.repeat(2_000));
    const weighed = Buffer.concat([Buffer.from([3, 0, 0, 0, 1, 16]), requestBlock(), Buffer.alloc(3)]);
    client.send(
      frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream | FLAG.padded | FLAG.priority, 3, weighed),
      frame(FRAME.priority, 0, 3, Buffer.from([0, 0, 0, 1, 7])),
    );
    expect(await client.status(3)).toBe('200');
    client.socket.destroy();
  });

  it('with padding longer than its frame is a connection error', async () => {
    const listener = await start(echo);
    for (const bad of [
      frame(FRAME.data, FLAG.padded, 1, Buffer.from([2, 1])),
      frame(FRAME.data, FLAG.padded, 1, ''),
      frame(FRAME.headers, FLAG.padded | FLAG.endHeaders, 3, Buffer.from([1])),
      frame(FRAME.headers, FLAG.padded | FLAG.endHeaders, 3, ''),
      frame(FRAME.headers, FLAG.padded | FLAG.priority | FLAG.endHeaders, 3, Buffer.from([1, 0, 0, 0, 0, 0])),
    ]) {
      const client = await RawClient.connect(listener);
      // Later bytes must not be read as a part of the frame.
      client.send(request(1, POST), bad, frame(FRAME.ping, 0, 0, Buffer.alloc(8)));
      expect(await client.goaway()).toBe(CODE.protocolError);
      client.socket.destroy();
    }
  });

  it('of another length than declared is a stream error, and the handler gets an aborted body', async () => {
    const results: BodyResult[] = [];
    const client = await RawClient.connect(
      await start(async (incoming) => {
        results.push(await incoming.body(100));
        return text('x');
      }),
    );
    const declared = { ...POST, headers: { 'content-length': '3' } };
    client.send(request(1, declared), data(1, 'ab', true));
    client.send(request(3, declared), data(3, 'ab'), data(3, 'cd'));
    client.send(request(5, { method: 'POST', headers: { 'content-length': '3' } }));
    for (const stream of [1, 3, 5]) expect(await client.resetCode(stream)).toBe(CODE.protocolError);
    client.send(request(7, declared), data(7, 'abc', true));
    expect(await client.status(7)).toBe('200');
    expect(results.at(-1)?.outcome).toBe('ok');
    expect(results.slice(0, -1).every(({ outcome }) => outcome === 'aborted')).toBe(true);
    client.socket.destroy();
  });

  it('beyond its window is a stream error', async () => {
    const client = await RawClient.connect(await start(never, { limits: { streamWindowBytes: 30_000 } }));
    client.send(request(1, POST), data(1, Buffer.alloc(16_000)), data(1, Buffer.alloc(14_001)));
    expect(await client.resetCode(1)).toBe(CODE.flowControlError);
    client.socket.destroy();
  });

  it('that arrives after the answer has begun is ignored', async () => {
    const sink = new Deferred<AnswerSink>();
    const listener = await start(({ target }) =>
      target === '/stream'
        ? { kind: 'stream', status: 200, headers: {}, start: (started) => sink.resolve(started) }
        : { kind: 'bytes', status: 403, headers: {}, body: Buffer.alloc(100_000, 'n') },
    );
    const client = await RawClient.connect(listener, [SETTING.initialWindowSize, 10]);
    const headers = { 'content-length': '6' };
    client.send(request(1, { ...POST, headers }), request(3, { ...POST, path: '/stream', headers }));
    await client.until(() => client.dataOf(1).length === 10);
    expect(await client.status(3)).toBe('200');
    client.send(data(1, 'abc'), data(1, 'def', true), data(3, 'abc'), data(3, 'def', true));
    client.send(settings([SETTING.initialWindowSize, 200_000]), windowUpdate(0, 200_000));
    await client.settle('all sent');
    (await sink.promise).end();
    for (const stream of [1, 3]) expect(isEnd(await client.end(stream))).toBe(true);
    expect(client.dataOf(1).length).toBe(100_000);
    expect(client.count(FRAME.resetStream)).toBe(0);
    client.socket.destroy();
  });

  it('that is not read is stopped with NO_ERROR, in a separate write, and frames in flight are ignored', async () => {
    const client = await RawClient.connect(await start(() => text('no', 401)));
    client.send(request(1, POST));
    expect(await client.resetCode(1)).toBe(CODE.noError);
    const order = client.frames.filter(({ stream }) => stream === 1);
    expect([order.findIndex(isEnd), order.length]).toEqual([1, 3]);
    client.send(data(1, 'late'), data(1, 'later', true), request(3));
    await client.end(3);
    expect(client.count(FRAME.resetStream)).toBe(1);
    client.socket.destroy();
  });
});

describe('an answer', () => {
  it('follows 100 Continue if the body is read, also after the client changed the table size', async () => {
    const listener = await start(echo);
    for (const entries of [[], [[SETTING.headerTableSize, 0]], [[SETTING.headerTableSize, 100]]] as const) {
      const client = await RawClient.connect(listener, ...entries);
      client.send(request(1, { ...POST, headers: { expect: '100-Continue' } }));
      expect(await client.status(1)).toBe('100');
      const { payload } = client.frames.find(({ fields }) => fields !== undefined)!;
      // A table size update comes first in the block (RFC 7541, 4.2).
      expect((payload[0]! & 0xe0) === 0x20).toBe(entries.length > 0);
      client.send(data(1, 'x', true));
      await client.end(1);
      const statuses = client.frames.flatMap(({ fields }) => (fields === undefined ? [] : [fields[':status']]));
      expect(statuses).toEqual(['100', '200']);
      client.socket.destroy();
    }
  });

  it('follows no 100 Continue if the body is complete already, or is not read', async () => {
    const client = await RawClient.connect(
      await start((incoming) => (incoming.target === '/' ? echo(incoming) : text('no', 403))),
    );
    const headers = { expect: '100-continue' };
    client.send(request(1, { ...POST, headers }), data(1, 'x', true), request(3, { ...POST, path: '/no', headers }));
    expect([await client.status(1), await client.status(3)]).toEqual(['200', '403']);
    client.socket.destroy();
  });

  it('to HEAD, of 204 and of 304 consists of headers only', async () => {
    const chunks = chunksOf([Buffer.from('abc')]);
    const client = await RawClient.connect(
      await start(({ target }) =>
        target === '/chunks'
          ? { kind: 'chunks', status: 200, headers: {}, chunks }
          : text('abc', Number(target.slice(1))),
      ),
    );
    client.send(
      request(1, { method: 'HEAD', path: '/200' }),
      request(3, { path: '/204' }),
      request(5, { path: '/304' }),
    );
    client.send(request(7, { method: 'HEAD', path: '/chunks' }));
    const lengths = [];
    for (const stream of [1, 3, 5, 7]) {
      const end = await client.end(stream);
      expect(end.type).toBe(FRAME.headers);
      lengths.push(end.fields?.['content-length']);
    }
    expect(lengths).toEqual(['3', undefined, undefined, '3']);
    client.socket.destroy();
  });

  it('with headers beyond one frame uses CONTINUATION', async () => {
    const large = 'v'.repeat(40_000);
    const client = await RawClient.connect(
      await start(() => ({ kind: 'bytes', status: 200, headers: { 'x-large': large }, body: Buffer.from('abc') })),
    );
    client.send(request(1), request(3));
    for (const stream of [1, 3]) {
      await client.end(stream);
      const blocks = client.frames.filter((one) => one.stream === stream && one.type !== FRAME.data);
      expect(blocks.map(({ type }) => type)).toEqual([FRAME.headers, FRAME.continuation, FRAME.continuation]);
      expect(blocks[2]!.fields?.['x-large']).toBe(large);
      expect(client.dataOf(stream).toString()).toBe('abc');
    }
    client.socket.destroy();
  });

  it('never exceeds the default frame size', async () => {
    const client = await RawClient.connect(await start(() => text('x'.repeat(60_000))), [
      SETTING.maxFrameSize,
      1_000_000,
    ]);
    client.send(request(1));
    await client.end(1);
    expect(Math.max(...client.frames.map(({ payload }) => payload.length))).toBe(16_384);
    client.socket.destroy();
  });
});

describe('a frame in the wrong place', () => {
  const bad: readonly (readonly [what: string, frames: readonly Buffer[], code: number])[] = [
    ['DATA on no stream', [data(0, 'x')], CODE.protocolError],
    ['DATA on a stream that is idle', [data(1, 'x')], CODE.protocolError],
    ['HEADERS on no stream', [request(0)], CODE.protocolError],
    ['HEADERS on an even stream', [request(2)], CODE.protocolError],
    ['HEADERS out of order', [request(5), request(3)], CODE.protocolError],
    ['HEADERS on a stream that was reset', [request(1), reset(1), request(1)], CODE.streamClosed],
    ['CONTINUATION of nothing', [frame(FRAME.continuation, FLAG.endHeaders, 1, '')], CODE.protocolError],
    [
      'a block that PING interrupts',
      [frame(FRAME.headers, 0, 1, ''), frame(FRAME.ping, 0, 0, '12345678')],
      CODE.protocolError,
    ],
    [
      'a block that another stream goes on with',
      [frame(FRAME.headers, 0, 1, ''), frame(FRAME.continuation, 4, 3, '')],
      CODE.protocolError,
    ],
    [
      'a block that is not HPACK',
      [frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.from([0xff]))],
      CODE.compressionError,
    ],
    ['RST_STREAM on no stream', [reset(0)], CODE.protocolError],
    ['RST_STREAM on a stream that is idle', [reset(1)], CODE.protocolError],
    ['RST_STREAM of 3 bytes', [request(1), frame(FRAME.resetStream, 0, 1, 'abc')], CODE.frameSizeError],
    ['SETTINGS on a stream', [frame(FRAME.settings, 0, 1, '')], CODE.protocolError],
    ['SETTINGS of 5 bytes', [frame(FRAME.settings, 0, 0, 'abcde')], CODE.frameSizeError],
    ['an acknowledgement with SETTINGS', [frame(FRAME.settings, FLAG.ack, 0, 'abcdef')], CODE.frameSizeError],
    ['ENABLE_PUSH of 2', [settings([SETTING.enablePush, 2])], CODE.protocolError],
    ['a window beyond 2^31-1', [settings([SETTING.initialWindowSize, 0x8000_0000])], CODE.flowControlError],
    ['MAX_FRAME_SIZE of 16,383', [settings([SETTING.maxFrameSize, 16_383])], CODE.protocolError],
    ['33 settings', [settings(...Array.from({ length: 33 }, () => [99, 1] as const))], CODE.enhanceYourCalm],
    ['PING on a stream', [frame(FRAME.ping, 0, 1, '12345678')], CODE.protocolError],
    ['PING of 7 bytes', [frame(FRAME.ping, 0, 0, '1234567')], CODE.frameSizeError],
    ['PRIORITY on no stream', [frame(FRAME.priority, 0, 0, '12345')], CODE.protocolError],
    ['GOAWAY on a stream', [frame(FRAME.goaway, 0, 1, '12345678')], CODE.protocolError],
    ['GOAWAY of 7 bytes', [frame(FRAME.goaway, 0, 0, '1234567')], CODE.frameSizeError],
    ['PUSH_PROMISE', [frame(FRAME.pushPromise, FLAG.endHeaders, 1, '12345678')], CODE.protocolError],
    ['a frame of 16,385 bytes', [frame(99, 0, 0, Buffer.alloc(16_385))], CODE.frameSizeError],
  ];
  for (const [what, frames, code] of bad)
    it(`is a connection error with the code of the RFC: ${what}`, async () => {
      const [running, gone] = [new Deferred<void>(), new Deferred<void>()];
      const listener = await start((incoming) => {
        running.resolve();
        incoming.onClose(() => gone.resolve());
        return never(incoming);
      });
      const client = await RawClient.connect(listener);
      // onClose of a running request is called.
      client.send(request(9999));
      await running.promise;
      client.send(...frames.map((one) => shift(one, 10_000)));
      expect(await client.goaway()).toBe(code);
      await gone.promise;
      client.socket.destroy();
    });

  it('is a connection error before SETTINGS', async () => {
    const listener = await start(never);
    for (const first of [frame(FRAME.ping, 0, 0, '12345678'), request(1), frame(FRAME.settings, FLAG.ack, 0, '')]) {
      const client = new RawClient(await raw(listener, 'h2'));
      client.send(PREFACE, first);
      expect(await client.goaway()).toBe(CODE.protocolError);
      client.socket.destroy();
    }
  });

  it('is a stream error: DATA and HEADERS after the end, PRIORITY on itself', async () => {
    const client = await RawClient.connect(await start(never));
    client.send(
      request(1),
      data(1, 'x'),
      request(3),
      request(3),
      request(5),
      frame(FRAME.priority, 0, 5, Buffer.from([0, 0, 0, 5, 1])),
    );
    client.send(request(7), frame(FRAME.priority, 0, 7, '1234'));
    expect(await client.resetCode(1)).toBe(CODE.streamClosed);
    expect(await client.resetCode(3)).toBe(CODE.streamClosed);
    expect(await client.resetCode(5)).toBe(CODE.protocolError);
    expect(await client.resetCode(7)).toBe(CODE.frameSizeError);
    await client.settle('still up');
    client.socket.destroy();
  });

  it('is answered with the code of the RFC also on a closed stream', async () => {
    const client = await RawClient.connect(await start(() => text('ok')));
    client.send(request(1), request(3, POST));
    await Promise.all([client.end(1), client.resetCode(3)]);
    client.send(windowUpdate(1, 0));
    expect(await client.resetCode(1)).toBe(CODE.protocolError);
    // Both sides have reset the stream: no frame may follow.
    client.send(reset(3), data(3, 'x'));
    await client.until(() => client.count(FRAME.resetStream, 3) === 2);
    client.send(request(3));
    expect(await client.goaway()).toBe(CODE.streamClosed);
    client.socket.destroy();
  });

  it('is ignored if its type is unknown, or its stream is closed', async () => {
    const client = await RawClient.connect(await start(() => text('ok')));
    client.send(frame(0x10, 0xff, 0, 'u=1'), frame(0xee, 0xff, 77, Buffer.alloc(100)), request(1));
    await client.end(1);
    client.send(windowUpdate(1, 1), reset(1), frame(FRAME.priority, 0, 1, '12345'), request(3));
    await client.end(3);
    client.socket.destroy();
  });
});

describe('a malformed request', () => {
  it('is a stream error', async () => {
    const client = await RawClient.connect(await start(() => text('ok')));
    const blocks = [
      block([]),
      block({ ':method': 'GET', ':scheme': 'https', ':path': '' }),
      block({ ':method': 'GET', ':scheme': 'https', ':path': 'a' }),
      block({ ':method': 'GET', ':scheme': 'https', ':path': '/a\tb' }),
      block({ ':method': 'G T', ':scheme': 'https', ':path': '/' }),
      block({ ':method': 'CONNECT', ':authority': 'a' }),
      block({ 'x-y': 'z', ':method': 'GET', ':scheme': 'https', ':path': '/' }),
      requestBlock({ headers: { 'X-Upper': '1' } }),
      requestBlock({ headers: { connection: 'close' } }),
      requestBlock({ headers: { te: 'gzip' } }),
      requestBlock({ headers: { x: 'a\nb' } }),
    ];
    for (const [i, bytes] of blocks.entries()) {
      client.send(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 2 * i + 1, bytes));
      expect([i, await client.resetCode(2 * i + 1)]).toEqual([i, CODE.protocolError]);
    }
    const itself = Buffer.concat([Buffer.from([0, 0, 0, 99, 16]), requestBlock()]);
    client.send(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream | FLAG.priority, 99, itself), request(101));
    expect(await client.resetCode(99)).toBe(CODE.protocolError);
    expect(await client.status(101)).toBe('200');
    client.socket.destroy();
  });
});

/** The frame on a later stream, if it is on any. */
function shift(bytes: Buffer, by: number): Buffer {
  const moved = Buffer.from(bytes);
  const stream = moved.readUInt32BE(5);
  if (stream > 0) moved.writeUInt32BE(stream + by, 5);
  return moved;
}
