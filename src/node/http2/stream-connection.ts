/** The interface of an HTTP/2 connection that its streams use. */
import type { AnswerHeaders, Connection } from '../../server/http/exchange.ts';
import type { ExchangeContext } from '../exchange-context.ts';

/** A stream as an argument of its connection's methods. */
export interface StreamId {
  readonly id: number;
}

export interface StreamConnection extends Connection {
  readonly context: ExchangeContext;
  /** The client's flow-control windows: of the connection, and the initial one of a new stream. */
  sendWindow: number;
  readonly initialSendWindow: number;
  /** Called when the stream has frames to write; the connection calls its `advance` in the next flush. */
  queue(stream: StreamId): void;
  /**
   * Encodes the header block of an answer, which must be written before the next call. Throws if HTTP does not allow a
   * header.
   */
  encode(status: number, headers: AnswerHeaders, length: number): Buffer;
  /** Encodes the header block of `100 Continue`, which must be written before the next call. */
  encodeContinue(): Buffer;
  /** Allows the client to send `bytes` more on a stream. */
  sendWindowUpdate(stream: number, bytes: number): void;
  /** Resets the stream with an error code. */
  reset(stream: StreamId, code: number): void;
  /**
   * Tells the client, after its answer, to stop sending the body (RST_STREAM with NO_ERROR, RFC 9113, 8.1). The frame
   * leaves in a write of its own: Node's client does not end a stream if it reads END_STREAM and RST_STREAM together.
   */
  stopRequestBody(stream: StreamId): void;
  /** Called once the whole answer is written. */
  streamFinished(stream: StreamId): void;
}
