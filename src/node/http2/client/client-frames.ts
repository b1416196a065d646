/** Applies the frames of a server: responses, their trailers, and the end of the connection. */
import type { HttpHeaders } from '../../../apimachinery/http/transport.ts';
import { readTrailers } from '../../outbound/trailers.ts';
import { FrameHandler, type FrameHandlerConnection } from '../frame-handler.ts';
import { CODE } from '../frames.ts';
import type { HeaderBlock, HeaderLimits } from '../hpack-decoder.ts';
import { areTrailers } from '../request-fields.ts';
import type { ClientStream } from './client-stream.ts';
import { type ResponseHead, readResponseHead } from './response-fields.ts';

/** The interface of a client's connection that its frame handler uses. */
export interface ClientFramesConnection extends FrameHandlerConnection<ClientStream> {
  /** Called when the server closes the connection in order: it did not process streams above `lastStream`. */
  goawayReceived(lastStream: number, code: number): void;
  /** Resets a stream whose response has more header bytes than the limit. */
  headersTooLarge(stream: ClientStream): void;
}

export class ClientFrames extends FrameHandler<ClientStream> {
  readonly #connection: ClientFramesConnection;
  readonly #sharesHeaders: boolean;
  /**
   * The last blocks of a response and of trailers, with their meaning. The decoder repeats the block if it is equal.
   */
  #lastHead: { readonly block: HeaderBlock; readonly head: ResponseHead | undefined } | undefined;
  #lastTrailers: { readonly block: HeaderBlock; readonly trailers: HttpHeaders | undefined } | undefined;

  /** `sharesHeaders`: responses may have the same header objects. */
  constructor(connection: ClientFramesConnection, limits: HeaderLimits, sharesHeaders: boolean) {
    super(connection, limits);
    this.#connection = connection;
    this.#sharesHeaders = sharesHeaders;
  }

  protected override resetConfirmed(): void {}

  protected override goaway(lastStream: number, code: number): void {
    this.#connection.goawayReceived(lastStream, code);
  }

  /** Handles a whole header block: a response, informational or final, or the trailers of one. */
  protected override headerBlock(
    stream: number,
    ends: boolean,
    selfDependent: boolean,
    bytes: Buffer,
    start: number,
    end: number,
  ): void {
    const connection = this.#connection;
    if (stream > this.lastStream) {
      this.connectionError(CODE.protocolError, 'HEADERS on a stream that is not open');
      return;
    }
    const block = this.decode(bytes, start, end);
    if (block === undefined) return;
    const open = connection.streams.get(stream);
    if (open === undefined) {
      // The response was in flight when the request was cancelled.
      if (!this.wasReset(stream)) connection.countControlFrame();
    } else if (open.remoteEnded) connection.streamError(open, CODE.streamClosed);
    else if (block.tooLarge) connection.headersTooLarge(open);
    else if (block.malformed || selfDependent || !this.#apply(open, block, ends))
      connection.streamError(open, CODE.protocolError);
  }

  /** Returns false if the fields are not valid on this stream now. */
  #apply(open: ClientStream, block: HeaderBlock, ends: boolean): boolean {
    if (open.status !== 0) return ends && areTrailers(block.fields) && open.endReceiving(this.#trailersOf(block));
    const head = this.#headOf(block);
    if (head === undefined) return false;
    if (head.status >= 200) return open.respond(head, ends);
    // HTTP/2 has no 101 (RFC 9113, 8.6). Other informational responses are not used.
    this.#connection.countControlFrame();
    return !ends && head.status !== 101;
  }

  #headOf(block: HeaderBlock): ResponseHead | undefined {
    if (this.#lastHead?.block === block) return this.#lastHead.head;
    const head = readResponseHead(block.fields);
    if (this.#sharesHeaders) this.#lastHead = { block, head };
    return head;
  }

  #trailersOf(block: HeaderBlock): HttpHeaders | undefined {
    if (this.#lastTrailers?.block === block) return this.#lastTrailers.trailers;
    const trailers = readTrailers(block.fields);
    if (this.#sharesHeaders) this.#lastTrailers = { block, trailers };
    return trailers;
  }
}
