/**
 * The bytes of a large answer, made chunk by chunk while the client reads. A slow reader of a long list costs
 * references, not copies.
 *
 * Invariants: a source is read once, from the beginning to the end. If it has a `size`, it returns exactly that many
 * bytes.
 */
import { concatBytes } from '../../base/bytes.ts';

export interface ChunkSource {
  /** The number of all bytes; undefined where counting them would visit every part twice. */
  readonly size: number | undefined;
  /**
   * Returns the next chunk, or undefined after the last one. It must not be modified: other answers may share its
   * bytes.
   */
  next(): Uint8Array | undefined;
  /**
   * An alternative to `next` for callers that would copy the chunk: copies the next bytes into `into` at `at`, at most
   * `room` of them, and returns how many. Returns 0 if the next piece is larger than `room`, or if there is none; the
   * caller then calls `next`.
   */
  fill?(into: Uint8Array, at: number, room: number): number;
}

export function totalLength(chunks: readonly Uint8Array[]): number {
  let size = 0;
  for (let i = 0; i < chunks.length; i++) size += (chunks[i] as Uint8Array).length;
  return size;
}

/** Returns a source of chunks that exist already. They are passed by reference. */
export function chunksOf(chunks: readonly Uint8Array[]): ChunkSource {
  let at = 0;
  return { size: totalLength(chunks), next: () => chunks[at++] };
}

/** Reads the rest of a source into one array. */
export function drainChunks(source: ChunkSource): Uint8Array {
  return concatBytes([...iterateChunks(source)]);
}

export function* iterateChunks(source: ChunkSource): Generator<Uint8Array, void> {
  for (let chunk = source.next(); chunk !== undefined; chunk = source.next()) yield chunk;
}
