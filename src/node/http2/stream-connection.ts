/** What a stream asks of its connection. */
import type { AnswerHeaders, Connection } from '../../server/http/exchange.ts';
import type { ExchangeContext } from '../exchange-context.ts';

/** A stream, as its connection's methods name it. */
export interface StreamId {
  readonly id: number;
}

export interface StreamConnection extends Connection {
  readonly context: ExchangeContext;
  /** What the client lets us send, altogether and on a new stream. */
  sendWindow: number;
  readonly initialSendWindow: number;
  /** The stream has something to write. */
  queue(stream: StreamId): void;
  /** The header block of an answer, to be written at once. Throws if HTTP does not allow a header. */
  encode(status: number, headers: AnswerHeaders, length: number): Buffer;
  /** The same for 100 Continue. */
  encodeContinue(): Buffer;
  /** Lets the client send so many more bytes on a stream. */
  giveBack(stream: number, bytes: number): void;
  /** Breaks a stream off from our side. */
  reset(stream: StreamId, code: number): void;
  /** Tells the client to stop sending, after its answer: in a write of its own, because Node's client does not end a stream whose end and reset it reads together. */
  stopSender(stream: StreamId): void;
  /** Everything of an answer is written. */
  finished(stream: StreamId): void;
}
