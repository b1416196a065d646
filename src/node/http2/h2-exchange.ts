/**
 * One request on an HTTP/2 stream and its answer.
 * Invariant: the exchange is in the deadline wheel from its headers to the close of the stream.
 */
import { type Answer, type AnswerHeaders, type AnswerSink, startClosed } from '../../server/http/exchange.ts';
import { NEVER } from '../deadline-wheel.ts';
import { extendDeadline, readerDeadline, type Sender } from '../exchange-context.ts';
import type { FrameOutput } from './frame-output.ts';
import { CODE } from './frames.ts';
import { H2Request } from './h2-request.ts';

const NO_WEBSOCKET = new TextEncoder().encode('websocket: this endpoint needs HTTP/1.1 and an upgrade\n');
const NO_TUNNEL = new TextEncoder().encode('this endpoint needs HTTP/1.1 and an upgrade\n');
/** Returns whether answers of this status have no body. */
const hasNoBody = (status: number): boolean => status === 204 || status === 304;

interface Head {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly length: number;
  /** No body follows. */
  readonly alone: boolean;
}

export class H2Exchange extends H2Request implements Sender, AnswerSink {
  #head: Head | undefined;

  send(answer: Answer): void {
    if (this.isClosed || this.isAnswered) {
      startClosed(answer);
      return;
    }
    const isCorked = this.connection.beginAnswer();
    try {
      this.#start(answer);
    } finally {
      if (isCorked) this.connection.endAnswer(this.isWhole || this.#head?.alone === true);
    }
  }

  #start(answer: Answer): void {
    if (answer.kind === 'websocket' || answer.kind === 'tunnel') {
      const body = answer.kind === 'websocket' ? NO_WEBSOCKET : NO_TUNNEL;
      this.#start({ kind: 'bytes', status: 400, headers: answer.headers, body });
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
      this.sendWhole(answer.body);
      this.#expectReader(answer.body.length);
    } else if (answer.kind === 'chunks') {
      this.sendSource(answer.chunks);
      this.#expectReader(0);
    } else {
      this.deadline = NEVER;
      answer.start(this);
    }
  }

  abort(): void {
    if (!this.isClosed) this.connection.reset(this, CODE.internalError);
  }

  protected override writeHead(output: FrameOutput): void {
    if (this.takeContinue()) output.headers(this.id, this.connection.encodeContinue(), false);
    const head = this.#head;
    if (head === undefined) return;
    this.#head = undefined;
    const { status, headers, length, alone } = head;
    output.headers(this.id, this.connection.encode(status, headers, length), alone);
    if (alone) this.endWithHead();
  }

  protected override localEnd(): void {
    if (!this.remoteEnded) this.connection.stopRequestBody(this);
    this.connection.streamFinished(this);
  }

  protected override becameFull(bytes: number): void {
    if (this.deadline === NEVER) this.#expectReader(bytes);
  }

  protected override becameReady(): void {
    this.deadline = NEVER;
  }

  protected override becameEnding(bytes: number): void {
    this.#expectReader(bytes);
  }

  protected override sourceAdvanced(bytes: number): void {
    this.deadline = extendDeadline(this.connection.context, this.deadline, bytes);
  }

  #expectReader(bytes: number): void {
    this.deadline = readerDeadline(this.connection.context, bytes);
  }

  /** Called at the deadline: the client is too slow in sending the body or in reading the answer. */
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
    this.dropBody();
    this.#head = undefined;
    this.closeRequest(this.localEnded);
  }
}
