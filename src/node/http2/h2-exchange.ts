/**
 * One request on an HTTP/2 stream and its answer. Invariant: it stays in the wheel from the first header to the close of the stream; what it has to send waits here, by reference, until the connection
 * lets it write, and never more is written than the client's windows allow.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ChunkSource } from '../../server/http/chunk-source.ts';
import {
  type Answer,
  type AnswerHeaders,
  type AnswerSink,
  type BodyResult,
  startClosed,
} from '../../server/http/exchange.ts';
import { NEVER, type Timed } from '../deadline-wheel.ts';
import { readerDeadline, type Sender } from '../exchange-context.ts';
import { EMPTY_BODY } from '../http1/read-body.ts';
import type { Filler, FrameOutput } from './frame-output.ts';
import { CODE, FRAME_HEADER, FRAME_LIMIT } from './frames.ts';
import { IncomingBody } from './incoming-body.ts';
import { fieldNames, fieldOf, fieldValues, type RequestLine } from './request-fields.ts';
import type { StreamConnection } from './stream-connection.ts';

const NO_WEBSOCKET = new TextEncoder().encode('websocket: this endpoint needs HTTP/1.1 and an upgrade\n');
/** What one stream writes before the others have their turn. */
const GROUP_FRAMES = 4;
/** What a streaming answer may leave waiting before it is told to stop. */
const MOST_WAITING = 64 * 1024;
/** Chunks that were written and are still referred to, where a reader never takes all of them. */
const MOST_WRITTEN = 1_000;
/** Statuses whose answers have no body. */
const hasNoBody = (status: number): boolean => status === 204 || status === 304;

interface Head {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly length: number;
  /** Nothing follows. */
  readonly alone: boolean;
}

export type Progress =
  /** Nothing to write until somebody adds to it. */
  | 'waiting'
  /** More to write in the next turn. */
  | 'more'
  /** The client's windows are full. */
  | 'blocked';

export class H2Exchange implements Sender, Timed, AnswerSink {
  readonly method: string;
  readonly target: string;
  readonly connection: StreamConnection;
  readonly id: number;
  deadline: number = NEVER;
  place: number | undefined = undefined;
  /** In the connection's list of those who may write. */
  isQueued = false;
  /** What the client lets us send. */
  sendWindow: number;
  readonly #fields: readonly string[];
  readonly #body: IncomingBody | undefined;
  /** The client has sent everything. */
  #remoteEnded: boolean;
  /** What the client may still send, and what it could be given back. */
  #receiveWindow: number;
  #consumed = 0;
  #reading = false;
  #answered = false;
  /** 100 Continue is to be written. */
  #continues = false;
  #head: Head | undefined;
  /** Chunks to write, from `#firstWaiting` on; of that one from `#offset` on. */
  #waiting: Uint8Array[] = [];
  #firstWaiting = 0;
  #waitingBytes = 0;
  #offset = 0;
  #source: ChunkSource | undefined;
  /** No more chunks will come than wait now. */
  #ending = false;
  /** END_STREAM was written. */
  #localEnded = false;
  #onDrain: (() => void) | undefined;
  #needsDrain = false;
  #closers: (() => void)[] | undefined;
  #gone = false;

  constructor(connection: StreamConnection, id: number, fields: readonly string[], line: RequestLine, ended: boolean) {
    this.connection = connection;
    this.id = id;
    this.method = line.method;
    this.target = line.target;
    this.sendWindow = connection.initialSendWindow;
    this.#fields = fields;
    this.#remoteEnded = ended;
    this.#body = ended ? undefined : new IncomingBody(line.contentLength);
    this.#receiveWindow = connection.context.limits.streamWindowBytes;
  }

  get gone(): boolean {
    return this.#gone;
  }

  get remoteEnded(): boolean {
    return this.#remoteEnded;
  }

  header(name: string): string | undefined {
    // As in Go, where the pseudo-header wins.
    const authority = name === 'host' ? fieldOf(this.#fields, ':authority') : undefined;
    return authority ?? fieldOf(this.#fields, name);
  }

  headerValues(name: string): readonly string[] {
    return fieldValues(this.#fields, name);
  }

  headerNames(): readonly string[] {
    return fieldNames(this.#fields);
  }

  body(limit: number): MaybePromise<BodyResult> {
    if (this.#body === undefined) return EMPTY_BODY;
    return this.#body.read(limit, () => {
      const { context } = this.connection;
      this.#reading = true;
      this.deadline = context.wheel.in(context.limits.bodyTimeoutMs);
      if (this.header('expect')?.toLowerCase() === '100-continue') {
        this.#continues = true;
        this.connection.queue(this);
      }
      this.#giveBack();
    });
  }

  /** Data of the client; `flowBytes` with its padding. */
  receive(piece: Uint8Array, flowBytes: number): 'ok' | 'malformed' | 'overflow' {
    this.#receiveWindow -= flowBytes;
    if (this.#receiveWindow < 0) return 'overflow';
    this.#consumed += flowBytes;
    if (this.#body === undefined) return 'ok';
    if (this.#answered) return this.#body.skip(piece.length) ? 'ok' : 'malformed';
    if (piece.length > 0 && !this.#body.push(piece, this.connection.context.limits.streamWindowBytes))
      return 'malformed';
    if (this.#reading) this.#giveBack();
    return 'ok';
  }

  /** The client has sent END_STREAM. False: too early. */
  endReceiving(): boolean {
    this.#remoteEnded = true;
    // Once there is an answer the deadline is for its reader.
    if (this.#reading && !this.#answered) this.deadline = NEVER;
    return this.#body?.end() !== false;
  }

  /** Lets the client send on, in steps of half a window. */
  #giveBack(): void {
    const { limits } = this.connection.context;
    if (this.#remoteEnded || this.#consumed < limits.streamWindowBytes / 2) return;
    this.connection.giveBack(this.id, this.#consumed);
    this.#receiveWindow += this.#consumed;
    this.#consumed = 0;
  }

  onClose(listener: () => void): void {
    if (this.#gone) listener();
    else if (this.#closers === undefined) this.#closers = [listener];
    else this.#closers.push(listener);
  }

  send(answer: Answer): void {
    if (this.#gone || this.#answered) {
      startClosed(answer);
      return;
    }
    if (answer.kind === 'websocket') {
      this.send({ kind: 'bytes', status: 400, headers: answer.headers, body: NO_WEBSOCKET });
      startClosed(answer);
      return;
    }
    this.#answered = true;
    const { status, headers } = answer;
    const alone = this.method === 'HEAD' || hasNoBody(status);
    const size =
      answer.kind === 'bytes' ? answer.body.length : answer.kind === 'chunks' ? answer.chunks.size : undefined;
    const length = hasNoBody(status) ? -1 : (size ?? -1);
    this.#head = { status, headers, length, alone: alone || size === 0 };
    this.connection.queue(this);
    if (this.#head.alone) {
      this.#expectReader(0);
      startClosed(answer);
    } else if (answer.kind === 'bytes') {
      this.#waiting.push(answer.body);
      this.#ending = true;
      this.#expectReader(answer.body.length);
    } else if (answer.kind === 'chunks') {
      this.#source = answer.chunks;
      this.#expectReader(0);
    } else {
      this.deadline = NEVER;
      answer.start(this);
    }
  }

  write(chunks: readonly Uint8Array[]): boolean {
    if (this.#ending || this.#gone) return false;
    if (this.#firstWaiting > MOST_WRITTEN) {
      this.#waiting.splice(0, this.#firstWaiting);
      this.#firstWaiting = 0;
    }
    for (let i = 0; i < chunks.length; i++) {
      const chunk = chunks[i]!;
      if (chunk.length === 0) continue;
      this.#waiting.push(chunk);
      this.#waitingBytes += chunk.length;
    }
    if (this.#waiting.length > 0) this.connection.queue(this);
    if (this.#waitingBytes <= MOST_WAITING) return true;
    this.#needsDrain = true;
    if (this.deadline === NEVER) this.#expectReader(this.#waitingBytes);
    return false;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  end(): void {
    if (this.#ending || this.#gone) return;
    this.#ending = true;
    this.#expectReader(this.#waitingBytes);
    this.connection.queue(this);
  }

  abort(): void {
    this.cut();
  }

  /** Writes headers and as many frames as windows and fairness allow. */
  advance(output: FrameOutput): Progress {
    if (this.#continues) this.#writeContinue(output);
    if (this.#head !== undefined) this.#writeHead(output, this.#head);
    if (this.#localEnded) return 'waiting';
    if (this.#source !== undefined && this.#room() === FRAME_LIMIT)
      output.expect(GROUP_FRAMES * (FRAME_LIMIT + FRAME_HEADER));
    for (let frames = 0; ; frames++) {
      if (frames === GROUP_FRAMES) return 'more';
      const room = this.#room();
      if (room <= 0 && this.#next() !== undefined) return 'blocked';
      const size = room > 0 ? this.#writeFrame(output, room) : 0;
      if (this.#localEnded) return 'waiting';
      if (size === 0) break;
    }
    if (this.#ending) {
      output.beginData(0);
      this.#endLocal(output, 0);
    } else this.#drained();
    return 'waiting';
  }

  /** What the next frame may hold. */
  #room(): number {
    return Math.min(this.sendWindow, this.connection.sendWindow, FRAME_LIMIT);
  }

  #writeContinue(output: FrameOutput): void {
    this.#continues = false;
    // Nobody waits for it any more if the body has come meanwhile, or the answer.
    if (!this.#remoteEnded && !this.#answered) output.headers(this.id, this.connection.encodeContinue(), false);
  }

  #writeHead(output: FrameOutput, { status, headers, length, alone }: Head): void {
    this.#head = undefined;
    output.headers(this.id, this.connection.encode(status, headers, length), alone);
    if (alone) this.#finish();
  }

  /** One frame of DATA of at most so many bytes; zero if there is nothing to write. */
  #writeFrame(output: FrameOutput, room: number): number {
    output.beginData(room);
    let size = 0;
    try {
      size = this.#fill(output, room) || this.#copy(output, room);
    } finally {
      // Of a source that breaks nothing is left in the output, which all connections share.
      if (size === 0) output.dropData();
    }
    if (size === 0) return 0;
    this.sendWindow -= size;
    this.connection.sendWindow -= size;
    this.#waitingBytes -= size;
    if (this.#source !== undefined) this.#allowFor(size);
    if (this.#ending && this.#next() === undefined) this.#endLocal(output, size);
    else output.endData(this.id, size, false);
    return size;
  }

  #copy(output: FrameOutput, room: number): number {
    // The next frame is filled by the source again.
    const canFill = this.#source?.fill !== undefined;
    let size = 0;
    for (let chunk = this.#next(); chunk !== undefined && size < room; chunk = this.#next(canFill)) {
      const end = Math.min(chunk.length, this.#offset + room - size);
      output.data(chunk, this.#offset, end);
      size += end - this.#offset;
      this.#offset = end;
    }
    return size;
  }

  /** A source that can copies its bytes by itself. */
  #fill(output: FrameOutput, room: number): number {
    const source = this.#source;
    if (source?.fill === undefined || this.#waiting.length > this.#firstWaiting) return 0;
    return output.fill(source as Filler, room);
  }

  /** The chunk of which something is left, undefined if none is there; `waitingOnly` leaves the source alone. */
  #next(waitingOnly = false): Uint8Array | undefined {
    const waiting = this.#waiting;
    for (;;) {
      const first = waiting[this.#firstWaiting];
      if (first !== undefined) {
        if (this.#offset < first.length) return first;
        this.#offset = 0;
        this.#firstWaiting++;
        continue;
      }
      if (this.#firstWaiting > 0) {
        waiting.length = 0;
        this.#firstWaiting = 0;
      }
      if (waitingOnly) return undefined;
      const more = this.#source?.next();
      if (more === undefined) {
        if (this.#source !== undefined) {
          this.#source = undefined;
          this.#ending = true;
        }
        return undefined;
      }
      waiting.push(more);
    }
  }

  #endLocal(output: FrameOutput, size: number): void {
    output.endData(this.id, size, true);
    this.#finish();
  }

  #finish(): void {
    this.#localEnded = true;
    // The rest of a body that nobody will read: tell the client to stop (RFC 9113, 8.1), after the answer.
    if (!this.#remoteEnded) this.connection.stopSender(this);
    this.connection.finished(this);
  }

  #drained(): void {
    if (!this.#needsDrain) return;
    this.#needsDrain = false;
    this.deadline = NEVER;
    this.#onDrain?.();
  }

  #expectReader(bytes: number): void {
    this.deadline = readerDeadline(this.connection.context, bytes);
  }

  /** More time for a reader who took so much. Who takes little gets little, whatever he was given before. */
  #allowFor(bytes: number): void {
    const { context } = this.connection;
    const longer = this.deadline + (bytes * 1000) / context.limits.slowestReader;
    this.deadline = Math.min(longer, readerDeadline(context, bytes));
  }

  cut(): void {
    if (!this.#gone) this.connection.reset(this, CODE.internalError);
  }

  /** Too slow with its body, or with reading the answer. */
  expire(): void {
    this.deadline = NEVER;
    const { connection } = this;
    connection.context.problems.report(
      'too-slow',
      connection.remoteAddress,
      'a request was broken off: its client was too slow in sending the body or in reading the answer',
    );
    connection.reset(this, CODE.internalError);
  }

  /** The stream is over. Whoever waits for the client hears of it, unless everything was written. */
  closed(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#waiting = [];
    this.#source = undefined;
    this.#head = undefined;
    this.#body?.abort();
    const closers = this.#closers;
    this.#closers = undefined;
    if (closers !== undefined && !this.#localEnded) for (const listener of closers) listener();
  }
}
