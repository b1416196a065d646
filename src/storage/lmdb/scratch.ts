/**
 * Memory in which records are put together. Invariant: one record at a time: LMDB copies it before the next one is
 * begun, so a steady load allocates nothing and works in memory that is warm.
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

const SMALLEST = 1 << 16;

export class Scratch {
  #chunk: Chunk = makeChunk(SMALLEST);

  /** A chunk of at least `size` bytes, of unspecified content. */
  take(size: number): Chunk {
    if (size > this.#chunk.length) this.#chunk = makeChunk(2 ** Math.ceil(Math.log2(size)));
    return this.#chunk;
  }
}

function makeChunk(size: number): Chunk {
  const bytes = Buffer.allocUnsafeSlow(size);
  return Object.assign(bytes, {
    start: 0,
    end: 0,
    doubles: new Float64Array(bytes.buffer),
    words: new Int32Array(bytes.buffer),
  }) as unknown as Chunk;
}
