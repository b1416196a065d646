/**
 * The server side of a WebSocket (RFC 6455, version 13, no extensions). A peer that does not read, or does not answer a
 * close frame, is disconnected at the exchange's deadline.
 * Invariant: no frame is sent after a close frame.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { decodeBase64 } from '../../base/base64.ts';
import { concatBytes, EMPTY_BYTES, encodeUtf8 } from '../../base/bytes.ts';
import { startClosed, type WebSocketPeer } from '../../server/http/exchange.ts';
import { NEVER } from '../deadline-wheel.ts';
import type { SinkOwner } from '../http1/answer-sink.ts';
import type { WebSocketAnswer } from '../http1/h1-exchange.ts';
import { writeSwitchingProtocols } from '../http1/switching-protocols.ts';
import { CLOSE, FrameReader, frameHead, OPCODE } from './websocket-frames.ts';

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: TLSSocket;
  /** The bytes that followed the request's head. */
  readonly head: Uint8Array;
  readonly answer: WebSocketAnswer;
  readonly owner: SinkOwner;
  readonly maxMessageBytes: number;
}

/** RFC 6455, 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Unread pongs. Beyond, the connection is closed. */
const MAX_UNREAD_CONTROL = 64 * 1024;

/** Completes the handshake and calls the answer's `start`, or answers 400 (426 for another protocol version). */
export function upgradeToWebSocket(upgrade: Upgrade): void {
  const { request, response, answer } = upgrade;
  const refusal = problemOf(request);
  const protocol = refusal === undefined ? chooseProtocol(request, answer.protocols) : undefined;
  if (refusal !== undefined || protocol === undefined) {
    const { status, message } = refusal ?? { status: 400, message: 'no subprotocol in common' };
    upgrade.owner.deadline = upgrade.owner.deadlineFor(0);
    const body = encodeUtf8(`websocket: ${message}\n`);
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': body.byteLength,
      'sec-websocket-version': '13',
      connection: 'close',
    });
    response.end(body);
    startClosed(answer);
    return;
  }
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
  writeSwitchingProtocols(response, 'websocket', {
    'Sec-WebSocket-Accept': accept,
    ...(protocol === '' ? {} : { 'Sec-WebSocket-Protocol': protocol }),
    ...answer.headers,
  });
  const peer = new SocketPeer(upgrade, protocol);
  answer.start(peer);
  peer.read();
}

function problemOf(request: IncomingMessage): { status: number; message: string } | undefined {
  const { headers } = request;
  if (request.method !== 'GET' || request.httpVersion !== '1.1')
    return { status: 400, message: 'not GET over HTTP/1.1' };
  if (headers.upgrade?.toLowerCase() !== 'websocket') return { status: 400, message: 'another upgrade was asked for' };
  if (headers['sec-websocket-version'] !== '13') return { status: 426, message: 'only version 13 is spoken' };
  const key = headers['sec-websocket-key'];
  const nonce = typeof key === 'string' && key.length === 24 ? decodeBase64(key) : undefined;
  if (nonce?.byteLength !== 16) return { status: 400, message: 'bad Sec-WebSocket-Key' };
  return undefined;
}

/** Returns the first supported protocol that the client offers; '' for none; undefined if they have none in common. */
function chooseProtocol(request: IncomingMessage, ours: readonly string[]): string | undefined {
  if (ours.length === 0) return '';
  const header = request.headers['sec-websocket-protocol'];
  const offered = header === undefined ? [''] : header.split(',').map((one) => one.trim());
  return ours.find((protocol) => offered.includes(protocol));
}

class SocketPeer implements WebSocketPeer {
  readonly protocol: string;
  readonly #socket: TLSSocket;
  readonly #owner: SinkOwner;
  readonly #head: Uint8Array;
  readonly #reader: FrameReader;
  #onMessage: ((message: Uint8Array) => void) | undefined;
  #onDrain: (() => void) | undefined;
  #closing = false;

  constructor(upgrade: Upgrade, protocol: string) {
    this.protocol = protocol;
    this.#socket = upgrade.socket;
    this.#owner = upgrade.owner;
    this.#head = upgrade.head;
    this.#reader = new FrameReader(upgrade.maxMessageBytes, {
      message: (bytes) => {
        if (!this.#closing) this.#onMessage?.(bytes);
      },
      ping: (payload) => this.#pong(payload),
      close: (code) => this.#closed(code),
      broken: (code, reason) => {
        this.close(code, reason);
        this.#socket.end();
      },
    });
  }

  /** Starts to read. Called after the answer's `start` has registered its listeners. */
  read(): void {
    this.#socket.on('drain', () => {
      if (this.#closing) return;
      this.#owner.deadline = NEVER;
      this.#onDrain?.();
    });
    this.#socket.on('end', () => this.#socket.end());
    this.#reader.push(this.#head);
    this.#socket.on('data', (chunk: Buffer) => this.#reader.push(chunk));
  }

  send(message: Uint8Array | string): boolean {
    if (this.#closing || this.#owner.isClosed) return false;
    const text = typeof message === 'string';
    const ready = this.#frame(text ? OPCODE.text : OPCODE.binary, text ? encodeUtf8(message) : message);
    if (!ready && this.#owner.deadline === NEVER)
      this.#owner.deadline = this.#owner.deadlineFor(this.#socket.writableLength);
    return ready;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  onMessage(listener: (message: Uint8Array) => void): void {
    this.#onMessage = listener;
  }

  close(code: number, reason: string): void {
    if (this.#closing || this.#owner.isClosed) return;
    const text = shorten(encodeUtf8(reason));
    this.#frame(OPCODE.close, concatBytes([new Uint8Array([code >> 8, code & 0xff]), text]));
    this.#closing = true;
    this.#owner.deadline = this.#owner.deadlineFor(this.#socket.writableLength);
  }

  onClose(listener: () => void): void {
    this.#owner.onClose(listener);
  }

  #closed(code: number): void {
    if (code === CLOSE.noStatus) {
      if (!this.#closing) this.#frame(OPCODE.close, EMPTY_BYTES);
      this.#closing = true;
      this.#owner.deadline = this.#owner.deadlineFor(this.#socket.writableLength);
    } else this.close(code, '');
    this.#socket.end();
  }

  #pong(payload: Uint8Array): void {
    if (this.#closing) return;
    if (this.#socket.writableLength > MAX_UNREAD_CONTROL + this.#socket.writableHighWaterMark) this.#socket.destroy();
    else this.#frame(OPCODE.pong, payload);
  }

  #frame(opcode: number, payload: Uint8Array): boolean {
    this.#socket.cork();
    const headReady = this.#socket.write(frameHead(opcode, payload.byteLength));
    const ready = payload.byteLength === 0 ? headReady : this.#socket.write(payload);
    this.#socket.uncork();
    return ready;
  }
}

/** Truncates a close reason to 123 bytes of valid UTF-8. */
function shorten(reason: Uint8Array): Uint8Array {
  let end = Math.min(reason.byteLength, 123);
  if (end < reason.byteLength) while (end > 0 && (reason[end]! & 0xc0) === 0x80) end--;
  return reason.subarray(0, end);
}
