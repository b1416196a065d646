/**
 * A reader of one HTTP/1.1 response with a bounded body (RFC 9112). Node's client costs several times as much, because
 * it makes streams and headers that a webhook's answer does not need.
 * Invariant: the head and the body never take more memory than their limits.
 */
import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import { TransportError } from '../../base/errors.ts';
import { ChunkedBody } from './chunked-body.ts';

/** The largest head. */
const HEAD_BYTES = 64 * 1024;
/** The longest part of a malformed response that is shown. */
const SHOWN_CHARACTERS = 64;
const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: .*)?$/;

/** How the end of a body is found. */
type Framing =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked'; readonly body: ChunkedBody }
  /** The body ends with the connection. */
  | { readonly kind: 'close' };

export class ResponseReader {
  status = 0;
  /** Whether the connection can be used for another request. */
  keepsConnection = true;
  /** The headers Location and Content-Type; undefined for none. */
  location: string | undefined;
  contentType: string | undefined;
  readonly #limit: number;
  #head: Buffer = Buffer.from(EMPTY_BYTES);
  #framing: Framing | undefined;
  readonly #pieces: Uint8Array[] = [];
  #size = 0;

  /** `limit`: the largest body in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether the head has arrived, so that a failure is one of the body. */
  get hasHead(): boolean {
    return this.#framing !== undefined;
  }

  /** Whether a byte of the response has arrived. */
  get hasBegun(): boolean {
    return this.#framing !== undefined || this.#head.byteLength > 0;
  }

  /**
   * Takes bytes of the connection. Returns true when the response is complete. Throws a TransportError in the words of
   * Go's HTTP client for a response that is malformed or too large.
   */
  push(bytes: Buffer): boolean {
    if (this.#framing !== undefined) return this.#pushBody(this.#framing, bytes);
    const all = this.#head.byteLength === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    const end = all.indexOf(HEAD_END);
    if (end < 0 ? all.byteLength > HEAD_BYTES : end > HEAD_BYTES)
      throw new TransportError(`net/http: server response headers exceeded ${HEAD_BYTES} bytes; aborted`);
    if (end < 0) {
      checkBegin(all);
      this.#head = all;
      return false;
    }
    const rest = all.subarray(end + HEAD_END.byteLength);
    const framing = this.#readHead(all.toString('latin1', 0, end));
    if (framing === undefined) {
      this.#head = Buffer.from(EMPTY_BYTES);
      return rest.byteLength > 0 && this.push(rest);
    }
    this.#framing = framing;
    return this.#pushBody(framing, rest);
  }

  /** Called when the server closes the connection. Returns whether the response is complete with that. */
  end(): boolean {
    return this.#framing?.kind === 'close';
  }

  body(): Uint8Array {
    return this.#pieces.length === 1 ? (this.#pieces[0] as Uint8Array) : concatBytes(this.#pieces);
  }

  /** Returns undefined for an interim response, which another one follows. */
  #readHead(head: string): Framing | undefined {
    const lines = head.split('\r\n');
    const found = STATUS_LINE.exec(lines[0] as string);
    if (found === null) throw malformed(lines[0] as string);
    this.status = Number(found[2]);
    if (this.status < 200 && this.status !== 101) return undefined;
    let length: number | undefined;
    let isChunked = false;
    this.keepsConnection = found[1] === '1' && this.status !== 101;
    for (let i = 1; i < lines.length; i++) {
      const line = lines[i] as string;
      const colon = line.indexOf(':');
      if (colon <= 0) throw new TransportError(`malformed MIME header line: ${line.slice(0, SHOWN_CHARACTERS)}`);
      const name = line.slice(0, colon).toLowerCase();
      if (name === 'content-length') length = lengthOf(line.slice(colon + 1).trim(), length);
      else if (name === 'transfer-encoding') isChunked = isChunkedOnly(line.slice(colon + 1).trim());
      else if (name === 'location') this.location = line.slice(colon + 1).trim();
      else if (name === 'content-type') this.contentType = line.slice(colon + 1).trim();
      else if (name === 'connection' && /\bclose\b/i.test(line)) this.keepsConnection = false;
    }
    if (this.status === 204 || this.status === 304 || this.status === 101) return { kind: 'length', length: 0 };
    if (isChunked) return { kind: 'chunked', body: new ChunkedBody() };
    if (length !== undefined) return { kind: 'length', length };
    this.keepsConnection = false;
    return { kind: 'close' };
  }

  #pushBody(framing: Framing, bytes: Buffer): boolean {
    if (framing.kind === 'chunked') {
      const isOver = framing.body.push(bytes, (piece) => this.#keep(piece));
      if (isOver && framing.body.surplus > 0) this.keepsConnection = false;
      return isOver;
    }
    if (framing.kind === 'close') {
      this.#keep(bytes);
      return false;
    }
    const missing = framing.length - this.#size;
    // Bytes after the response belong to no request.
    if (bytes.byteLength > missing) this.keepsConnection = false;
    this.#keep(bytes.subarray(0, missing));
    return this.#size === framing.length;
  }

  #keep(piece: Uint8Array): void {
    if (piece.byteLength === 0) return;
    this.#size += piece.byteLength;
    if (this.#size > this.#limit) throw new TransportError(`the answer is larger than ${this.#limit} bytes`);
    this.#pieces.push(piece);
  }
}

/** Reports a response of another protocol without waiting for the end of its head. */
function checkBegin(head: Buffer): void {
  const begin = head.toString('latin1', 0, 7);
  if (!'HTTP/1.'.startsWith(begin))
    throw malformed(head.toString('latin1', 0, SHOWN_CHARACTERS).split(/\r?\n/, 1)[0] as string);
}

function malformed(line: string): TransportError {
  const shown = JSON.stringify(line.slice(0, SHOWN_CHARACTERS));
  return new TransportError(`net/http: HTTP/1.x transport connection broken: malformed HTTP response ${shown}`);
}

function lengthOf(text: string, before: number | undefined): number {
  const length = /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
  if (length === undefined || (before !== undefined && before !== length))
    throw new TransportError(`bad Content-Length ${JSON.stringify(text)}`);
  return length;
}

function isChunkedOnly(text: string): boolean {
  if (text.toLowerCase() === 'chunked') return true;
  throw new TransportError(`unsupported transfer encoding: ${JSON.stringify(text)}`);
}
