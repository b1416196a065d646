/** The reader of gRPC frames: a flag, a length of 4 bytes, and a message. */
import { StorageError } from '../errors.ts';

const HEAD = 5;

export class FrameReader {
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** The size of the next frame with its head; 0 if the head is not complete. */
  #frame = 0;

  /** Takes bytes of the stream and returns the messages that are complete now. */
  push(chunk: Uint8Array): Uint8Array[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const messages: Uint8Array[] = [];
    for (;;) {
      if (this.#frame === 0) {
        if (this.#size < HEAD) return messages;
        const head = this.#join();
        if (head[0] !== 0) throw new StorageError('Unavailable', 'etcd sent a compressed message');
        this.#frame = HEAD + new DataView(head.buffer, head.byteOffset).getUint32(1);
      }
      if (this.#size < this.#frame) return messages;
      const bytes = this.#join();
      messages.push(bytes.subarray(HEAD, this.#frame));
      const rest = bytes.subarray(this.#frame);
      this.#chunks = rest.length === 0 ? [] : [rest];
      this.#size = rest.length;
      this.#frame = 0;
    }
  }

  #join(): Uint8Array {
    if (this.#chunks.length > 1) {
      const joined = new Uint8Array(this.#size);
      let at = 0;
      for (const chunk of this.#chunks) {
        joined.set(chunk, at);
        at += chunk.length;
      }
      this.#chunks = [joined];
    }
    return this.#chunks[0] as Uint8Array;
  }
}
