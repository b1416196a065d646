/**
 * A batch: the chunks that a sink gets in one call. All watchers of a group share one batch, also while it waits in
 * their queues.
 */

/** The most chunks in one call of a sink. More would delay every other sink and request of the turn. */
export const MAX_CHUNKS = 64;

export class Batch {
  readonly chunks: readonly Uint8Array[];
  #bytes = -1;

  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks;
  }

  /** The bytes of all chunks, counted when a queue first asks. */
  get bytes(): number {
    if (this.#bytes < 0) {
      this.#bytes = 0;
      for (const chunk of this.chunks) this.#bytes += chunk.length;
    }
    return this.#bytes;
  }
}

/** Splits chunks into batches of at most `MAX_CHUNKS`, in order. */
export function batchesOf(chunks: readonly Uint8Array[]): Batch[] {
  if (chunks.length <= MAX_CHUNKS) return chunks.length === 0 ? [] : [new Batch(chunks)];
  const batches: Batch[] = [];
  for (let from = 0; from < chunks.length; from += MAX_CHUNKS) {
    batches.push(new Batch(chunks.slice(from, from + MAX_CHUNKS)));
  }
  return batches;
}
