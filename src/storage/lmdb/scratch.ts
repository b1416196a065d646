/**
 * The buffer in which records are encoded. LMDB copies each record before the next one is encoded, so one buffer serves
 * all records: writes allocate nothing, and the buffer stays in the CPU cache.
 */

/**
 * A buffer with the fields `start` and `end`. lmdb writes only the bytes between them, so no view per value is needed.
 */
export type Chunk = Buffer & {
  start: number;
  end: number;
  /** Views of the memory of the buffer. */
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
