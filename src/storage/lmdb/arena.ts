/**
 * Memory for the bytes of one commit. Invariant: what was reserved stays as written until `reset`, which the owner calls only when lmdb's
 * writer thread is done with the commit. The first chunk is kept for the next commit, so a steady load allocates nothing.
 */

/** lmdb writes the bytes from `start` to `end` of a buffer that has these two fields, sparing a view per value. */
export type Chunk = Buffer & {
  start: number;
  end: number;
  /** The same memory as numbers. */
  readonly doubles: Float64Array;
  readonly words: Int32Array;
  utf8Write(text: string, offset: number, length: number): number;
};

const CHUNK_BYTES = 1 << 20;

export class Arena {
  /** The chunk of the last reservation. */
  chunk: Chunk = makeChunk(CHUNK_BYTES);
  readonly #first: Chunk = this.chunk;
  #used = 0;

  /** Room for `size` bytes in `this.chunk`, at the returned offset. */
  reserve(size: number): number {
    let at = this.#used;
    if (at + size > this.chunk.length) {
      this.chunk = makeChunk(Math.max(size, CHUNK_BYTES));
      at = 0;
    }
    // Every reservation begins at a multiple of eight, so that numbers can be stored through `doubles`.
    this.#used = (at + size + 7) & ~7;
    return at;
  }

  reset(): void {
    this.chunk = this.#first;
    this.#used = 0;
  }
}

function makeChunk(size: number): Chunk {
  const bytes = Buffer.allocUnsafeSlow((size + 7) & ~7);
  return Object.assign(bytes, {
    start: 0,
    end: 0,
    doubles: new Float64Array(bytes.buffer),
    words: new Int32Array(bytes.buffer),
  }) as unknown as Chunk;
}
