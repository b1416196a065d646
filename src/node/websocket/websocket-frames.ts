/**
 * The WebSocket frame reader and writer of a server (RFC 6455, no extensions).
 * Invariant: the reader accepts exactly the frames that a client may send, and holds at most one message of the limit
 * and one control frame.
 */
import { allocateBytes, decodeUtf8Strict } from '../../base/bytes.ts';
import { GrowingBytes } from '../growing-bytes.ts';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export const CLOSE = { normal: 1000, protocolError: 1002, noStatus: 1005, badData: 1007, tooBig: 1009 } as const;

export interface FrameEvents {
  /** Called for each whole message. Text is valid UTF-8. */
  message(bytes: Uint8Array): void;
  /** Called for each ping frame. */
  ping(payload: Uint8Array): void;
  /** Called for a close frame; `code` is 1005 if it has none. */
  close(code: number): void;
  /** Called for a protocol violation; nothing is read after it. */
  broken(code: number, reason: string): void;
}

type Problem = readonly [code: number, reason: string];

const CONTROL_PAYLOAD = 125;

export class FrameReader {
  readonly #events: FrameEvents;
  readonly #limit: number;
  readonly #message: GrowingBytes;
  readonly #head = new Uint8Array(14);
  #headSize = 0;
  #payload: Uint8Array | undefined;
  #filled = 0;
  /** Opcode of the message that is being read. */
  #opcode: number | undefined;
  #messageSize = 0;
  /** Whether `#message` holds earlier fragments. */
  #fragmented = false;
  #ended = false;

  constructor(limit: number, events: FrameEvents) {
    this.#limit = limit;
    this.#events = events;
    this.#message = new GrowingBytes(limit);
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.byteLength && !this.#ended) {
      if (this.#payload === undefined) {
        this.#head[this.#headSize++] = chunk[at++]!;
        if (this.#headSize >= 2 && this.#headSize === headLength(this.#head)) this.#begin();
      } else {
        const take = Math.min(chunk.byteLength - at, this.#payload.byteLength - this.#filled);
        this.#payload.set(chunk.subarray(at, at + take), this.#filled);
        this.#filled += take;
        at += take;
      }
      if (this.#payload !== undefined && this.#filled === this.#payload.byteLength && !this.#ended) this.#finish();
    }
  }

  #begin(): void {
    const length = payloadLength(this.#head);
    const problem = this.#headProblem(length);
    if (problem !== undefined) {
      this.#break(problem);
      return;
    }
    const opcode = this.#head[0]! & 0x0f;
    if (opcode < OPCODE.close) {
      this.#opcode ??= opcode;
      this.#messageSize += length;
    }
    this.#payload = allocateBytes(length);
    this.#filled = 0;
  }

  #headProblem(length: number): Problem | undefined {
    const first = this.#head[0]!;
    const opcode = first & 0x0f;
    if ((first & 0x70) !== 0) return [CLOSE.protocolError, 'reserved bits are set'];
    if ((this.#head[1]! & 0x80) === 0) return [CLOSE.protocolError, 'a frame is not masked'];
    if (opcode > OPCODE.pong || (opcode > OPCODE.binary && opcode < OPCODE.close))
      return [CLOSE.protocolError, 'unknown opcode'];
    if (opcode >= OPCODE.close) {
      const whole = (first & 0x80) !== 0 && length <= CONTROL_PAYLOAD;
      return whole ? undefined : [CLOSE.protocolError, 'bad control frame'];
    }
    if ((opcode === OPCODE.continuation) !== (this.#opcode !== undefined))
      return [CLOSE.protocolError, 'fragments out of order'];
    return this.#messageSize + length > this.#limit ? [CLOSE.tooBig, 'message too big'] : undefined;
  }

  #finish(): void {
    const payload = this.#payload!;
    const first = this.#head[0]!;
    const opcode = first & 0x0f;
    const mask = this.#head.subarray(this.#headSize - 4, this.#headSize);
    for (let i = 0; i < payload.byteLength; i++) payload[i]! ^= mask[i & 3]!;
    this.#payload = undefined;
    this.#headSize = 0;
    if (opcode === OPCODE.ping) this.#events.ping(payload);
    else if (opcode === OPCODE.close) this.#close(payload);
    else if (opcode !== OPCODE.pong) this.#data(payload, (first & 0x80) !== 0);
  }

  #data(payload: Uint8Array, final: boolean): void {
    let message = payload;
    if (!final || this.#fragmented) {
      this.#message.append(payload);
      this.#fragmented = !final;
      if (!final) return;
      message = this.#message.take();
    }
    const text = this.#opcode === OPCODE.text;
    this.#opcode = undefined;
    this.#messageSize = 0;
    if (text && decodeUtf8Strict(message) === undefined) this.#break([CLOSE.badData, 'text is not UTF-8']);
    else this.#events.message(message);
  }

  #close(payload: Uint8Array): void {
    const code = payload.byteLength < 2 ? 0 : (payload[0]! << 8) | payload[1]!;
    if (payload.byteLength > 0 && !mayClose(code)) this.#break([CLOSE.protocolError, 'bad close code']);
    else if (decodeUtf8Strict(payload.subarray(2)) === undefined) this.#break([CLOSE.badData, 'reason is not UTF-8']);
    else {
      this.#ended = true;
      this.#events.close(payload.byteLength === 0 ? CLOSE.noStatus : code);
    }
  }

  #break([code, reason]: Problem): void {
    this.#ended = true;
    this.#events.broken(code, reason);
  }
}

function mayClose(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006) || (code >= 3000 && code <= 4999)
  );
}

/** Returns the length of the frame head, mask included. An unmasked frame is rejected at its second byte. */
function headLength(head: Uint8Array): number {
  const length = head[1]! & 0x7f;
  if ((head[1]! & 0x80) === 0) return 2;
  return length === 127 ? 14 : length === 126 ? 8 : 6;
}

function payloadLength(head: Uint8Array): number {
  const length = head[1]! & 0x7f;
  if (length < 126) return length;
  const view = new DataView(head.buffer);
  return length === 126 ? view.getUint16(2) : Number(view.getBigUint64(2));
}

/** Writes the head of an unfragmented server frame. */
export function frameHead(opcode: number, length: number): Uint8Array {
  const head = new Uint8Array(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  const view = new DataView(head.buffer);
  if (length < 126) head[1] = length;
  else if (length < 65_536) {
    head[1] = 126;
    view.setUint16(2, length);
  } else {
    head[1] = 127;
    view.setBigUint64(2, BigInt(length));
  }
  return head;
}
