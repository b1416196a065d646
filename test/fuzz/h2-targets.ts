/**
 * Fuzz targets of HTTP/2: whole conversations with damaged bytes, and with frames lost, repeated and reordered, split
 * anywhere. Invariants: the server sends only frames that a client can parse; every handler is told of the end at most
 * once; no timer is left; the next client, which uses the same buffers, is served.
 */
import { settle } from '../../src/base/virtual-clock.ts';
import { FLAG, FRAME, PREFACE, SETTING } from '../../src/node/http2/frames.ts';
import { HpackDecoder } from '../../src/node/http2/hpack-decoder.ts';
import { H2Shared } from '../../src/node/http2/shared.ts';
import {
  block,
  data,
  frame,
  type InMemory,
  inMemory,
  isEnd,
  ping,
  preface,
  request,
  requestBlock,
  reset,
  settings,
  windowUpdate,
} from '../../src/node/http2/wire.fixtures.ts';
import { chunksOf } from '../../src/server/http/chunk-source.ts';
import type { Answer, AnswerSink, Incoming } from '../../src/server/http/exchange.ts';
import { createRandom, type Random } from './random.ts';
import type { FuzzTarget } from './targets.ts';

const POST = { method: 'POST', open: true } as const;
const BODY = Buffer.alloc(20_000, 'b');
const MAX_STREAMS = 20;
/** The bytes that a connection may buffer for a client that does not read. */
const MAX_BUFFERED = 700 * 1024;
const LIMITS = { maxStreams: MAX_STREAMS, streamWindowBytes: 30_000, maxHeaderBytes: 4_000, maxHeaderCount: 40 };

function text(body: string | Buffer): Answer {
  return { kind: 'bytes', status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from(body) };
}

/** Writes until it is stopped, like a watch. */
function pump(sink: AnswerSink, ends: boolean): void {
  let left = 12;
  const write = (): void => {
    while (left-- > 0) if (!sink.write([BODY.subarray(0, 1_000), BODY.subarray(0, left)])) return;
    if (ends) sink.end();
  };
  sink.onDrain(write);
  write();
}

/** Returns an answer of the kind that the path names. */
function answer(incoming: Incoming): Answer | Promise<Answer> {
  const { target } = incoming;
  switch (target.slice(0, 3)) {
    case '/by':
      return text(BODY);
    case '/ch':
      return { kind: 'chunks', status: 200, headers: {}, chunks: chunksOf([BODY, BODY.subarray(0, 7), BODY]) };
    case '/st':
      return { kind: 'stream', status: 200, headers: { 'x-kind': target }, start: (sink) => pump(sink, true) };
    case '/wa':
      return { kind: 'stream', status: 200, headers: {}, start: (sink) => pump(sink, false) };
    case '/ab':
      return { kind: 'stream', status: 200, headers: {}, start: (sink) => sink.abort() };
    case '/la':
      return settle().then(() => text(target));
    case '/ne':
      return new Promise<Answer>(() => {});
    case '/ec':
      return Promise.resolve(incoming.body(50_000)).then((body) =>
        text(body.outcome === 'ok' ? Buffer.from(body.bytes) : ''),
      );
    default:
      return { kind: 'bytes', status: 404, headers: { etag: target, vary: ['a', target] }, body: new Uint8Array(0) };
  }
}

/** The buffers that all connections of this process share. */
let shared: H2Shared | undefined;

interface Conversation extends InMemory {
  readonly findings: string[];
}

function converse(): Conversation {
  const findings: string[] = [];
  const made = inMemory(
    (incoming) => {
      let closes = 0;
      incoming.onClose(() => {
        if (++closes > 1) findings.push('a handler heard of the end twice');
      });
      // Accessors must not throw, whatever the client sent.
      incoming.headerNames();
      incoming.header('host');
      incoming.headerValues('x');
      return answer(incoming);
    },
    LIMITS,
    (clock) => {
      shared ??= new H2Shared(clock);
      return shared;
    },
  );
  const { log, socket } = made;
  const push = log.push.bind(log);
  log.push = (bytes) => {
    try {
      push(bytes);
    } catch (caught) {
      findings.push(`the server sent what nobody can read: ${String(caught)}`);
    }
  };
  socket.on('error', (error: Error) => findings.push(`the socket failed: ${error.message}`));
  return { ...made, findings };
}

/** Returns the complete frames of an input after the preface. */
function framesOf(input: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let at = Math.min(input.length, PREFACE.length);
  while (at < input.length) {
    const end = input.length - at < 9 ? input.length : Math.min(input.length, at + 9 + input.readUIntBE(at, 3));
    frames.push(input.subarray(at, end));
    at = end;
  }
  return frames;
}

/** Drops, repeats, reorders and damages frames. */
function reorder(input: Buffer, random: Random): Buffer {
  const frames = framesOf(input);
  for (let left = random.int(4); left > 0 && frames.length > 0; left--) {
    const at = random.int(frames.length);
    const what = random.int(5);
    if (what === 0) frames.splice(at, 1);
    else if (what === 1) frames.splice(random.int(frames.length + 1), 0, frames[at]!);
    else if (what === 2) frames.push(...frames.splice(at, 1));
    else if (what === 3) {
      const head = Buffer.from(frames[at]!);
      const place = 3 + random.int(6);
      if (place < head.length) head[place] = (head[place] as number) ^ (1 << random.int(8));
      frames[at] = head;
    } else frames.splice(at, 0, ...Array.from({ length: random.int(30) }, () => frames[at]!));
  }
  return Buffer.concat([input.subarray(0, PREFACE.length), ...frames]);
}

async function feed({ socket, send, log }: Conversation, input: Buffer, random: Random): Promise<void> {
  for (let at = 0; at < input.length && !socket.destroyed; ) {
    const size = random.pick([1, 9, 30, 200, 5_000, input.length]);
    send(input.subarray(at, at + size));
    at += size;
    if (random.int(3) === 0) await settle();
    if (random.int(12) === 0) {
      if (socket.taking) socket.taking = false;
      else socket.takeAll();
    }
    if (socket.writableLength > MAX_BUFFERED)
      throw new Error(`${socket.writableLength} bytes are buffered for the client`);
    if (log.frames.length > 20_000) throw new Error('more frames than the input can ask for');
  }
  for (let i = 0; i < 4; i++) await settle();
}

async function expectServed(): Promise<void> {
  const other = converse();
  other.send(preface(), request(1, { path: '/bytes' }), request(3, { path: '/later' }));
  for (let i = 0; i < 20 && other.log.frames.filter(isEnd).length < 2; i++) await settle();
  if (!other.log.dataOf(1).equals(BODY) || other.log.dataOf(3).toString() !== '/later')
    throw new Error(`the next client is not served: ${other.findings.join(', ')}`);
  other.socket.destroy();
  await settle();
}

/** Returns whether the client got no error. */
async function talk(input: Buffer, random: Random): Promise<boolean> {
  const conversation = converse();
  const { connection, log, socket, clock, problems, findings } = conversation;
  await feed(conversation, input, random);
  if (connection.streams.size > MAX_STREAMS) throw new Error(`${connection.streams.size} streams are open`);
  const accepted = problems.length === 0 && log.frames.every(({ type }) => type !== FRAME.resetStream);
  const end = random.int(4);
  if (end === 0) connection.drain();
  else if (end === 1) socket.push(null);
  else if (end === 2) socket.destroy();
  if (random.int(50) === 0) await clock.advance(200_000);
  await settle();
  socket.destroy();
  for (let i = 0; i < 3; i++) await settle();
  if (connection.streams.size > 0) throw new Error(`${connection.streams.size} streams are left`);
  if (clock.pendingTimers > 0) throw new Error('a timer is left');
  if (findings.length > 0) throw new Error(findings.join('; '));
  if (problems.some(({ kind }) => kind === 'handler-failed')) throw new Error('a handler failed');
  return accepted;
}

const coded = Buffer.from('8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff'.replaceAll(' ', ''), 'hex');
const codedAgain = Buffer.from(
  '8287 85be 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf'.replaceAll(' ', ''),
  'hex',
);
const END = FLAG.endHeaders | FLAG.endStream;

const CONVERSATIONS: readonly Buffer[] = [
  Buffer.concat([
    preface([SETTING.initialWindowSize, 100_000], [SETTING.headerTableSize, 200]),
    windowUpdate(0, 200_000),
    frame(FRAME.settings, FLAG.ack, 0),
    ...['/bytes', '/chunks', '/stream', '/later', '/none'].map((path, i) => request(2 * i + 1, { path })),
    ping(),
    request(11, { path: '/watch' }),
    reset(11),
  ]),
  Buffer.concat([
    preface(),
    request(1, { ...POST, path: '/echo', headers: { 'content-length': '12' } }),
    data(1, 'hello '),
    frame(
      FRAME.data,
      FLAG.padded | FLAG.endStream,
      1,
      Buffer.concat([Buffer.from([4]), Buffer.from('world!'), Buffer.alloc(4)]),
    ),
    request(3, { ...POST, path: '/echo', headers: { expect: '100-continue' } }),
    data(3, BODY.subarray(0, 3_000)),
    frame(FRAME.headers, END, 3, block({ 'x-trailer': '1' })),
    request(5, { method: 'HEAD', path: '/bytes' }),
  ]),
  Buffer.concat([
    preface([SETTING.enablePush, 0]),
    frame(FRAME.headers, END, 1, coded),
    frame(FRAME.headers, END, 3, Buffer.concat([Buffer.from([0x3f, 0x45]), codedAgain])),
    frame(FRAME.headers, FLAG.endStream, 5, requestBlock({ path: '/ch' }).subarray(0, 20)),
    frame(FRAME.continuation, 0, 5, requestBlock({ path: '/ch' }).subarray(20, 30)),
    frame(FRAME.continuation, FLAG.endHeaders, 5, requestBlock({ path: '/ch' }).subarray(30)),
    frame(FRAME.priority, 0, 7, Buffer.from([0, 0, 0, 1, 9])),
    frame(
      FRAME.headers,
      END | FLAG.priority | FLAG.padded,
      7,
      Buffer.concat([Buffer.from([2, 0, 0, 0, 5, 3]), coded, Buffer.alloc(2)]),
    ),
  ]),
  Buffer.concat([
    preface([SETTING.initialWindowSize, 10]),
    request(1, { path: '/stream' }),
    windowUpdate(1, 1),
    request(3, { path: '/chunks' }),
    settings([SETTING.initialWindowSize, 0], [SETTING.headerTableSize, 0]),
    windowUpdate(3, 5_000),
    settings([SETTING.initialWindowSize, 65_535], [SETTING.headerTableSize, 4_096]),
    windowUpdate(0, 1_000_000),
    request(5, { path: '/never' }),
    frame(0x10, 0, 0, 'u=1'),
    frame(FRAME.goaway, 0, 0, Buffer.alloc(12)),
  ]),
];

const WORDS: readonly Buffer[] = [
  windowUpdate(0, 0x7fff_ffff),
  windowUpdate(1, 0),
  windowUpdate(3, 70_000),
  reset(1),
  reset(3, 0),
  data(1, '', true),
  data(3, 'x'),
  settings([SETTING.initialWindowSize, 0x7fff_ffff]),
  settings([SETTING.maxFrameSize, 16_384]),
  settings(),
  ping(),
  request(9, { path: '/abort' }),
  request(13, { ...POST, path: '/never' }),
  frame(FRAME.continuation, FLAG.endHeaders, 5),
  frame(FRAME.headers, 0, 15, coded),
  Buffer.from([0, 0x40, 0]),
  Buffer.from([0xbe]),
  Buffer.from([0x20]),
  Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]),
];

/** The same input gets the same treatment. */
function seedOf(input: Buffer): number {
  let seed = input.length;
  for (const byte of input) seed = (Math.imul(seed, 31) + byte) >>> 0;
  return seed;
}

const known = new Set(CONVERSATIONS.map((input) => input.toString('latin1')));
let talks = 0;

export const h2Targets: readonly FuzzTarget[] = [
  {
    name: 'h2-connection',
    corpus: CONVERSATIONS,
    words: WORDS,
    async run(input) {
      const random = createRandom(seedOf(input));
      const isWhole = known.has(input.toString('latin1'));
      const accepted = await talk(isWhole ? input : reorder(input, random), random);
      if (isWhole || ++talks % 20 === 0 || !accepted) await expectServed();
      return accepted;
    },
  },
  {
    name: 'h2-hpack',
    corpus: [coded, requestBlock({ headers: { a: 'b' } }), Buffer.concat([Buffer.from([0x3f, 0x45]), coded])],
    words: [
      Buffer.from([0x3f, 0xe1, 0x1f]),
      Buffer.from([0x40, 1, 0x61, 1, 0x62]),
      Buffer.from([0xbe]),
      Buffer.from([0x7f, 0x80]),
      codedAgain,
    ],
    run(input) {
      const decoder = new HpackDecoder(LIMITS);
      // Decodes again with the table that the first round left.
      for (let round = 0; round < 2; round++) {
        const decoded = decoder.decode(input);
        if (decoded === undefined) return false;
        let size = 0;
        for (const field of decoded.fields) size += field.length;
        if (size > LIMITS.maxHeaderBytes || decoded.fields.length > 2 * LIMITS.maxHeaderCount)
          throw new Error('a header block exceeds its limits');
        if (decoded.tooLarge || decoded.malformed) return false;
      }
      return true;
    },
  },
];
