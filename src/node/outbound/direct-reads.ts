/**
 * Reads a connection without the stream of its socket. An event to 1,000 watches arrives in 1,000 TLS records, and the
 * stream would allocate a buffer, emit an event and run a tick for each. Without TLS it would allocate 64 KiB per read.
 * Invariant: bytes that were handed on are not written to again. They may be kept; they keep their buffer alive, which
 * is small unless many bytes arrive at a time.
 */
import type { OnReadOpts, Socket } from 'node:net';

const SMALL_BUFFER = 8 * 1024;
const LARGE_BUFFER = 64 * 1024;
/** A read of more bytes than this belongs to a large body. */
const LARGE_READ = 4 * 1024;
/** After as many small reads in a row, no large body is expected. */
const SMALL_READS = 4;
/** A TLS record has at most this many bytes. */
const RECORD_BYTES = 16 * 1024;
/** The rest of a small buffer that is not used. */
const LEAST_ROOM = 1024;

export class DirectReads {
  #socket: Socket | undefined;
  #isDirect = false;
  #listener: ((bytes: Buffer) => void) | undefined;
  #buffer: Buffer = Buffer.allocUnsafeSlow(SMALL_BUFFER);
  #at = 0;
  /** Reads since the last large one. */
  #smallReads = SMALL_READS;

  /** The option of `net.connect` and `tls.connect`, whose result must be passed to `bind`. */
  readonly onread: OnReadOpts = { buffer: () => this.#room(), callback: (size) => this.#take(size) };

  /** `isDirect`: the socket was made with `onread`. Otherwise it is read through its stream. */
  bind(socket: Socket, isDirect: boolean): void {
    this.#socket = socket;
    this.#isDirect = isDirect;
  }

  /** Hands all bytes to the listener. Before that they go through the stream, as those of any socket. */
  listen(listener: (bytes: Buffer) => void): void {
    if (!this.#isDirect) {
      this.#socket?.on('data', listener);
      return;
    }
    this.#listener = listener;
    for (let early = this.#read(); early !== null; early = this.#read()) listener(early);
  }

  #read(): Buffer | null {
    return (this.#socket?.read() ?? null) as Buffer | null;
  }

  /** Returns the memory for the next read. */
  #room(): Uint8Array {
    const isLarge = this.#smallReads < SMALL_READS;
    const least = isLarge ? RECORD_BYTES : LEAST_ROOM;
    if (this.#buffer.length - this.#at < least) {
      this.#buffer = Buffer.allocUnsafeSlow(isLarge ? LARGE_BUFFER : SMALL_BUFFER);
      this.#at = 0;
    }
    return this.#buffer.subarray(this.#at);
  }

  /** Returns false to stop reading until the stream asks for more. */
  #take(size: number): boolean {
    const bytes = this.#buffer.subarray(this.#at, this.#at + size);
    this.#at += size;
    // The frames of a large body are split among records of all sizes.
    if (size > LARGE_READ) this.#smallReads = 0;
    else this.#smallReads++;
    if (this.#listener === undefined) return this.#socket?.push(bytes) ?? true;
    this.#listener(bytes);
    return true;
  }
}
