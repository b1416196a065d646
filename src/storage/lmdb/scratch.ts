/**
 * The buffer in which records are encoded. LMDB copies a record before the next one is encoded, so a steady load
 * allocates nothing and stays in the CPU cache.
 */

/** lmdb writes the bytes from `start` to `end` of a buffer with these two fields, which avoids a view per value. */
export type Chunk = Buffer & {
  start: number;
  end: number;
  /** Views of the same memory. */
  readonly doubles: Float64Array;
  readonly words: Int32Array;
  utf8Write(text: string, offset: number, length: number): number;
};

const SMALLEST = 1 << 16;

export class Scratch {
  #chunk: Chunk = makeChunk(SMALLEST);

  /** Returns a chunk of at least `size` bytes with unspecified content. */
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
