/** Applies the frames of a client: opens a stream for each request, within the limits of the listener. */
import type { ListenerLimits } from '../limits.ts';
import { FrameHandler, type FrameHandlerConnection } from './frame-handler.ts';
import { CODE, resetStream } from './frames.ts';
import { H2Exchange } from './h2-exchange.ts';
import { areTrailers, readRequestLine } from './request-fields.ts';
import type { StreamConnection } from './stream-connection.ts';

/** The interface of a server's connection that its frame handler uses. */
export interface ServerFramesConnection extends StreamConnection, FrameHandlerConnection<H2Exchange> {
  readonly goawaySent: boolean;
  /** Called for each new request. */
  open(exchange: H2Exchange): void;
  /** Counts a stream that the client reset, or that was reset because of a stream error. */
  countReset(): void;
}

/** Streams above the limit that are refused before the connection is closed. */
const MAX_REFUSED = 100;
/** Streams that ended lately. HEADERS on one of them are a connection error of type STREAM_CLOSED. */
const CLOSED_STREAMS = 64;

export class ServerFrames extends FrameHandler<H2Exchange> {
  readonly #connection: ServerFramesConnection;
  readonly #maxStreams: number;
  readonly #closed = new Int32Array(CLOSED_STREAMS);
  #closedAt = 0;
  #refused = 0;

  constructor(connection: ServerFramesConnection, limits: ListenerLimits) {
    super(connection, limits);
    this.#connection = connection;
    this.#maxStreams = limits.maxStreams;
  }

  /** Records a stream that ended. */
  rememberClosed(stream: number): void {
    this.#closed[this.#closedAt++ % CLOSED_STREAMS] = stream;
  }

  protected override resetConfirmed(stream: number): void {
    this.rememberClosed(stream);
  }

  /** A client that closes in order opens no more streams. The others are answered. */
  protected override goaway(): void {}

  /** Handles a whole header block: a request, or the trailers of one. */
  protected override headerBlock(
    stream: number,
    ends: boolean,
    selfDependent: boolean,
    bytes: Buffer,
    start: number,
    end: number,
  ): void {
    const connection = this.#connection;
    const open = connection.streams.get(stream);
    if (open === undefined && stream <= this.lastStream && !this.wasReset(stream)) {
      if (this.#closed.includes(stream)) this.connectionError(CODE.streamClosed, 'HEADERS on a stream that is closed');
      else this.connectionError(CODE.protocolError, 'streams are not opened in order');
      return;
    }
    const block = this.decode(bytes, start, end);
    if (block === undefined) return;
    if (open !== undefined) {
      if (open.remoteEnded) connection.streamError(open, CODE.streamClosed);
      else if (!ends || block.malformed || !areTrailers(block.fields) || !open.endReceiving())
        connection.streamError(open, CODE.protocolError);
      return;
    }
    if (stream <= this.lastStream) {
      // On a stream that this side reset, only trailers may still be in flight.
      if (!ends) this.connectionError(CODE.protocolError, 'a second request on one stream');
      return;
    }
    this.lastStream = stream;
    if (connection.goawaySent || connection.streams.size >= this.#maxStreams) {
      if (++this.#refused <= MAX_REFUSED) this.#refuse(stream, CODE.refusedStream);
      else if (!connection.goawaySent) this.connectionError(CODE.enhanceYourCalm, 'too many streams at once');
      return;
    }
    const line = block.malformed || block.tooLarge || selfDependent ? undefined : readRequestLine(block.fields);
    if (line === undefined || (ends && line.contentLength > 0)) {
      this.#refuse(stream, block.tooLarge ? CODE.enhanceYourCalm : CODE.protocolError);
      connection.countReset();
      return;
    }
    connection.open(new H2Exchange(connection, stream, block.fields, line, ends));
  }

  #refuse(stream: number, code: number): void {
    this.rememberReset(stream);
    this.#connection.sendControl(resetStream(stream, code));
  }
}
