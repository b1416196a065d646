import { afterEach, describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Answer, Handler } from '../../server/http/exchange.ts';
import type { ListenerLimits } from '../limits.ts';
import { closed, h2, h2Request, listen, stopAll, text } from '../listener.fixtures.ts';
import type { Listener } from '../listener.ts';
import type { ListenerProblem } from '../problems.ts';
import { CODE, FLAG, FRAME, SETTING } from './frames.ts';
import {
  block,
  data,
  type Entries,
  frame,
  inMemory,
  ping,
  preface,
  RawClient,
  request,
  requestBlock,
  reset,
  settings,
  windowUpdate,
} from './wire.fixtures.ts';

const open: Listener[] = [];
afterEach(() => stopAll(open));

interface Attacked {
  readonly listener: Listener;
  readonly client: RawClient;
  readonly clock: VirtualClock;
  readonly problems: ListenerProblem[];
  calls(): number;
}

/** A server whose requests never end, except those to /other, and an attacking client. */
async function attack(limits: Partial<ListenerLimits> = {}, ...entries: Entries): Promise<Attacked> {
  const clock = new VirtualClock(Date.now());
  const problems: ListenerProblem[] = [];
  let calls = 0;
  const handler: Handler = (incoming) => {
    if (incoming.target === '/other') return text('ok');
    calls++;
    return new Promise<Answer>(() => {});
  };
  const listener = await listen(handler, { clock, limits, onProblem: (problem) => problems.push(problem) });
  open.push(listener);
  const client = await RawClient.connect(listener, ...entries);
  return { listener, client, clock, problems, calls: () => calls };
}

/**
 * Checks that the client gets the code and is disconnected a little later, and that another client is served
 * throughout.
 */
async function expectCut({ listener, client, clock }: Attacked, code: number): Promise<void> {
  const end = closed(client.socket);
  expect(await client.goaway()).toBe(code);
  await expectServed(listener);
  await clock.advance(3_000);
  await end;
  await expectServed(listener);
}

async function expectServed(listener: Listener): Promise<void> {
  const session = await h2(listener);
  expect((await h2Request(session, { ':path': '/other' })).status).toBe(200);
  session.destroy();
}

const FEW = { controlFrameBurst: 30, controlFramesPerSecond: 0, resetBurst: 20, resetsPerSecond: 0 };
const repeat = (count: number, make: (i: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));
const POST = { method: 'POST', open: true } as const;

describe('a flood of control frames', () => {
  const floods: readonly (readonly [what: string, make: (i: number) => Buffer])[] = [
    ['PING', () => ping()],
    ['acknowledgements of PING', () => frame(FRAME.ping, FLAG.ack, 0, '12345678')],
    ['SETTINGS', () => settings([SETTING.initialWindowSize, 1])],
    ['acknowledgements of SETTINGS', () => frame(FRAME.settings, FLAG.ack, 0)],
    ['PRIORITY', (i) => frame(FRAME.priority, 0, 2 * i + 1, '12345')],
    ['GOAWAY', () => frame(FRAME.goaway, 0, 0, Buffer.alloc(8))],
    ['unknown types', (i) => frame(0x20 + (i % 100), 0xff, i, Buffer.alloc(i % 50))],
    ['empty DATA', () => data(1, '')],
    ['DATA that is all padding', () => frame(FRAME.data, FLAG.padded, 1, Buffer.from([3, 0, 0, 0]))],
    ['RST_STREAM of streams that are over', () => reset(1)],
  ];
  for (const [what, make] of floods)
    it(`ends the connection: ${what}`, async () => {
      const attacked = await attack(FEW);
      const { client, problems } = attacked;
      client.send(request(1, POST));
      // The next frame uses a little of the other allowance.
      if (what.startsWith('RST_STREAM')) client.send(reset(1));
      client.send(repeat(2_000, make));
      await expectCut(attacked, CODE.enhanceYourCalm);
      expect(problems.map(({ kind }) => kind)).toEqual(['too-many-control-frames']);
      // After GOAWAY, the client gets no acknowledgements.
      expect(client.count(FRAME.ping) + client.count(FRAME.settings)).toBeLessThan(40);
      expect(client.count(FRAME.goaway)).toBe(1);
    });

  it('does not end the connection if it is WINDOW_UPDATE, and costs little', async () => {
    const { client, listener, problems, calls } = await attack(FEW);
    client.send(...Array.from({ length: 200 }, (_, i) => request(2 * i + 1)));
    for (let i = 0; i < 20; i++) client.send(repeat(5_000, (j) => windowUpdate(j % 2 === 0 ? 0 : (j % 400) | 1, 1)));
    await client.settle('all seen');
    await expectServed(listener);
    expect([problems, calls()]).toEqual([[], 200]);
    client.socket.destroy();
  });
});

describe('a client that causes stream errors', () => {
  const provocations: readonly (readonly [what: string, make: (stream: number) => Buffer])[] = [
    ['WINDOW_UPDATE of zero', (stream) => Buffer.concat([request(stream), windowUpdate(stream, 0)])],
    ['a window beyond all bounds', (stream) => Buffer.concat([request(stream), windowUpdate(stream, 0x7fff_ffff)])],
    ['DATA behind the end', (stream) => Buffer.concat([request(stream), data(stream, 'x')])],
    ['HEADERS behind the end', (stream) => Buffer.concat([request(stream), request(stream)])],
    ['PRIORITY on itself', (stream) => Buffer.concat([request(stream), selfDependent(stream)])],
    ['PRIORITY of 4 bytes', (stream) => Buffer.concat([request(stream), frame(FRAME.priority, 0, stream, '1234')])],
    ['trailers that do not end', (stream) => Buffer.concat([request(stream, POST), request(stream, POST)])],
    [
      'more than was declared',
      (stream) => Buffer.concat([request(stream, { ...POST, headers: { 'content-length': '1' } }), data(stream, 'xy')]),
    ],
    [
      'less than was declared',
      (stream) =>
        Buffer.concat([request(stream, { ...POST, headers: { 'content-length': '2' } }), data(stream, 'x', true)]),
    ],
    ['requests that are malformed', (stream) => request(stream, { path: '' })],
    ['headers that are too large', (stream) => request(stream, { headers: { x: 'y'.repeat(9_000) } })],
    ['RST_STREAM of its own', (stream) => Buffer.concat([request(stream), reset(stream)])],
  ];
  for (const [what, make] of provocations)
    it(`is counted as resetting streams, and disconnected: ${what}`, async () => {
      const attacked = await attack({ ...FEW, maxHeaderBytes: 8_000 });
      const { client, problems, calls } = attacked;
      // One write per request, so that the requests run when they are reset.
      for (let i = 0; i < 100; i++) client.send(make(2 * i + 1));
      await expectCut(attacked, CODE.enhanceYourCalm);
      // Later violations have no effect.
      expect(problems[0]?.kind).toBe('too-many-resets');
      expect(calls()).toBeLessThanOrEqual(21);
      expect(client.count(FRAME.resetStream)).toBeLessThanOrEqual(21);
    });

  it('is counted also for running requests', async () => {
    let gone = 0;
    const { send, socket, log, connection } = inMemory((incoming) => {
      incoming.onClose(() => gone++);
      return new Promise<Answer>(() => {});
    }, FEW);
    send(preface());
    for (let i = 0; i < 40; i++) send(request(2 * i + 1));
    await settle();
    expect(connection.streams.size).toBe(40);
    for (let i = 0; i < 40; i++) send(windowUpdate(2 * i + 1, 0));
    expect(await log.goaway()).toBe(CODE.enhanceYourCalm);
    expect(gone).toBe(40);
    send(request(101));
    await settle();
    expect(connection.streams.size).toBe(0);
    socket.destroy();
  });
});

describe('header blocks', () => {
  it('in too many CONTINUATION frames end the connection, empty ones and large ones', async () => {
    for (const [payload, flags] of [
      [Buffer.alloc(0), 0],
      [Buffer.alloc(1), 0],
      [Buffer.alloc(16_000), 0],
    ] as const) {
      const attacked = await attack();
      attacked.client.send(frame(FRAME.headers, FLAG.endStream, 1, requestBlock()));
      attacked.client.send(repeat(200, () => frame(FRAME.continuation, flags, 1, payload)));
      await expectCut(attacked, CODE.enhanceYourCalm);
      expect(attacked.calls()).toBe(0);
    }
  });

  it('may use a few CONTINUATION frames', async () => {
    const { client, calls } = await attack();
    const whole = requestBlock({ headers: { x: 'y'.repeat(50_000) } });
    const cuts = [0, 1, 2, 5, 16_000, 32_000, 48_000, whole.length];
    const pieces = cuts.slice(1).map((cut, i) => whole.subarray(cuts[i], cut));
    client.send(
      ...pieces.map((piece, i) =>
        frame(i === 0 ? FRAME.headers : FRAME.continuation, i === pieces.length - 1 ? FLAG.endHeaders : 0, 1, piece),
      ),
    );
    await client.settle('arrived!');
    expect(calls()).toBe(1);
    client.socket.destroy();
  });

  it('that expand beyond the limits reset the stream, and later the connection; the table stays consistent', async () => {
    const attacked = await attack({ ...FEW, controlFrameBurst: 100 });
    const { client, calls } = attacked;
    const row = Buffer.concat([Buffer.from([0x40]), block(['x', 'y'.repeat(4_000)]).subarray(1)]);
    client.send(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, Buffer.concat([requestBlock(), row])));
    await client.settle('one row!');
    expect(calls()).toBe(1);
    const bomb = Buffer.concat([requestBlock(), Buffer.alloc(16_000, 0xbe)]);
    client.send(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 3, bomb));
    expect(await client.resetCode(3)).toBe(CODE.enhanceYourCalm);
    client.send(
      frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 5, Buffer.concat([requestBlock(), Buffer.from([0xbe])])),
    );
    await client.settle('and now.');
    expect(calls()).toBe(2);
    client.send(repeat(50, (i) => frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 2 * i + 7, bomb)));
    await expectCut(attacked, CODE.enhanceYourCalm);
  });
});

describe('streams beyond the limit', () => {
  it('are refused, and after 100 of them the connection is closed', async () => {
    const attacked = await attack({ maxStreams: 10 });
    const { client, calls } = attacked;
    client.send(repeat(110, (i) => request(2 * i + 1)));
    for (let i = 10; i < 110; i++) expect(await client.resetCode(2 * i + 1)).toBe(CODE.refusedStream);
    expect(calls()).toBe(10);
    // After one stream ends, another may open.
    client.send(reset(1), request(1001, { path: '/other' }));
    expect(await client.status(1001)).toBe('200');
    client.send(request(1003), request(1005));
    await expectCut(attacked, CODE.enhanceYourCalm);
  });

  it('are refused together with their bodies and trailers', async () => {
    const { client, calls } = await attack({ maxStreams: 1 });
    client.send(request(1), request(3, POST), data(3, 'x'), data(3, 'y'));
    client.send(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 3, block({ a: 'b' })));
    expect(await client.resetCode(3)).toBe(CODE.refusedStream);
    await client.settle('ignored!');
    expect([client.count(FRAME.resetStream), calls()]).toEqual([1, 1]);
    client.socket.destroy();
  });
});

describe('unread bodies', () => {
  it('are bounded by the windows of their streams', async () => {
    const { client, listener } = await attack({ streamWindowBytes: 50_000 });
    client.send(...Array.from({ length: 100 }, (_, i) => request(2 * i + 1, POST)));
    for (let i = 0; i < 100; i++) client.send(repeat(3, () => data(2 * i + 1, Buffer.alloc(16_000))));
    await client.settle('all held');
    // The connection's window is returned, those of the streams are not.
    expect(client.frames.filter(({ type, stream }) => type === FRAME.windowUpdate && stream > 0)).toEqual([]);
    expect(client.count(FRAME.windowUpdate, 0)).toBeGreaterThan(1);
    for (let i = 0; i < 100; i++) client.send(data(2 * i + 1, Buffer.alloc(16_000)));
    for (let i = 0; i < 100; i++) expect(await client.resetCode(2 * i + 1)).toBe(CODE.flowControlError);
    await expectServed(listener);
    client.socket.destroy();
  });

  it('do not cost more in pieces of one byte', async () => {
    const whole = new Deferred<number>();
    const { send, socket, log } = inMemory(async (incoming) => {
      const body = await incoming.body(1_000_000);
      if (body.outcome === 'ok') whole.resolve(body.bytes.buffer.byteLength);
      return text('ok');
    });
    send(preface(), request(1, POST));
    for (let i = 0; i < 100; i++) send(repeat(1_000, () => data(1, 'x')));
    send(data(1, '', true));
    await log.end(1);
    expect(await whole.promise).toBe(100_000);
    socket.destroy();
  });
});

function selfDependent(stream: number): Buffer {
  const payload = Buffer.alloc(5);
  payload.writeUInt32BE(stream);
  return frame(FRAME.priority, 0, stream, payload);
}
