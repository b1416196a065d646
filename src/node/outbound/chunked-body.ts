/** The decoder of a chunked body (RFC 9112, 7.1). Extensions and trailers are ignored. */
import { TransportError } from '../../base/errors.ts';

/** The longest line of a chunk's size or of a trailer; that of Go's decoder. */
const LINE_BYTES = 4096;
/** The most bytes of trailers. */
const TRAILER_BYTES = 64 * 1024;
const LINE_FEED = 10;

type State = 'size' | 'data' | 'data-end' | 'trailer' | 'over';

export class ChunkedBody {
  /** The number of bytes after the end of the body. */
  surplus = 0;
  #state: State = 'size';
  #line = '';
  /** The missing bytes of the current chunk. */
  #missing = 0;
  #trailerBytes = 0;

  /** Calls `keep` for each piece of the body. Returns true at its end. Throws a TransportError for malformed bytes. */
  push(bytes: Buffer, keep: (piece: Uint8Array) => void): boolean {
    let at = 0;
    while (at < bytes.byteLength && this.#state !== 'over') {
      if (this.#state === 'data') {
        const piece = bytes.subarray(at, at + this.#missing);
        keep(piece);
        at += piece.byteLength;
        this.#missing -= piece.byteLength;
        if (this.#missing === 0) this.#state = 'data-end';
        continue;
      }
      const end = bytes.indexOf(LINE_FEED, at);
      this.#line += bytes.toString('latin1', at, end < 0 ? bytes.byteLength : end);
      if (this.#line.length > LINE_BYTES) throw new TransportError('http: chunk line too long');
      if (end < 0) return false;
      at = end + 1;
      this.#take(this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line);
      this.#line = '';
    }
    this.surplus = bytes.byteLength - at;
    return this.#state === 'over';
  }

  #take(line: string): void {
    switch (this.#state) {
      case 'size': {
        const size = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i.exec(line)?.[1];
        if (size === undefined) throw new TransportError('invalid byte in chunk length');
        this.#missing = Number.parseInt(size, 16);
        this.#state = this.#missing === 0 ? 'trailer' : 'data';
        return;
      }
      case 'data-end':
        if (line !== '') throw new TransportError('malformed chunked encoding');
        this.#state = 'size';
        return;
      default:
        this.#trailerBytes += line.length;
        if (this.#trailerBytes > TRAILER_BYTES)
          throw new TransportError('http: suspiciously long trailer after chunked body');
        if (line === '') this.#state = 'over';
    }
  }
}
