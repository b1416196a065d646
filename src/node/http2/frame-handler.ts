/**
 * Applies the frames of a client to its connection and streams (RFC 9113, sections 5 and 6). A frame that breaks the
 * rules is a stream error or a connection error with the code that the RFC names.
 * Invariant: every header block is decoded, also one that is discarded, because the HPACK table must follow it.
 */
import type { ListenerLimits } from '../limits.ts';
import type { FrameConsumer } from './frame-reader.ts';
import {
  CODE,
  FLAG,
  FRAME,
  pingAck,
  readUint31,
  resetStream,
  settingsAck,
  type Violation,
  violation,
} from './frames.ts';
import { H2Exchange } from './h2-exchange.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { areTrailers, readRequestLine } from './request-fields.ts';
import { readSettings } from './settings.ts';
import type { StreamConnection } from './stream-connection.ts';

/** The interface of a connection that the frame handler uses. */
export interface FrameHandlerConnection extends StreamConnection {
  readonly streams: ReadonlyMap<number, H2Exchange>;
  readonly goawaySent: boolean;
  /** Called for each new request. */
  open(exchange: H2Exchange): void;
  /** Called when the client reset a stream. */
  streamReset(exchange: H2Exchange): void;
  /** Sends a control frame. */
  sendControl(frame: Uint8Array): void;
  /** Counts received DATA, padding included. Returns false if it exceeds the connection's window. */
  receivedData(bytes: number): boolean;
  /** Applies the client's SETTINGS. Returns false if a window exceeds 2^31-1. */
  changeSettings(tableSizes: readonly number[], initialWindow: number | undefined): boolean;
  /** Applies a WINDOW_UPDATE of a stream, or of the connection. Returns false if the window exceeds 2^31-1. */
  increaseSendWindow(exchange: H2Exchange | undefined, increment: number): boolean;
  /** Counts a stream that the client reset, or that was reset because of a stream error. */
  countReset(): void;
  countControlFrame(): void;
  /** A connection error (RFC 9113, 5.4.1). No frame is handled after it. */
  connectionError(violation: Violation): void;
}

/** More CONTINUATION frames than this are treated as an attack. */
const MAX_CONTINUATIONS = 8;
/** Streams above the limit that are refused before the connection is closed. */
const MAX_REFUSED = 100;
/** Streams that this side reset lately. Frames that the client sent before it knew are ignored. */
const RESET_STREAMS = 1_000;
/** Streams that ended lately. HEADERS on one of them are a connection error of type STREAM_CLOSED. */
const CLOSED_STREAMS = 64;

/** An incomplete header block. */
interface OpenBlock {
  readonly stream: number;
  readonly flags: number;
  readonly selfDependent: boolean;
  readonly pieces: Buffer[];
  size: number;
}

export class FrameHandler implements FrameConsumer {
  /** The highest stream that the client has opened. */
  lastStream = 0;
  readonly #owner: FrameHandlerConnection;
  readonly #limits: ListenerLimits;
  readonly #decoder: HpackDecoder;
  readonly #reset = new Set<number>();
  readonly #closed = new Int32Array(CLOSED_STREAMS);
  #closedAt = 0;
  #block: OpenBlock | undefined;
  #hasSettings = false;
  #refused = 0;
  #failed = false;

  constructor(owner: FrameHandlerConnection, limits: ListenerLimits) {
    this.#owner = owner;
    this.#limits = limits;
    this.#decoder = new HpackDecoder(limits);
  }

  /** Records a stream that this side reset: frames that the client sent before it knew are ignored. */
  rememberReset(stream: number): void {
    if (this.#reset.size >= RESET_STREAMS)
      for (const oldest of this.#reset) {
        this.#reset.delete(oldest);
        break;
      }
    this.#reset.add(stream);
  }

  /** Records a stream that ended. */
  rememberClosed(stream: number): void {
    this.#closed[this.#closedAt++ % CLOSED_STREAMS] = stream;
  }

  unreadable(problem: 'preface' | 'frame-size'): void {
    if (problem === 'preface') this.#connectionError(CODE.protocolError, 'the connection preface is missing');
    else this.#connectionError(CODE.frameSizeError, 'a frame is too large');
  }

  frame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean {
    if (!this.#hasSettings && type !== FRAME.settings)
      return this.#connectionError(CODE.protocolError, 'the first frame is not SETTINGS');
    if (this.#block !== undefined && (type !== FRAME.continuation || stream !== this.#block.stream))
      return this.#connectionError(CODE.protocolError, 'a header block is interrupted');
    switch (type) {
      case FRAME.data:
        this.#data(flags, stream, bytes, start, end);
        break;
      case FRAME.headers:
        this.#headers(flags, stream, bytes, start, end);
        break;
      case FRAME.continuation:
        this.#continuation(flags, bytes.subarray(start, end));
        break;
      case FRAME.windowUpdate:
        this.#windowUpdate(stream, bytes, start, end);
        break;
      case FRAME.resetStream:
        this.#resetStream(stream, end - start);
        break;
      case FRAME.settings:
        this.#settings(flags, stream, bytes.subarray(start, end));
        break;
      case FRAME.ping:
        this.#ping(flags, stream, bytes.subarray(start, end));
        break;
      case FRAME.priority:
        this.#priority(stream, bytes, start, end);
        break;
      case FRAME.goaway:
        if (stream !== 0) this.#connectionError(CODE.protocolError, 'GOAWAY on a stream');
        else if (end - start < 8) this.#connectionError(CODE.frameSizeError, 'GOAWAY is too short');
        else this.#owner.countControlFrame();
        break;
      case FRAME.pushPromise:
        this.#connectionError(CODE.protocolError, 'PUSH_PROMISE from a client');
        break;
      default:
        this.#owner.countControlFrame();
    }
    return !this.#failed;
  }

  #data(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    const owner = this.#owner;
    if (stream === 0 || stream > this.lastStream) {
      this.#connectionError(CODE.protocolError, 'DATA on a stream that is not open');
      return;
    }
    if (!owner.receivedData(end - start)) {
      this.#connectionError(CODE.flowControlError, 'DATA exceeds the window of the connection');
      return;
    }
    const padded = (flags & FLAG.padded) !== 0;
    const from = padded ? start + 1 : start;
    const to = padded ? end - (bytes[start] ?? 0) : end;
    if (from > to) {
      this.#connectionError(CODE.protocolError, 'padding is longer than its frame');
      return;
    }
    const exchange = owner.streams.get(stream);
    if (exchange === undefined) {
      if (this.#reset.has(stream)) return;
      owner.countControlFrame();
      owner.sendControl(resetStream(stream, CODE.streamClosed));
      return;
    }
    if (exchange.remoteEnded) {
      this.#streamError(exchange, CODE.streamClosed);
      return;
    }
    const ends = (flags & FLAG.endStream) !== 0;
    if (from === to && !ends) owner.countControlFrame();
    const received = exchange.receive(bytes.subarray(from, to), end - start);
    if (received === 'overflow') this.#streamError(exchange, CODE.flowControlError);
    else if (received === 'malformed' || (ends && !exchange.endReceiving()))
      this.#streamError(exchange, CODE.protocolError);
  }

  #headers(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    if (stream % 2 === 0) {
      this.#connectionError(CODE.protocolError, 'HEADERS on a stream with an even number');
      return;
    }
    let from = start;
    let to = end;
    if ((flags & FLAG.padded) !== 0) to -= bytes[from++] ?? 0;
    let selfDependent = false;
    if ((flags & FLAG.priority) !== 0) {
      selfDependent = to - from >= 5 && readUint31(bytes, from) === stream;
      from += 5;
    }
    if (from > to) {
      this.#connectionError(CODE.protocolError, 'padding is longer than its frame');
      return;
    }
    const piece = bytes.subarray(from, to);
    if ((flags & FLAG.endHeaders) !== 0) this.#headerBlock(flags, stream, selfDependent, piece);
    else this.#block = { stream, flags, selfDependent, pieces: [piece], size: piece.length };
  }

  #continuation(flags: number, piece: Buffer): void {
    const block = this.#block;
    if (block === undefined) {
      this.#connectionError(CODE.protocolError, 'CONTINUATION without HEADERS');
      return;
    }
    block.size += piece.length;
    if (block.pieces.push(piece) > MAX_CONTINUATIONS + 1 || block.size > this.#limits.maxHeaderBytes + FRAME_SLACK) {
      this.#connectionError(CODE.enhanceYourCalm, 'a header block is too long');
      return;
    }
    if ((flags & FLAG.endHeaders) === 0) return;
    this.#block = undefined;
    this.#headerBlock(block.flags, block.stream, block.selfDependent, Buffer.concat(block.pieces));
  }

  /** Handles a whole header block: a request, or the trailers of one. */
  #headerBlock(flags: number, stream: number, selfDependent: boolean, bytes: Buffer): void {
    const owner = this.#owner;
    const open = owner.streams.get(stream);
    if (open === undefined && stream <= this.lastStream && !this.#reset.has(stream)) {
      if (this.#closed.includes(stream)) this.#connectionError(CODE.streamClosed, 'HEADERS on a stream that is closed');
      else this.#connectionError(CODE.protocolError, 'streams are not opened in order');
      return;
    }
    const block = this.#decoder.decode(bytes);
    if (block === undefined) {
      this.#connectionError(CODE.compressionError, 'a header block cannot be read');
      return;
    }
    const ends = (flags & FLAG.endStream) !== 0;
    if (open !== undefined) {
      if (open.remoteEnded) this.#streamError(open, CODE.streamClosed);
      else if (!ends || block.malformed || !areTrailers(block.fields) || !open.endReceiving())
        this.#streamError(open, CODE.protocolError);
      return;
    }
    if (stream <= this.lastStream) {
      // On a stream that this side reset, only trailers may still be in flight.
      if (!ends) this.#connectionError(CODE.protocolError, 'a second request on one stream');
      return;
    }
    this.lastStream = stream;
    if (owner.goawaySent || owner.streams.size >= this.#limits.maxStreams) {
      if (++this.#refused <= MAX_REFUSED) this.#refuse(stream, CODE.refusedStream);
      else if (!owner.goawaySent) this.#connectionError(CODE.enhanceYourCalm, 'too many streams at once');
      return;
    }
    const line = block.malformed || block.tooLarge || selfDependent ? undefined : readRequestLine(block.fields);
    if (line === undefined || (ends && line.contentLength > 0)) {
      this.#refuse(stream, block.tooLarge ? CODE.enhanceYourCalm : CODE.protocolError);
      owner.countReset();
      return;
    }
    owner.open(new H2Exchange(owner, stream, block.fields, line, ends));
  }

  #refuse(stream: number, code: number): void {
    this.rememberReset(stream);
    this.#owner.sendControl(resetStream(stream, code));
  }

  #windowUpdate(stream: number, bytes: Buffer, start: number, end: number): void {
    const owner = this.#owner;
    if (end - start !== 4) {
      this.#connectionError(CODE.frameSizeError, 'WINDOW_UPDATE of an invalid length');
      return;
    }
    const increment = readUint31(bytes, start);
    if (stream > this.lastStream || (stream === 0 && increment === 0)) {
      this.#connectionError(CODE.protocolError, 'WINDOW_UPDATE of an idle stream, or of zero');
      return;
    }
    if (stream === 0) {
      if (!owner.increaseSendWindow(undefined, increment))
        this.#connectionError(CODE.flowControlError, 'the window is too large');
      return;
    }
    const exchange = owner.streams.get(stream);
    if (exchange === undefined) {
      if (increment > 0) return;
      owner.countControlFrame();
      owner.sendControl(resetStream(stream, CODE.protocolError));
    } else if (increment === 0) this.#streamError(exchange, CODE.protocolError);
    else if (!owner.increaseSendWindow(exchange, increment)) this.#streamError(exchange, CODE.flowControlError);
  }

  #resetStream(stream: number, length: number): void {
    if (length !== 4) this.#connectionError(CODE.frameSizeError, 'RST_STREAM of an invalid length');
    else if (stream === 0 || stream > this.lastStream)
      this.#connectionError(CODE.protocolError, 'RST_STREAM of an idle stream');
    else {
      const exchange = this.#owner.streams.get(stream);
      if (exchange === undefined) {
        this.#owner.countControlFrame();
        // The client's RST_STREAM is its last frame: none is in flight any more.
        if (this.#reset.delete(stream)) this.rememberClosed(stream);
      } else this.#owner.streamReset(exchange);
    }
  }

  #settings(flags: number, stream: number, payload: Buffer): void {
    const owner = this.#owner;
    if (stream !== 0) {
      this.#connectionError(CODE.protocolError, 'SETTINGS on a stream');
      return;
    }
    const isAck = (flags & FLAG.ack) !== 0;
    if (!this.#hasSettings && isAck) {
      this.#connectionError(CODE.protocolError, 'the first frame is not SETTINGS');
      return;
    }
    owner.countControlFrame();
    if (isAck) {
      if (payload.length > 0) this.#connectionError(CODE.frameSizeError, 'a SETTINGS acknowledgement with a payload');
      return;
    }
    this.#hasSettings = true;
    const change = readSettings(payload);
    if ('code' in change) {
      this.#connectionError(change.code, change.why);
      return;
    }
    if (owner.changeSettings(change.tableSizes, change.initialWindowSize)) owner.sendControl(settingsAck());
    else this.#connectionError(CODE.flowControlError, 'the window is too large');
  }

  #ping(flags: number, stream: number, payload: Buffer): void {
    if (stream !== 0) this.#connectionError(CODE.protocolError, 'PING on a stream');
    else if (payload.length !== 8) this.#connectionError(CODE.frameSizeError, 'PING of an invalid length');
    else {
      this.#owner.countControlFrame();
      if ((flags & FLAG.ack) === 0) this.#owner.sendControl(pingAck(payload));
    }
  }

  #priority(stream: number, bytes: Buffer, start: number, end: number): void {
    const exchange = this.#owner.streams.get(stream);
    this.#owner.countControlFrame();
    const code =
      stream === 0
        ? CODE.protocolError
        : end - start !== 5
          ? CODE.frameSizeError
          : readUint31(bytes, start) === stream
            ? CODE.protocolError
            : CODE.noError;
    if (code === CODE.noError) return;
    if (exchange === undefined) this.#connectionError(code, 'an invalid PRIORITY frame');
    else this.#streamError(exchange, code);
  }

  /** A stream error (RFC 9113, 5.4.2): resets the stream and counts it. */
  #streamError(exchange: H2Exchange, code: number): void {
    this.#owner.reset(exchange, code);
    this.#owner.countReset();
  }

  #connectionError(code: number, why: string): false {
    this.#failed = true;
    this.#block = undefined;
    this.#owner.connectionError(violation(code, why));
    return false;
  }
}

/** Allowance for field representations above the size of names and values. */
const FRAME_SLACK = 16 * 1024;
