/**
 * One request on an HTTP/2 stream and its answer: the sending half of the stream. Chunks wait here, by reference, until
 * the connection calls `advance`.
 * Invariants: the exchange is in the deadline wheel from its headers to the close of the stream, and never writes more
 * than the client's windows allow.
 */
import type { ChunkSource } from '../../server/http/chunk-source.ts';
import { type Answer, type AnswerHeaders, type AnswerSink, startClosed } from '../../server/http/exchange.ts';
import { NEVER } from '../deadline-wheel.ts';
import { extendDeadline, readerDeadline, type Sender } from '../exchange-context.ts';
import type { Filler, FrameOutput } from './frame-output.ts';
import { CODE, FRAME_HEADER, FRAME_LIMIT } from './frames.ts';
import { H2Request } from './h2-request.ts';
import type { RequestLine } from './request-fields.ts';
import type { StreamConnection } from './stream-connection.ts';

const NO_WEBSOCKET = new TextEncoder().encode('websocket: this endpoint needs HTTP/1.1 and an upgrade\n');
const NO_TUNNEL = new TextEncoder().encode('this endpoint needs HTTP/1.1 and an upgrade\n');
/** DATA frames that one stream writes before the next stream's turn. */
const GROUP_FRAMES = 4;
/** Unsent bytes of a streaming answer at which `write` returns false. */
const HIGH_WATER = 64 * 1024;
/** Sent chunks that stay referenced in `#waiting` before they are removed, for a client that never catches up. */
const MAX_SENT = 1_000;
/** Returns whether answers of this status have no body. */
const hasNoBody = (status: number): boolean => status === 204 || status === 304;

interface Head {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly length: number;
  /** No body follows. */
  readonly alone: boolean;
}

export type Progress =
  /** Nothing to write until the answer continues. */
  | 'waiting'
  /** More to write in the next turn. */
  | 'more'
  /** The client's windows are exhausted. */
  | 'blocked';

export class H2Exchange extends H2Request implements Sender, AnswerSink {
  /** The connection has it in its list of streams with frames to write. */
  isQueued = false;
  /** The client's flow-control window of this stream. */
  sendWindow: number;
  #head: Head | undefined;
  /** Chunks to send, from `#firstWaiting` on; of the first one, from `#offset` on. */
  #waiting: Uint8Array[] = [];
  #firstWaiting = 0;
  #waitingBytes = 0;
  #offset = 0;
  #source: ChunkSource | undefined;
  /** The answer has no more chunks than those in `#waiting`. */
  #ending = false;
  /** END_STREAM was written. */
  #localEnded = false;
  #onDrain: (() => void) | undefined;
  #needsDrain = false;

  constructor(connection: StreamConnection, id: number, fields: readonly string[], line: RequestLine, ended: boolean) {
    super(connection, id, fields, line, ended);
    this.sendWindow = connection.initialSendWindow;
  }

  send(answer: Answer): void {
    if (this.isClosed || this.isAnswered) {
      startClosed(answer);
      return;
    }
    if (answer.kind === 'websocket' || answer.kind === 'tunnel') {
      const body = answer.kind === 'websocket' ? NO_WEBSOCKET : NO_TUNNEL;
      this.send({ kind: 'bytes', status: 400, headers: answer.headers, body });
      startClosed(answer);
      return;
    }
    this.markAnswered();
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
    if (this.#ending || this.isClosed) return false;
    if (this.#firstWaiting > MAX_SENT) {
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
    if (this.#waitingBytes <= HIGH_WATER) return true;
    this.#needsDrain = true;
    if (this.deadline === NEVER) this.#expectReader(this.#waitingBytes);
    return false;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  end(): void {
    if (this.#ending || this.isClosed) return;
    this.#ending = true;
    this.#expectReader(this.#waitingBytes);
    this.connection.queue(this);
  }

  abort(): void {
    if (!this.isClosed) this.connection.reset(this, CODE.internalError);
  }

  /** Writes headers and as many DATA frames as windows and fairness allow. */
  advance(output: FrameOutput): Progress {
    if (this.takeContinue()) output.headers(this.id, this.connection.encodeContinue(), false);
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

  /** Returns how many bytes the next DATA frame may have. */
  #room(): number {
    return Math.min(this.sendWindow, this.connection.sendWindow, FRAME_LIMIT);
  }

  #writeHead(output: FrameOutput, { status, headers, length, alone }: Head): void {
    this.#head = undefined;
    output.headers(this.id, this.connection.encode(status, headers, length), alone);
    if (alone) this.#finish();
  }

  /** Writes one DATA frame of at most `room` bytes. Returns its size; 0 if there is nothing to write. */
  #writeFrame(output: FrameOutput, room: number): number {
    output.beginData(room);
    let size = 0;
    try {
      size = this.#fill(output, room) || this.#copy(output, room);
    } finally {
      // Also if the source throws: other connections share the output.
      if (size === 0) output.dropData();
    }
    if (size === 0) return 0;
    this.sendWindow -= size;
    this.connection.sendWindow -= size;
    this.#waitingBytes -= size;
    if (this.#source !== undefined) this.deadline = extendDeadline(this.connection.context, this.deadline, size);
    if (this.#ending && this.#next() === undefined) this.#endLocal(output, size);
    else output.endData(this.id, size, false);
    return size;
  }

  #copy(output: FrameOutput, room: number): number {
    // The source fills the next frame itself.
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

  /** Lets the source copy its bytes into the frame, if it can. */
  #fill(output: FrameOutput, room: number): number {
    const source = this.#source;
    if (source?.fill === undefined || this.#waiting.length > this.#firstWaiting) return 0;
    return output.fill(source as Filler, room);
  }

  /**
   * Returns the first chunk with unsent bytes; undefined if there is none. `waitingOnly` does not ask the source for
   * more.
   */
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
    if (!this.remoteEnded) this.connection.stopRequestBody(this);
    this.connection.streamFinished(this);
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

  /** The client is too slow in sending the body or in reading the answer. */
  expire(): void {
    this.deadline = NEVER;
    const { connection } = this;
    connection.context.problems.report(
      'too-slow',
      connection.remoteAddress,
      'a request was aborted: its client was too slow in sending the body or in reading the answer',
    );
    connection.reset(this, CODE.internalError);
  }

  /** Called when the stream is closed. Calls the `onClose` listeners unless the whole answer was written. */
  handleClose(): void {
    if (this.isClosed) return;
    this.#waiting = [];
    this.#source = undefined;
    this.#head = undefined;
    this.closeRequest(this.#localEnded);
  }
}
