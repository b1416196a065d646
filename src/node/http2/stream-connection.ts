/** The interface of a server's HTTP/2 connection that its streams use. */
import type { AnswerHeaders, Connection } from '../../server/http/exchange.ts';
import type { ExchangeContext } from '../exchange-context.ts';
import type { FlowConnection, H2Stream } from './h2-stream.ts';

export interface StreamConnection extends Connection, FlowConnection {
  readonly context: ExchangeContext;
  /**
   * Encodes the header block of an answer, which must be written before the next call. Throws if HTTP does not allow a
   * header.
   */
  encode(status: number, headers: AnswerHeaders, length: number): Buffer;
  /** Encodes the header block of `100 Continue`, which must be written before the next call. */
  encodeContinue(): Buffer;
  /**
   * Called before an answer is queued. Returns true if it comes later than its request and is the only thing that the
   * connection has to do; then `endAnswer` must be called. A whole answer leaves at once, others in the flush of this
   * turn.
   */
  beginAnswer(): boolean;
  /**
   * Called after the answer was queued, if `beginAnswer` returned true. `isWhole`: the answer is complete and leaves at
   * once.
   */
  endAnswer(isWhole: boolean): void;
  /** Resets the stream with an error code. */
  reset(stream: H2Stream, code: number): void;
  /**
   * Tells the client, after its answer, to stop sending the body (RST_STREAM with NO_ERROR, RFC 9113, 8.1). The frame
   * leaves in a write of its own: Node's client does not end a stream if it reads END_STREAM and RST_STREAM together.
   */
  stopRequestBody(stream: H2Stream): void;
  /** Called once the whole answer is written. */
  streamFinished(stream: H2Stream): void;
}
