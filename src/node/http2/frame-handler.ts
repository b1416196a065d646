/**
 * Applies the frames of a peer to its connection and streams (RFC 9113, sections 5 and 6), in either role. A frame that
 * breaks the rules is a stream error or a connection error with the code that the RFC names.
 * Invariant: every header block is decoded, also one that is discarded, because the HPACK table must follow it.
 */
import type { IdMap } from '../../base/id-map.ts';
import type { FrameConsumer } from './frame-reader.ts';
import {
  CODE,
  FLAG,
  FRAME,
  pingAck,
  readUint31,
  readUint32,
  resetStream,
  settingsAck,
  type Violation,
  violation,
} from './frames.ts';
import { type HeaderBlock, type HeaderLimits, HpackDecoder } from './hpack-decoder.ts';
import { readSettings, type SettingsChange } from './settings.ts';

/** The receiving half of a stream. */
export interface ReceivingStream {
  readonly id: number;
  /** The peer has sent END_STREAM. */
  readonly remoteEnded: boolean;
  /** Takes DATA of the peer. `flowBytes` includes the padding. */
  receive(piece: Uint8Array, flowBytes: number): 'ok' | 'malformed' | 'overflow';
  /** Called when the peer has sent END_STREAM. Returns false if the body is shorter than declared. */
  endReceiving(): boolean;
}

/** The interface of a connection that the frame handler uses. */
export interface FrameHandlerConnection<S extends ReceivingStream> {
  /** The open streams. */
  readonly streams: Pick<IdMap<S>, 'get' | 'size'>;
  /** Called when the peer reset a stream. */
  streamReset(stream: S, code: number): void;
  /** Sends a control frame. */
  sendControl(frame: Uint8Array): void;
  /** Counts received DATA, padding included. Returns false if it exceeds the connection's window. */
  receivedData(bytes: number): boolean;
  /** Applies the peer's SETTINGS. Returns the violation if one has a value that is not allowed. */
  changeSettings(change: SettingsChange): Violation | undefined;
  /** Applies a WINDOW_UPDATE of a stream, or of the connection. Returns false if the window exceeds 2^31-1. */
  increaseSendWindow(stream: S | undefined, increment: number): boolean;
  /** Counts a control frame of the peer. Ends the connection if the peer exceeds the limit. */
  countControlFrame(): void;
  /** A stream error (RFC 9113, 5.4.2): resets the stream. */
  streamError(stream: S, code: number): void;
  /** A connection error (RFC 9113, 5.4.1). No frame is handled after it. */
  connectionError(violation: Violation): void;
}

/** More CONTINUATION frames than this are treated as an attack. */
const MAX_CONTINUATIONS = 8;
/** Streams that this side reset lately. Frames that the peer sent before it knew are ignored. */
const RESET_STREAMS = 1_000;

/** An incomplete header block. */
interface OpenBlock {
  readonly stream: number;
  readonly ends: boolean;
  readonly selfDependent: boolean;
  readonly pieces: Buffer[];
  size: number;
}

export abstract class FrameHandler<S extends ReceivingStream> implements FrameConsumer {
  /** The highest stream that the client has opened. */
  lastStream = 0;
  readonly #owner: FrameHandlerConnection<S>;
  readonly #limits: HeaderLimits;
  readonly #decoder: HpackDecoder;
  readonly #reset = new Set<number>();
  #block: OpenBlock | undefined;
  #hasSettings = false;
  #failed = false;

  protected constructor(owner: FrameHandlerConnection<S>, limits: HeaderLimits) {
    this.#owner = owner;
    this.#limits = limits;
    this.#decoder = new HpackDecoder(limits);
  }

  /**
   * Handles a whole header block. It must be decoded unless it is a connection error. `ends` says that it has
   * END_STREAM, `selfDependent` that its priority depends on the stream itself, which is a stream error. The block is
   * `bytes.subarray(start, end)`.
   */
  protected abstract headerBlock(
    stream: number,
    ends: boolean,
    selfDependent: boolean,
    bytes: Buffer,
    start: number,
    end: number,
  ): void;

  /** Called when the peer closes the connection in order. */
  protected abstract goaway(lastStream: number, code: number): void;

  /** Called when the peer's RST_STREAM confirms the reset of a stream by this side. */
  protected abstract resetConfirmed(stream: number): void;

  /** Records a stream that this side reset: frames that the peer sent before it knew are ignored. */
  rememberReset(stream: number): void {
    if (this.#reset.size >= RESET_STREAMS)
      for (const oldest of this.#reset) {
        this.#reset.delete(oldest);
        break;
      }
    this.#reset.add(stream);
  }

  protected wasReset(stream: number): boolean {
    return this.#reset.has(stream);
  }

  unreadable(problem: 'preface' | 'frame-size'): void {
    if (problem === 'preface') this.connectionError(CODE.protocolError, 'the connection preface is missing');
    else this.connectionError(CODE.frameSizeError, 'a frame is too large');
  }

  frame(type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number): boolean {
    if (!this.#hasSettings && type !== FRAME.settings)
      return this.connectionError(CODE.protocolError, 'the first frame is not SETTINGS');
    if (this.#block !== undefined && (type !== FRAME.continuation || stream !== this.#block.stream))
      return this.connectionError(CODE.protocolError, 'a header block is interrupted');
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
        this.#resetStream(stream, bytes, start, end);
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
        this.#goaway(stream, bytes, start, end);
        break;
      case FRAME.pushPromise:
        this.connectionError(CODE.protocolError, 'PUSH_PROMISE is not allowed');
        break;
      default:
        this.#owner.countControlFrame();
    }
    return !this.#failed;
  }

  #data(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    const owner = this.#owner;
    if (stream === 0 || stream > this.lastStream) {
      this.connectionError(CODE.protocolError, 'DATA on a stream that is not open');
      return;
    }
    if (!owner.receivedData(end - start)) {
      this.connectionError(CODE.flowControlError, 'DATA exceeds the window of the connection');
      return;
    }
    const padded = (flags & FLAG.padded) !== 0;
    const from = padded ? start + 1 : start;
    const to = padded ? end - (bytes[start] ?? 0) : end;
    if (from > to) {
      this.connectionError(CODE.protocolError, 'padding is longer than its frame');
      return;
    }
    const open = owner.streams.get(stream);
    if (open === undefined) {
      if (this.#reset.has(stream)) return;
      owner.countControlFrame();
      owner.sendControl(resetStream(stream, CODE.streamClosed));
      return;
    }
    if (open.remoteEnded) {
      owner.streamError(open, CODE.streamClosed);
      return;
    }
    const ends = (flags & FLAG.endStream) !== 0;
    if (from === to && !ends) owner.countControlFrame();
    const received = open.receive(bytes.subarray(from, to), end - start);
    if (received === 'overflow') owner.streamError(open, CODE.flowControlError);
    else if (received === 'malformed' || (ends && !open.endReceiving())) owner.streamError(open, CODE.protocolError);
  }

  #headers(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    if (stream % 2 === 0) {
      this.connectionError(CODE.protocolError, 'HEADERS on a stream with an even number');
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
      this.connectionError(CODE.protocolError, 'padding is longer than its frame');
      return;
    }
    const ends = (flags & FLAG.endStream) !== 0;
    if ((flags & FLAG.endHeaders) !== 0) this.headerBlock(stream, ends, selfDependent, bytes, from, to);
    else this.#block = { stream, ends, selfDependent, pieces: [bytes.subarray(from, to)], size: to - from };
  }

  #continuation(flags: number, piece: Buffer): void {
    const block = this.#block;
    if (block === undefined) {
      this.connectionError(CODE.protocolError, 'CONTINUATION without HEADERS');
      return;
    }
    block.size += piece.length;
    if (block.pieces.push(piece) > MAX_CONTINUATIONS + 1 || block.size > this.#limits.maxHeaderBytes + FRAME_SLACK) {
      this.connectionError(CODE.enhanceYourCalm, 'a header block is too long');
      return;
    }
    if ((flags & FLAG.endHeaders) === 0) return;
    this.#block = undefined;
    const whole = Buffer.concat(block.pieces);
    this.headerBlock(block.stream, block.ends, block.selfDependent, whole, 0, whole.length);
  }

  /** Decodes a whole header block. Returns undefined after a connection error. */
  protected decode(bytes: Buffer, start: number, end: number): HeaderBlock | undefined {
    const block = this.#decoder.decode(bytes, start, end);
    if (block === undefined) this.connectionError(CODE.compressionError, 'a header block cannot be read');
    return block;
  }

  #windowUpdate(stream: number, bytes: Buffer, start: number, end: number): void {
    const owner = this.#owner;
    if (end - start !== 4) {
      this.connectionError(CODE.frameSizeError, 'WINDOW_UPDATE of an invalid length');
      return;
    }
    const increment = readUint31(bytes, start);
    if (stream > this.lastStream || (stream === 0 && increment === 0)) {
      this.connectionError(CODE.protocolError, 'WINDOW_UPDATE of an idle stream, or of zero');
      return;
    }
    if (stream === 0) {
      if (!owner.increaseSendWindow(undefined, increment))
        this.connectionError(CODE.flowControlError, 'the window is too large');
      return;
    }
    const open = owner.streams.get(stream);
    if (open === undefined) {
      if (increment > 0) return;
      owner.countControlFrame();
      owner.sendControl(resetStream(stream, CODE.protocolError));
    } else if (increment === 0) owner.streamError(open, CODE.protocolError);
    else if (!owner.increaseSendWindow(open, increment)) owner.streamError(open, CODE.flowControlError);
  }

  #resetStream(stream: number, bytes: Buffer, start: number, end: number): void {
    if (end - start !== 4) this.connectionError(CODE.frameSizeError, 'RST_STREAM of an invalid length');
    else if (stream === 0 || stream > this.lastStream)
      this.connectionError(CODE.protocolError, 'RST_STREAM of an idle stream');
    else {
      const open = this.#owner.streams.get(stream);
      if (open === undefined) {
        this.#owner.countControlFrame();
        // The peer's RST_STREAM is its last frame: none is in flight any more.
        if (this.#reset.delete(stream)) this.resetConfirmed(stream);
      } else this.#owner.streamReset(open, readUint32(bytes, start));
    }
  }

  #goaway(stream: number, bytes: Buffer, start: number, end: number): void {
    if (stream !== 0) this.connectionError(CODE.protocolError, 'GOAWAY on a stream');
    else if (end - start < 8) this.connectionError(CODE.frameSizeError, 'GOAWAY is too short');
    else {
      this.#owner.countControlFrame();
      this.goaway(readUint31(bytes, start), readUint32(bytes, start + 4));
    }
  }

  #settings(flags: number, stream: number, payload: Buffer): void {
    const owner = this.#owner;
    if (stream !== 0) {
      this.connectionError(CODE.protocolError, 'SETTINGS on a stream');
      return;
    }
    const isAck = (flags & FLAG.ack) !== 0;
    if (!this.#hasSettings && isAck) {
      this.connectionError(CODE.protocolError, 'the first frame is not SETTINGS');
      return;
    }
    owner.countControlFrame();
    if (isAck) {
      if (payload.length > 0) this.connectionError(CODE.frameSizeError, 'a SETTINGS acknowledgement with a payload');
      return;
    }
    this.#hasSettings = true;
    const change = readSettings(payload);
    if ('code' in change) {
      this.connectionError(change.code, change.why);
      return;
    }
    const problem = owner.changeSettings(change);
    if (problem === undefined) owner.sendControl(settingsAck());
    else this.connectionError(problem.code, problem.why);
  }

  #ping(flags: number, stream: number, payload: Buffer): void {
    if (stream !== 0) this.connectionError(CODE.protocolError, 'PING on a stream');
    else if (payload.length !== 8) this.connectionError(CODE.frameSizeError, 'PING of an invalid length');
    else {
      this.#owner.countControlFrame();
      if ((flags & FLAG.ack) === 0) this.#owner.sendControl(pingAck(payload));
    }
  }

  #priority(stream: number, bytes: Buffer, start: number, end: number): void {
    const owner = this.#owner;
    const open = owner.streams.get(stream);
    owner.countControlFrame();
    const code =
      stream === 0
        ? CODE.protocolError
        : end - start !== 5
          ? CODE.frameSizeError
          : readUint31(bytes, start) === stream
            ? CODE.protocolError
            : CODE.noError;
    if (code === CODE.noError) return;
    if (open === undefined) this.connectionError(code, 'an invalid PRIORITY frame');
    else owner.streamError(open, code);
  }

  protected connectionError(code: number, why: string): false {
    this.#failed = true;
    this.#block = undefined;
    this.#owner.connectionError(violation(code, why));
    return false;
  }
}

/** Allowance for field representations above the size of names and values. */
const FRAME_SLACK = 16 * 1024;
