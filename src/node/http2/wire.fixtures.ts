/** Frame builders and clients for the tests of HTTP/2; the clients record every frame that they receive. */
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { Deferred } from '../../base/deferred.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Answer, Handler } from '../../server/http/exchange.ts';
import { DeadlineWheel } from '../deadline-wheel.ts';
import { defaultLimits, type ListenerLimits } from '../limits.ts';
import { raw } from '../listener.fixtures.ts';
import type { Listener } from '../listener.ts';
import { type ListenerProblem, ProblemReports } from '../problems.ts';
import { TlsPeer } from '../tls/tls-peer.ts';
import {
  FIRST_WINDOW,
  FLAG,
  FRAME,
  PREFACE,
  readUint31,
  readUint32,
  SETTING,
  WINDOW_LIMIT,
  writeFrameHead,
  writeUint32,
} from './frames.ts';
import { H2Connection } from './h2-connection.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { literals } from './literals.fixtures.ts';
import { H2Shared } from './shared.ts';

export function frame(type: number, flags: number, stream: number, payload: Uint8Array | string = ''): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  const whole = Buffer.alloc(9 + bytes.length);
  writeFrameHead(whole, 0, bytes.length, type, flags, stream);
  whole.set(bytes, 9);
  return whole;
}

export type Entries = readonly (readonly [id: number, value: number])[];

export function settings(...entries: Entries): Buffer {
  const payload = Buffer.alloc(entries.length * 6);
  for (const [i, [id, value]] of entries.entries()) {
    payload.writeUInt16BE(id, i * 6);
    payload.writeUInt32BE(value, i * 6 + 2);
  }
  return frame(FRAME.settings, 0, 0, payload);
}

/** The preface and the first frames of a client. */
export function preface(...entries: Entries): Buffer {
  return Buffer.concat([PREFACE, settings(...entries)]);
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  writeUint32(bytes, 0, value);
  return bytes;
}

export function windowUpdate(stream: number, increment: number): Buffer {
  return frame(FRAME.windowUpdate, 0, stream, number32(increment));
}

export function reset(stream: number, code = 8): Buffer {
  return frame(FRAME.resetStream, 0, stream, number32(code));
}

export function data(stream: number, payload: Uint8Array | string, ends = false): Buffer {
  return frame(FRAME.data, ends ? FLAG.endStream : 0, stream, payload);
}

export function ping(text = '12345678'): Buffer {
  return frame(FRAME.ping, 0, 0, text);
}

/** A header block of literals that do not enter the table. */
export function block(fields: Readonly<Record<string, string>> | readonly string[]): Buffer {
  return literals(Array.isArray(fields) ? (fields as readonly string[]) : Object.entries(fields).flat());
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body follows. */
  readonly open?: boolean;
}

/** The block of a request. */
export function requestBlock({ method = 'GET', path = '/', headers = {} }: Ask = {}): Buffer {
  return block({ ':method': method, ':scheme': 'https', ':path': path, ':authority': 'a', ...headers });
}

/** HEADERS of a request in one frame. */
export function request(stream: number, ask: Ask = {}): Buffer {
  return frame(FRAME.headers, FLAG.endHeaders | (ask.open ? 0 : FLAG.endStream), stream, requestBlock(ask));
}

// Frames of the server

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
  /** Of a whole header block. */
  readonly fields?: Readonly<Record<string, string>>;
}

export const isEnd = ({ type, flags }: Frame): boolean =>
  (type === FRAME.data || type === FRAME.headers) && (flags & FLAG.endStream) !== 0;

/** The frames that a server sent. Header blocks are decoded with one table, as a client does. */
export class FrameLog {
  readonly frames: Frame[] = [];
  readonly #decoder = new HpackDecoder({ maxHeaderBytes: 10_000_000, maxHeaderCount: 10_000 });
  #unread: Buffer = Buffer.alloc(0);
  #block: Buffer[] = [];
  #over = false;
  #waiters: (() => void)[] = [];

  push(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    let at = 0;
    while (this.#unread.length - at >= 9) {
      const end = at + 9 + this.#unread.readUIntBE(at, 3);
      if (end > this.#unread.length) break;
      this.#add(this.#unread.subarray(at, end));
      at = end;
    }
    this.#unread = this.#unread.subarray(at);
    this.#wake();
  }

  /** The connection is closed. */
  close(): void {
    this.#over = true;
    this.#wake();
  }

  /** Waits for the first frame that satisfies the condition. Throws if the connection closes before. */
  async first(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (let at = 0; ; at++) {
      while (at >= this.frames.length) {
        if (this.#over) throw new Error(`the connection closed; it had sent ${JSON.stringify(this.frames.map(short))}`);
        await this.#more();
      }
      if (fits(this.frames[at]!)) return this.frames[at]!;
    }
  }

  /** Waits until the received frames satisfy the condition. */
  async until(fits: () => boolean): Promise<void> {
    while (!fits()) {
      if (this.#over) throw new Error('the connection closed');
      await this.#more();
    }
  }

  end(stream: number): Promise<Frame> {
    return this.first((one) => one.stream === stream && (isEnd(one) || one.type === FRAME.resetStream));
  }

  async status(stream: number): Promise<string | undefined> {
    return (await this.first((one) => one.stream === stream && one.fields !== undefined)).fields?.[':status'];
  }

  async resetCode(stream: number): Promise<number> {
    const { payload } = await this.first((one) => one.stream === stream && one.type === FRAME.resetStream);
    return readUint32(payload, 0);
  }

  /** The code of GOAWAY. */
  async goaway(): Promise<number> {
    return readUint32((await this.first(({ type }) => type === FRAME.goaway)).payload, 4);
  }

  lastStreamOfGoaway(): number {
    return readUint31(this.frames.find(({ type }) => type === FRAME.goaway)!.payload, 0);
  }

  dataOf(stream: number): Buffer {
    return Buffer.concat(
      this.frames.filter((one) => one.type === FRAME.data && one.stream === stream).map(({ payload }) => payload),
    );
  }

  count(type: number, stream?: number): number {
    return this.frames.filter((one) => one.type === type && (stream === undefined || one.stream === stream)).length;
  }

  #more(): Promise<void> {
    const more = new Deferred<void>();
    this.#waiters.push(() => more.resolve());
    return more.promise;
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #add(bytes: Buffer): void {
    const [type, flags, stream, payload] = [bytes[3]!, bytes[4]!, readUint31(bytes, 5), bytes.subarray(9)];
    if (type !== FRAME.headers && type !== FRAME.continuation) {
      if (this.#block.length > 0) throw new Error('a header block is interrupted');
      this.frames.push({ type, flags, stream, payload });
      return;
    }
    this.#block.push(payload);
    if ((flags & FLAG.endHeaders) === 0) {
      this.frames.push({ type, flags, stream, payload });
      return;
    }
    const decoded = this.#decoder.decode(Buffer.concat(this.#block));
    this.#block = [];
    if (decoded === undefined || decoded.malformed) throw new Error('a header block cannot be read');
    const fields: Record<string, string> = {};
    for (let i = 0; i < decoded.fields.length; i += 2) fields[decoded.fields[i]!] = decoded.fields[i + 1]!;
    this.frames.push({ type, flags, stream, payload, fields });
  }
}

function short({ type, stream }: Frame): string {
  return `${type} on ${stream}`;
}

/** A client over TLS that sends raw frames. */
export class RawClient extends FrameLog {
  readonly socket: TLSSocket;

  constructor(socket: TLSSocket) {
    super();
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => this.push(bytes));
    socket.on('close', () => this.close());
  }

  static async connect(listener: Listener, ...entries: Entries): Promise<RawClient> {
    const client = new RawClient(await raw(listener, 'h2'));
    client.send(preface(...entries));
    return client;
  }

  send(...frames: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** Sends PING and waits for its acknowledgement: the server has then handled every earlier frame. */
  async settle(text: string): Promise<void> {
    this.send(ping(text));
    await this.first((one) => one.type === FRAME.ping && one.payload.toString('latin1') === text);
  }
}

// A connection in memory

/** A socket in memory. Its writes are recorded at once, or when the test releases them. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = '192.0.2.1';
  readonly log: FrameLog;
  /** Whether writes complete at once; `writableLength` counts those that did not. */
  taking = true;
  /** The failure of all later writes. */
  refusal: Error | undefined;
  /** The number of writes. */
  writes = 0;
  /** Whether the socket keeps the process alive. */
  keepsAlive = true;
  #waiting: (() => void) | undefined;

  constructor(log: FrameLog) {
    super({ allowHalfOpen: true, highWaterMark: 16 * 1024 });
    this.log = log;
    this.on('close', () => log.close());
  }

  /** Completes all pending and later writes. */
  takeAll(): void {
    this.taking = true;
    this.#waiting?.();
  }

  ref(): this {
    this.keepsAlive = true;
    return this;
  }

  unref(): this {
    this.keepsAlive = false;
    return this;
  }

  override _read(): void {}

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    if (this.refusal !== undefined) {
      done(this.refusal);
      return;
    }
    const bytes = Buffer.concat(chunks.map(({ chunk }) => chunk));
    this.writes++;
    const take = (): void => {
      this.#waiting = undefined;
      this.log.push(bytes);
      done();
    };
    if (this.taking) take();
    else this.#waiting = take;
  }
}

export interface InMemory {
  readonly log: FrameLog;
  readonly socket: MemorySocket;
  readonly connection: H2Connection;
  readonly clock: VirtualClock;
  readonly wheel: DeadlineWheel;
  readonly problems: ListenerProblem[];
  send(...frames: readonly Uint8Array[]): void;
}

/**
 * A connection without TLS and kernel buffers, so that every buffered byte can be counted. `makeShared` makes the state
 * that it shares with others.
 */
export function inMemory(
  handler: Handler,
  limits: Partial<ListenerLimits> = {},
  makeShared: (clock: VirtualClock) => H2Shared = (clock) => new H2Shared(clock),
): InMemory {
  const clock = new VirtualClock();
  const problems: ListenerProblem[] = [];
  const reports = new ProblemReports((problem) => problems.push(problem));
  const wheel = new DeadlineWheel(clock, { tickMs: 1_000, onTick: () => reports.tick() });
  const context = { handler, limits: { ...defaultLimits, ...limits }, wheel, problems: reports, draining: false };
  const log = new FrameLog();
  const socket = new MemorySocket(log);
  const tls = socket as unknown as TLSSocket;
  const connection = new H2Connection(context, makeShared(clock), tls, new TlsPeer(tls, undefined, clock));
  connection.start();
  return {
    log,
    socket,
    connection,
    clock,
    wheel,
    problems,
    send: (...frames) => void socket.push(Buffer.concat(frames)),
  };
}

/** Settings with stream windows that are never exhausted. */
export const WIDE: readonly [id: number, value: number] = [SETTING.initialWindowSize, WINDOW_LIMIT];

/** Opens connection and stream windows that are never exhausted. */
export const wide = (): Buffer => Buffer.concat([preface(WIDE), windowUpdate(0, WINDOW_LIMIT - FIRST_WINDOW)]);

export const POST: Ask = { method: 'POST', open: true };
export const never: Handler = () => new Promise<Answer>(() => {});

/** Waits some turns of the event loop, so that pending output is flushed. */
export async function turns(count = 10): Promise<void> {
  for (let i = 0; i < count; i++) await settle();
}

/** An answer of endless chunks, taken as the client reads. */
export function endless(size = 10_000): Answer {
  const chunk = Buffer.alloc(size, 'e');
  return { kind: 'chunks', status: 200, headers: {}, chunks: { size: undefined, next: () => chunk } };
}
