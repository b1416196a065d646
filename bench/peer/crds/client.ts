/**
 * A client on one open HTTP/2 connection. Node's own client takes as much time for a small request as our server, and
 * on a machine with two cores that would be measured too. This client writes the same few fields each time and parses
 * only frames. Invariants: every request is answered or fails; no data is sent beyond the windows of the server.
 */
import { connect, type TLSSocket } from 'node:tls';
import {
  FIRST_WINDOW,
  FLAG,
  FRAME,
  FRAME_HEADER,
  FRAME_LIMIT,
  PREFACE,
  pingAck,
  readUint31,
  readUint32,
  SETTING,
  settingsAck,
  settingsFrame,
  WINDOW_LIMIT,
  windowUpdate,
  writeFrameHead,
} from '../../../src/node/http2/frames.ts';
import { HpackDecoder } from '../../../src/node/http2/hpack-decoder.ts';
import { literals } from '../../../src/node/http2/literals.fixtures.ts';
import type { Side } from '../side.ts';

export interface Response {
  readonly status: number;
  readonly text: string;
}

interface Exchange {
  readonly stream: number;
  status: number;
  readonly chunks: Buffer[];
  /** The data that is still to be sent, and the window for it. */
  body: Buffer;
  window: number;
  resolve(response: Response): void;
  reject(error: Error): void;
}

const EMPTY = Buffer.alloc(0);

export class Client {
  readonly #side: Side;
  readonly #socket: TLSSocket;
  /** The fields of every request. */
  readonly #fields: readonly string[];
  readonly #decoder = new HpackDecoder({ maxHeaderBytes: 65_536, maxHeaderCount: 100 });
  readonly #exchanges = new Map<number, Exchange>();
  #rest: Buffer = EMPTY;
  #nextStream = 1;
  #window = FIRST_WINDOW;
  #streamWindow = FIRST_WINDOW;
  #failure: Error | undefined;

  /** `contentType` is the media type of bodies. Default JSON. */
  constructor(side: Side, contentType = 'application/json') {
    this.#side = side;
    const accept = 'application/json';
    this.#fields = ['authorization', `Bearer ${side.token}`, 'accept', accept, 'content-type', contentType];
    const { hostname, port } = new URL(side.url);
    this.#socket = connect({ host: hostname, port: Number(port), ALPNProtocols: ['h2'], rejectUnauthorized: false });
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (bytes) => this.#read(bytes));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error(`${side.name} closed the connection`)));
    this.#socket.write(PREFACE);
    this.#socket.write(settingsFrame([[SETTING.initialWindowSize, WINDOW_LIMIT]]));
    this.#socket.write(windowUpdate(0, WINDOW_LIMIT - FIRST_WINDOW));
  }

  send(method: string, path: string, body?: string): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      const stream = this.#nextStream;
      this.#nextStream += 2;
      const bytes = body === undefined ? EMPTY : Buffer.from(body);
      const window = this.#streamWindow;
      const exchange = { stream, status: 0, chunks: [], body: bytes, window, resolve, reject };
      this.#exchanges.set(stream, exchange);
      const fields = [':method', method, ':scheme', 'https', ':path', path, ':authority', 'localhost', ...this.#fields];
      const block = literals(fields);
      this.#socket.cork();
      this.#write(FRAME.headers, FLAG.endHeaders | (bytes.length === 0 ? FLAG.endStream : 0), stream, block);
      this.#sendBody(exchange);
      this.#socket.uncork();
    });
  }

  /** Throws unless the answer is 2xx. */
  async ask(method: string, path: string, body?: string): Promise<string> {
    const { status, text } = await this.send(method, path, body);
    if (status < 200 || status > 299)
      throw new Error(`${this.#side.name}: ${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return text;
  }

  close(): void {
    this.#socket.destroy();
  }

  #write(type: number, flags: number, stream: number, payload: Buffer): void {
    const head = Buffer.alloc(FRAME_HEADER);
    writeFrameHead(head, 0, payload.length, type, flags, stream);
    this.#socket.write(head);
    if (payload.length > 0) this.#socket.write(payload);
  }

  /** Sends as much as both windows allow. The rest follows when they grow. */
  #sendBody(exchange: Exchange): void {
    while (exchange.body.length > 0) {
      const size = Math.min(exchange.body.length, FRAME_LIMIT, exchange.window, this.#window);
      if (size <= 0) return;
      const payload = exchange.body.subarray(0, size);
      exchange.body = exchange.body.subarray(size);
      exchange.window -= size;
      this.#window -= size;
      this.#write(FRAME.data, exchange.body.length === 0 ? FLAG.endStream : 0, exchange.stream, payload);
    }
  }

  #read(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (all.length - at >= FRAME_HEADER) {
      const end = at + FRAME_HEADER + all.readUIntBE(at, 3);
      if (end > all.length) break;
      const payload = all.subarray(at + FRAME_HEADER, end);
      this.#frame(all.readUInt8(at + 3), all.readUInt8(at + 4), readUint31(all, at + 5), payload);
      at = end;
    }
    this.#rest = all.subarray(at);
  }

  #frame(type: number, flags: number, stream: number, payload: Buffer): void {
    const exchange = this.#exchanges.get(stream);
    const ends = (flags & FLAG.endStream) !== 0;
    switch (type) {
      case FRAME.headers:
        if ((flags & FLAG.endHeaders) === 0) this.#fail(new Error('headers in several frames are not supported'));
        else this.#headers(exchange, payload);
        break;
      case FRAME.data:
        exchange?.chunks.push(payload);
        break;
      case FRAME.settings:
        if ((flags & FLAG.ack) === 0) this.#settings(payload);
        return;
      case FRAME.ping:
        if ((flags & FLAG.ack) === 0) this.#socket.write(pingAck(payload));
        return;
      case FRAME.windowUpdate:
        this.#grow(exchange, stream, readUint31(payload, 0));
        return;
      case FRAME.resetStream:
        this.#exchanges.delete(stream);
        exchange?.reject(new Error(`${this.#side.name} reset the stream: ${readUint32(payload, 0)}`));
        return;
      case FRAME.goaway:
        this.#fail(new Error(`${this.#side.name} sent GOAWAY: ${readUint32(payload, 4)}`));
        return;
      default:
        return;
    }
    if (!ends || exchange === undefined) return;
    this.#exchanges.delete(stream);
    exchange.resolve({ status: exchange.status, text: Buffer.concat(exchange.chunks).toString() });
  }

  #headers(exchange: Exchange | undefined, block: Buffer): void {
    const fields = this.#decoder.decode(block)?.fields;
    if (fields === undefined) this.#fail(new Error('invalid headers'));
    else if (exchange !== undefined && fields[0] === ':status') exchange.status = Number(fields[1]);
  }

  #settings(payload: Buffer): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      if (payload.readUInt16BE(at) !== SETTING.initialWindowSize) continue;
      const size = readUint32(payload, at + 2);
      for (const exchange of this.#exchanges.values()) exchange.window += size - this.#streamWindow;
      this.#streamWindow = size;
    }
    this.#socket.write(settingsAck());
    this.#sendWaiting();
  }

  #grow(exchange: Exchange | undefined, stream: number, by: number): void {
    if (stream === 0) this.#window += by;
    else if (exchange !== undefined) exchange.window += by;
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    for (const exchange of this.#exchanges.values()) this.#sendBody(exchange);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const exchange of this.#exchanges.values()) exchange.reject(error);
    this.#exchanges.clear();
  }
}

/** Runs the work for each index, `atOnce` at a time. */
export async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
