import { once } from 'node:events';
import { type ClientHttp2Stream, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { chunksOf } from '../server/http/chunk-source.ts';
import type { Answer, BodyResult, Handler } from '../server/http/exchange.ts';
import type { ListenerLimits } from './limits.ts';
import { closed, h2, h2Request, listen, raw, readAll, stopAll, text } from './listener.fixtures.ts';
import type { Listener } from './listener.ts';
import type { ListenerProblem } from './problems.ts';

const open: Listener[] = [];
afterEach(() => stopAll(open));

interface Attacked {
  readonly listener: Listener;
  readonly clock: VirtualClock;
  readonly problems: ListenerProblem[];
}

async function start(handler: Handler, limits: Partial<ListenerLimits> = {}): Promise<Attacked> {
  const clock = new VirtualClock(Date.now());
  const problems: ListenerProblem[] = [];
  const listener = await listen(handler, { clock, limits, onProblem: (problem) => problems.push(problem) });
  open.push(listener);
  return { listener, clock, problems };
}

/** Waits for the end of a stream and returns its error code. */
async function rstCode(stream: ClientHttp2Stream): Promise<number> {
  stream.on('error', () => {});
  await closed(stream);
  return stream.rstCode ?? -1;
}

/** The code of the first GOAWAY on a connection without a client library. */
function goawayCode(socket: TLSSocket): Promise<number> {
  const code = new Deferred<number>();
  let unread = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 9) {
      const size = 9 + unread.readUIntBE(0, 3);
      if (unread.length < size) return;
      if (unread[3] === 7) code.resolve(unread.readUInt32BE(13));
      unread = unread.subarray(size);
    }
  });
  socket.once('close', () => code.resolve(-1));
  return code.promise;
}

/** The client preface with empty SETTINGS. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');

/** HEADERS with END_STREAM: GET / of https://a, from the static table. */
function requestFrame(index: number): Buffer {
  const frame = Buffer.from([0, 0, 6, 1, 5, 0, 0, 0, 0, 0x82, 0x87, 0x84, 0x41, 1, 0x61]);
  frame.writeUInt32BE(2 * index + 1, 5);
  return frame;
}

/** RST_STREAM with CANCEL. */
function resetFrame(index: number): Buffer {
  const frame = Buffer.from([0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 8]);
  frame.writeUInt32BE(2 * index + 1, 5);
  return frame;
}

/** Checks that the client gets ENHANCE_YOUR_CALM and is disconnected a little later although it ignores it. */
async function expectCut({ clock }: Attacked, socket: TLSSocket, goaway: Promise<number>): Promise<void> {
  const end = closed(socket);
  expect(await goaway).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  await clock.advance(3_000);
  await end;
}

/** Checks that another client is still served. */
async function expectServed(listener: Listener): Promise<void> {
  const session = await h2(listener);
  expect((await h2Request(session, { ':path': '/other' })).status).toBe(200);
  session.destroy();
}

describe('an HTTP/2 client', () => {
  it('that resets streams rapidly gets ENHANCE_YOUR_CALM and is closed', async () => {
    let calls = 0;
    const { listener, problems } = await start(
      (incoming) => {
        if (incoming.target === '/other') return text('ok');
        calls++;
        return new Promise<Answer>(() => {});
      },
      { resetBurst: 20, resetsPerSecond: 0 },
    );
    const session = await h2(listener);
    const goaway = new Deferred<number>();
    session.on('goaway', (code) => goaway.resolve(code));
    const end = closed(session);
    for (let i = 0; i < 200 && !session.destroyed; i++) {
      const stream = session.request({ ':path': '/' });
      stream.on('error', () => {});
      stream.close(constants.NGHTTP2_CANCEL);
    }
    expect(await goaway.promise).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    await end;
    expect(calls).toBeLessThan(200);
    expect(problems.map((problem) => problem.kind)).toContain('too-many-resets');
    await expectServed(listener);
  });

  it('that resets streams rapidly and ignores GOAWAY is not served any more, and is disconnected', async () => {
    const rapid = Array.from({ length: 200 }, (_, i) => [requestFrame(i), resetFrame(i)]).flat();
    const batch = Array.from({ length: 60 }, (_, i) => i);
    for (const [frames, most] of [
      [rapid, 21],
      [[...batch.map(requestFrame), ...batch.map(resetFrame)], 60],
    ] as const) {
      let calls = 0;
      const attacked = await start(
        (incoming) => {
          if (incoming.target === '/other') return text('ok');
          calls++;
          return new Promise<Answer>(() => {});
        },
        { resetBurst: 20, resetsPerSecond: 0 },
      );
      const socket = await raw(attacked.listener, 'h2');
      const goaway = goawayCode(socket);
      socket.write(Buffer.concat([PREFACE, ...frames]));
      expect(await goaway).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      socket.write(Buffer.concat([requestFrame(1000), requestFrame(1001)]));
      await expectServed(attacked.listener);
      await expectCut(attacked, socket, goaway);
      expect(calls).toBeLessThanOrEqual(most);
      expect(attacked.problems.map((problem) => problem.kind)).toEqual(['too-many-resets']);
      await expectServed(attacked.listener);
    }
  });

  it('may cancel as many streams as the allowance holds', async () => {
    const { listener, clock } = await start(
      (incoming) => (incoming.target === '/other' ? text('ok') : new Promise<Answer>(() => {})),
      { resetBurst: 10, resetsPerSecond: 10 },
    );
    const session = await h2(listener);
    for (let round = 0; round < 3; round++) {
      const streams = Array.from({ length: 8 }, () => session.request({ ':path': '/' }));
      for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      await Promise.all(streams.map(rstCode));
      expect((await h2Request(session, { ':path': '/other' })).status).toBe(200);
      await clock.advance(2000);
    }
    expect(session.destroyed).toBe(false);
    session.destroy();
  });

  it('that finishes its requests is never counted as resetting streams', async () => {
    let gone = 0;
    const { listener, problems } = await start(
      async (incoming) => {
        incoming.onClose(() => gone++);
        const body = incoming.target === '/unread' ? undefined : await incoming.body(100_000);
        return text(body?.outcome ?? 'unread', incoming.method === 'POST' ? 201 : 200);
      },
      { resetBurst: 0, resetsPerSecond: 0 },
    );
    const session = await h2(listener);
    const body = Buffer.alloc(50_000);
    for (let i = 0; i < 5; i++) {
      expect((await h2Request(session, { ':method': 'POST', ':path': '/' }, body)).body).toBe('ok');
      expect((await h2Request(session, { ':method': 'POST', ':path': '/unread' }, body)).body).toBe('unread');
      expect((await h2Request(session, { ':path': '/' })).status).toBe(200);
      expect((await h2Request(session, { ':method': 'HEAD', ':path': '/' })).status).toBe(200);
    }
    expect([gone, problems]).toEqual([0, []]);
    session.destroy();
  });

  it('that opens 10,000 streams gets as many as the limit, and another client is served', async () => {
    let running = 0;
    const allRun = new Deferred<void>();
    const { listener } = await start((incoming) => {
      if (incoming.target === '/other') return text('ok');
      if (++running === 250) allRun.resolve();
      return new Promise<Answer>(() => {});
    });
    const socket = await raw(listener, 'h2');
    const all = readAll(socket);
    const requests = Array.from({ length: 10_000 }, (_, i) => requestFrame(i));
    socket.write(Buffer.concat([PREFACE, ...requests.slice(0, 300)]));
    await allRun.promise;
    socket.write(Buffer.concat(requests.slice(300)));
    await all;
    expect(running).toBe(250);
    await expectServed(listener);
  });

  it('that floods PING is closed', async () => {
    const attacked = await start(() => text('ok'), { controlFrameBurst: 30, controlFramesPerSecond: 0 });
    const { listener, problems } = attacked;
    const socket = await raw(listener, 'h2');
    const goaway = goawayCode(socket);
    const ping = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    socket.write(PREFACE);
    socket.write(Buffer.concat(Array.from({ length: 100 }, () => ping)));
    await expectCut(attacked, socket, goaway);
    expect(problems.map((problem) => problem.kind)).toContain('too-many-control-frames');
    await expectServed(listener);
  });

  it('that floods SETTINGS is closed', async () => {
    const attacked = await start(() => text('ok'), { controlFrameBurst: 30, controlFramesPerSecond: 0 });
    const { listener, problems } = attacked;
    const socket = await raw(listener, 'h2');
    const goaway = goawayCode(socket);
    socket.write(PREFACE);
    socket.write(Buffer.concat(Array.from({ length: 100 }, () => Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]))));
    await expectCut(attacked, socket, goaway);
    expect(problems.map((problem) => problem.kind)).toContain('too-many-control-frames');
    await expectServed(listener);
  });

  it('that sends too many or too large headers loses the stream', async () => {
    const { listener } = await start(() => text('ok'), { maxHeaderCount: 30, maxHeaderBytes: 8000 });
    const session = await h2(listener);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`x-${i}`, '1']));
    const codes = [
      await rstCode(session.request({ ':path': '/', ...many })),
      await rstCode(session.request({ ':path': '/', 'x-large': 'y'.repeat(9000) })),
    ];
    expect(codes).toEqual([constants.NGHTTP2_ENHANCE_YOUR_CALM, constants.NGHTTP2_ENHANCE_YOUR_CALM]);
    session.destroy();
    await expectServed(listener);
  });

  it('that sends its body too slowly loses the stream, and the handler gets an aborted body', async () => {
    const reading = new Deferred<void>();
    const result = new Deferred<BodyResult>();
    const { listener, clock, problems } = await start(async (incoming) => {
      const body = incoming.body(1000);
      reading.resolve();
      result.resolve(await body);
      return text('too late');
    });
    const session = await h2(listener);
    const stream = session.request({ ':method': 'POST', ':path': '/' }, { endStream: false });
    stream.write('x');
    await reading.promise;
    const code = rstCode(stream);
    await clock.advance(59_000);
    expect(stream.destroyed).toBe(false);
    await clock.advance(4_000);
    expect(await result.promise).toEqual({ outcome: 'aborted' });
    expect(await code).not.toBe(0);
    expect(problems.map((problem) => problem.kind)).toEqual(['too-slow']);
    session.destroy();
  });

  it('that does not read its answer loses the stream', async () => {
    const gone = new Deferred<void>();
    const { listener, clock } = await start((incoming) => {
      incoming.onClose(() => gone.resolve());
      return {
        kind: 'chunks',
        status: 200,
        headers: {},
        chunks: chunksOf(Array.from({ length: 500 }, () => Buffer.alloc(20_000))),
      };
    });
    const session = await h2(listener);
    const stream = session.request({ ':path': '/' });
    await once(stream, 'response');
    const code = rstCode(stream);
    await clock.advance(10 * 60_000);
    await gone.promise;
    stream.resume();
    expect(await code).not.toBe(0);
    session.destroy();
  });

  it('that is idle gets GOAWAY after 90 seconds, one that watches does not', async () => {
    const { listener, clock } = await start(() => ({ kind: 'stream', status: 200, headers: {}, start: () => {} }));
    const [idle, watching] = [await h2(listener), await h2(listener)];
    await once(watching.request({ ':path': '/' }), 'response');
    const used = idle.request({ ':path': '/' });
    await once(used, 'response');
    used.close(constants.NGHTTP2_CANCEL);
    // After the acknowledgement of the ping, the server has handled the cancel.
    await new Promise<void>((resolve) => idle.ping(() => resolve()));
    const goaway = once(idle, 'goaway');
    await clock.advance(92_000);
    await goaway;
    expect(watching.closed).toBe(false);
    watching.destroy();
  });
});

describe('an HTTP/1.1 client', () => {
  it('that sends its headers slowly is closed after 32 seconds', async () => {
    const { listener, clock } = await start(() => text('ok'));
    const socket = await raw(listener, 'http/1.1');
    const all = readAll(socket);
    socket.write('GET / HTTP/1.1\r\n');
    await clock.advance(31_000);
    expect(listener.connections()).toBe(1);
    socket.write('x: y\r\n');
    await clock.advance(3_000);
    expect(await all).toBe('');
  });

  it('that sends its body too slowly is closed', async () => {
    const reading = new Deferred<void>();
    const { listener, clock } = await start(async (incoming) => {
      const body = incoming.body(1000);
      reading.resolve();
      return text((await body).outcome);
    });
    const socket = await raw(listener, 'http/1.1');
    const all = readAll(socket);
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nx');
    await reading.promise;
    await clock.advance(63_000);
    expect(await all).toBe('');
  });

  it('that continues its body after a refusal is closed soon', async () => {
    const { listener, clock } = await start(() => text('no', 401));
    const socket = await raw(listener, 'http/1.1');
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n');
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toContain('HTTP/1.1 401 Unauthorized');
    const closed = readAll(socket);
    await clock.advance(5_000);
    await closed;
  });

  it('that pipelines too many requests is closed', async () => {
    let calls = 0;
    const { listener, problems } = await start(() => {
      calls++;
      return new Promise<Answer>(() => {});
    });
    const socket = await raw(listener, 'http/1.1');
    // Closed or reset: the kernel resets the connection if requests were still unread.
    const end = closed(socket);
    socket.resume();
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(1000));
    await end;
    expect(calls).toBe(100);
    expect(problems[0]?.kind).toBe('too-many-pipelined-requests');
  });
});

describe('a connection', () => {
  it('that never begins its handshake is closed after 10 seconds', async () => {
    const { listener, clock } = await start(() => text('ok'));
    const socket = connectTcp(listener.port, listener.address);
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'connect');
    await expectServed(listener);
    const closed = once(socket, 'close');
    await clock.advance(12_000);
    await closed;
  });

  it('above the limit is refused, and accepted again after another one closed', async () => {
    const { listener, problems } = await start(() => text('ok'), { maxConnections: 2 });
    const sessions = [await h2(listener), await h2(listener)];
    const third = connectTcp(listener.port, listener.address);
    third.on('error', () => {});
    third.resume();
    await once(third, 'close');
    expect(problems[0]).toMatchObject({
      kind: 'too-many-connections',
      message: 'a connection was refused: 2 are open',
    });
    const gone = once(sessions[0]!, 'close');
    sessions[0]!.close();
    await gone;
    while (listener.connections() > 1) await new Promise((resolve) => setImmediate(resolve));
    await expectServed(listener);
    sessions[1]!.destroy();
  });

  it('that violates TLS is closed and reported', async () => {
    const { listener, problems } = await start(() => text('ok'));
    const socket = connectTcp(listener.port, listener.address);
    socket.on('error', () => {});
    socket.resume();
    socket.write(Buffer.from([0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    await once(socket, 'close');
    expect(problems[0]?.kind).toBe('tls-handshake');
    const noise = connectTcp(listener.port, listener.address);
    noise.on('error', () => {});
    noise.resume();
    noise.write(Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]));
    await once(noise, 'close');
    await expectServed(listener);
  });

  it('that sends plain HTTP gets an explanation', async () => {
    const { listener } = await start(() => text('ok'));
    const socket = connectTcp(listener.port, listener.address);
    let all = '';
    socket.on('data', (chunk) => {
      all += chunk.toString();
    });
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(socket, 'close');
    expect(all).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
  });
});
