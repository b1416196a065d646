/**
 * What each frame of a client means for its connection and its streams (RFC 9113, sections 5 and 6). Invariant: every frame either does what it says, is ignored where the rules say so, breaks its stream off, or
 * ends the connection with the code that the rules name; header blocks are decoded even if nobody wants them.
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
import { readSettings } from './peer-settings.ts';
import { areTrailers, readRequestLine } from './request-fields.ts';
import type { StreamConnection } from './stream-connection.ts';

/** What frames do to their connection. */
export interface FrameHandlerConnection extends StreamConnection {
  readonly streams: ReadonlyMap<number, H2Exchange>;
  readonly isLeaving: boolean;
  open(exchange: H2Exchange): void;
  /** The client broke a stream off. */
  broken(exchange: H2Exchange): void;
  /** Sends a small frame. */
  answer(frame: Uint8Array): void;
  /** False: more than the connection's window. */
  receivedData(bytes: number): boolean;
  /** False, here and below: beyond what a window can be. */
  changeSettings(tableSizes: readonly number[], initialWindow: number | undefined): boolean;
  widen(exchange: H2Exchange | undefined, increment: number): boolean;
  /** Counts a stream that the client broke off, or made us break off. */
  countReset(): void;
  countControl(): void;
  /** The client does not speak HTTP/2, or abuses it: nothing more of it is looked at. */
  fail(violation: Violation): void;
}

/** A header block in more frames than this is an attack. */
const MOST_CONTINUATIONS = 8;
/** Streams beyond the limit that are refused before the connection is. */
const MOST_REFUSED = 100;
/** Streams whose end we remember, to tell frames that were on the way from frames that are wrong. */
const REMEMBERED = 1_000;
const RECENT = 64;

/** A header block whose end has not come. */
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
  readonly #recent = new Int32Array(RECENT);
  #recentAt = 0;
  #block: OpenBlock | undefined;
  #hasSettings = false;
  #refused = 0;
  #failed = false;

  constructor(owner: FrameHandlerConnection, limits: ListenerLimits) {
    this.#owner = owner;
    this.#limits = limits;
    this.#decoder = new HpackDecoder(limits);
  }

  /** We have broken a stream off: what the client had sent before it heard of it is ignored. */
  rememberReset(stream: number): void {
    if (this.#reset.size >= REMEMBERED)
      for (const oldest of this.#reset) {
        this.#reset.delete(oldest);
        break;
      }
    this.#reset.add(stream);
  }

  rememberClosed(stream: number): void {
    this.#recent[this.#recentAt++ % RECENT] = stream;
  }

  unreadable(problem: 'preface' | 'frame-size'): void {
    if (problem === 'preface') this.#fail(CODE.protocolError, 'it does not begin with the preface');
    else this.#fail(CODE.frameSizeError, 'a frame is too large');
  }

  frame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean {
    if (!this.#hasSettings && type !== FRAME.settings)
      return this.#fail(CODE.protocolError, 'SETTINGS do not come first');
    if (this.#block !== undefined && (type !== FRAME.continuation || stream !== this.#block.stream))
      return this.#fail(CODE.protocolError, 'a header block is interrupted');
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
        if (stream !== 0) this.#fail(CODE.protocolError, 'GOAWAY on a stream');
        else if (end - start < 8) this.#fail(CODE.frameSizeError, 'GOAWAY is too short');
        else this.#owner.countControl();
        break;
      case FRAME.pushPromise:
        this.#fail(CODE.protocolError, 'a client pushes');
        break;
      default:
        this.#owner.countControl();
    }
    return !this.#failed;
  }

  #data(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    const owner = this.#owner;
    if (stream === 0 || stream > this.lastStream) {
      this.#fail(CODE.protocolError, 'DATA on a stream that is not open');
      return;
    }
    if (!owner.receivedData(end - start)) {
      this.#fail(CODE.flowControlError, 'more data than the connection allows');
      return;
    }
    const padded = (flags & FLAG.padded) !== 0;
    const from = padded ? start + 1 : start;
    const to = padded ? end - (bytes[start] ?? 0) : end;
    if (from > to) {
      this.#fail(CODE.protocolError, 'padding is longer than its frame');
      return;
    }
    const exchange = owner.streams.get(stream);
    if (exchange === undefined) {
      if (this.#reset.has(stream)) return;
      owner.countControl();
      owner.answer(resetStream(stream, CODE.streamClosed));
      return;
    }
    if (exchange.remoteEnded) {
      this.#breakOff(exchange, CODE.streamClosed);
      return;
    }
    const ends = (flags & FLAG.endStream) !== 0;
    if (from === to && !ends) owner.countControl();
    const received = exchange.receive(bytes.subarray(from, to), end - start);
    if (received === 'overflow') this.#breakOff(exchange, CODE.flowControlError);
    else if (received === 'malformed' || (ends && !exchange.endReceiving()))
      this.#breakOff(exchange, CODE.protocolError);
  }

  #headers(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    if (stream % 2 === 0) {
      this.#fail(CODE.protocolError, 'HEADERS on a stream that is not the client’s');
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
      this.#fail(CODE.protocolError, 'padding is longer than its frame');
      return;
    }
    const piece = bytes.subarray(from, to);
    if ((flags & FLAG.endHeaders) !== 0) this.#request(flags, stream, selfDependent, piece);
    else this.#block = { stream, flags, selfDependent, pieces: [piece], size: piece.length };
  }

  #continuation(flags: number, piece: Buffer): void {
    const block = this.#block;
    if (block === undefined) {
      this.#fail(CODE.protocolError, 'CONTINUATION of nothing');
      return;
    }
    block.size += piece.length;
    if (block.pieces.push(piece) > MOST_CONTINUATIONS + 1 || block.size > this.#limits.maxHeaderBytes + FRAME_SLACK) {
      this.#fail(CODE.enhanceYourCalm, 'a header block is too long');
      return;
    }
    if ((flags & FLAG.endHeaders) === 0) return;
    this.#block = undefined;
    this.#request(block.flags, block.stream, block.selfDependent, Buffer.concat(block.pieces));
  }

  /** A whole header block: a request, or what comes behind its body. */
  #request(flags: number, stream: number, selfDependent: boolean, bytes: Buffer): void {
    const owner = this.#owner;
    const open = owner.streams.get(stream);
    if (open === undefined && stream <= this.lastStream && !this.#reset.has(stream)) {
      if (this.#recent.includes(stream)) this.#fail(CODE.streamClosed, 'HEADERS on a stream that is closed');
      else this.#fail(CODE.protocolError, 'streams are not opened in order');
      return;
    }
    const block = this.#decoder.decode(bytes);
    if (block === undefined) {
      this.#fail(CODE.compressionError, 'a header block cannot be read');
      return;
    }
    const ends = (flags & FLAG.endStream) !== 0;
    if (open !== undefined) {
      if (open.remoteEnded) this.#breakOff(open, CODE.streamClosed);
      else if (!ends || block.malformed || !areTrailers(block.fields) || !open.endReceiving())
        this.#breakOff(open, CODE.protocolError);
      return;
    }
    if (stream <= this.lastStream) {
      // Of a stream that we have broken off only what was on the way may come: the end of its body, if anything.
      if (!ends) this.#fail(CODE.protocolError, 'a second request on one stream');
      return;
    }
    this.lastStream = stream;
    if (owner.isLeaving || owner.streams.size >= this.#limits.maxStreams) {
      if (++this.#refused <= MOST_REFUSED) this.#refuse(stream, CODE.refusedStream);
      else if (!owner.isLeaving) this.#fail(CODE.enhanceYourCalm, 'too many streams at once');
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
    this.#owner.answer(resetStream(stream, code));
  }

  #windowUpdate(stream: number, bytes: Buffer, start: number, end: number): void {
    const owner = this.#owner;
    if (end - start !== 4) {
      this.#fail(CODE.frameSizeError, 'WINDOW_UPDATE of a broken length');
      return;
    }
    const increment = readUint31(bytes, start);
    if (stream > this.lastStream || (stream === 0 && increment === 0)) {
      this.#fail(CODE.protocolError, 'WINDOW_UPDATE of nothing');
      return;
    }
    if (stream === 0) {
      if (!owner.widen(undefined, increment)) this.#fail(CODE.flowControlError, 'the window is too large');
      return;
    }
    const exchange = owner.streams.get(stream);
    if (exchange === undefined) {
      if (increment > 0) return;
      owner.countControl();
      owner.answer(resetStream(stream, CODE.protocolError));
    } else if (increment === 0) this.#breakOff(exchange, CODE.protocolError);
    else if (!owner.widen(exchange, increment)) this.#breakOff(exchange, CODE.flowControlError);
  }

  #resetStream(stream: number, length: number): void {
    if (length !== 4) this.#fail(CODE.frameSizeError, 'RST_STREAM of a broken length');
    else if (stream === 0 || stream > this.lastStream) this.#fail(CODE.protocolError, 'RST_STREAM of nothing');
    else {
      const exchange = this.#owner.streams.get(stream);
      if (exchange === undefined) {
        this.#owner.countControl();
        // Nothing of it is on the way any more.
        if (this.#reset.delete(stream)) this.rememberClosed(stream);
      } else this.#owner.broken(exchange);
    }
  }

  #settings(flags: number, stream: number, payload: Buffer): void {
    const owner = this.#owner;
    if (stream !== 0) {
      this.#fail(CODE.protocolError, 'SETTINGS on a stream');
      return;
    }
    const isAck = (flags & FLAG.ack) !== 0;
    if (!this.#hasSettings && isAck) {
      this.#fail(CODE.protocolError, 'SETTINGS do not come first');
      return;
    }
    owner.countControl();
    if (isAck) {
      if (payload.length > 0) this.#fail(CODE.frameSizeError, 'an acknowledgement with SETTINGS');
      return;
    }
    this.#hasSettings = true;
    const change = readSettings(payload);
    if ('code' in change) {
      this.#fail(change.code, change.why);
      return;
    }
    if (owner.changeSettings(change.tableSizes, change.initialWindowSize)) owner.answer(settingsAck());
    else this.#fail(CODE.flowControlError, 'the window is too large');
  }

  #ping(flags: number, stream: number, payload: Buffer): void {
    if (stream !== 0) this.#fail(CODE.protocolError, 'PING on a stream');
    else if (payload.length !== 8) this.#fail(CODE.frameSizeError, 'PING of a broken length');
    else {
      this.#owner.countControl();
      if ((flags & FLAG.ack) === 0) this.#owner.answer(pingAck(payload));
    }
  }

  #priority(stream: number, bytes: Buffer, start: number, end: number): void {
    const exchange = this.#owner.streams.get(stream);
    this.#owner.countControl();
    const code =
      stream === 0
        ? CODE.protocolError
        : end - start !== 5
          ? CODE.frameSizeError
          : readUint31(bytes, start) === stream
            ? CODE.protocolError
            : CODE.noError;
    if (code === CODE.noError) return;
    if (exchange === undefined) this.#fail(code, 'PRIORITY makes no sense');
    else this.#breakOff(exchange, code);
  }

  /** The client made us do it. */
  #breakOff(exchange: H2Exchange, code: number): void {
    this.#owner.reset(exchange, code);
    this.#owner.countReset();
  }

  #fail(code: number, why: string): false {
    this.#failed = true;
    this.#block = undefined;
    this.#owner.fail(violation(code, why));
    return false;
  }
}

/** A block is compressed, but not always. */
const FRAME_SLACK = 16 * 1024;
