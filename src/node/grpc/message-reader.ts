/** The reader of gRPC messages: a flag, a length of 4 bytes, and the message. */
import { TransportError } from '../../base/errors.ts';
import { readUint32 } from '../http2/frames.ts';

const HEAD = 5;

/** Returns the message of a chunk that is exactly one frame, which needs no reader. Undefined for any other chunk. */
export function wholeMessage(chunk: Uint8Array, maxBytes: number = Number.POSITIVE_INFINITY): Uint8Array | undefined {
  if (chunk.length < HEAD || chunk[0] !== 0) return undefined;
  const length = readUint32(chunk, 1);
  return length === chunk.length - HEAD && length <= maxBytes ? chunk.subarray(HEAD) : undefined;
}

export class MessageReader {
  readonly #onMessage: (message: Uint8Array) => void;
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** `onMessage` is called within `push`, with bytes that may be kept. */
  constructor(onMessage: (message: Uint8Array) => void, maxBytes: number = Number.POSITIVE_INFINITY) {
    this.#onMessage = onMessage;
    this.#maxBytes = maxBytes;
  }

  /** Takes bytes of the stream. Throws for a compressed or too long message, and what `onMessage` throws. */
  push(chunk: Uint8Array): void {
    let bytes = chunk;
    if (this.#size > 0) {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      // Pieces are joined once per message, not once per piece.
      const first = this.#chunks[0]!;
      if (first.length >= HEAD && this.#size < this.#frameSize(first, 0)) return;
      bytes = this.#join();
    }
    let at = 0;
    while (bytes.length - at >= HEAD) {
      const end = at + this.#frameSize(bytes, at);
      if (end > bytes.length) break;
      this.#onMessage(bytes.subarray(at + HEAD, end));
      at = end;
    }
    if (at === bytes.length) return;
    const rest = at === 0 ? bytes : bytes.subarray(at);
    this.#chunks.push(rest);
    this.#size = rest.length;
  }

  #join(): Uint8Array {
    const joined = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [];
    this.#size = 0;
    return joined;
  }

  #frameSize(bytes: Uint8Array, at: number): number {
    if (bytes[at] !== 0) throw new TransportError('the server sent a compressed message');
    const length = readUint32(bytes, at + 1);
    if (length > this.#maxBytes)
      throw new TransportError(`the server sent a message of ${length} bytes, at most ${this.#maxBytes} are accepted`);
    return HEAD + length;
  }
}
