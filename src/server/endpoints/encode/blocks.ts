/**
 * Blocks of many small pieces: one write of 64 KB costs a tenth of sixty writes of 1 KB.
 *
 * A block is made when it is read. Large pieces are passed by reference.
 */
import { allocateBytes } from '../../../base/bytes.ts';
import { type ChunkSource, totalLength } from '../../http/chunk-source.ts';

export const BLOCK_BYTES: number = 64 * 1024;
/** A piece of at least this size is passed by reference. */
export const LARGE_BYTES: number = 32 * 1024;

export function blocksOf(pieces: readonly Uint8Array[]): ChunkSource {
  let at = 0;
  /** Advances to the first piece that does not fit and returns the size of those that do. */
  const take = (room: number): number => {
    let bytes = 0;
    while (at < pieces.length) {
      const { length } = pieces[at] as Uint8Array;
      if (length >= LARGE_BYTES || bytes + length > room) break;
      bytes += length;
      at++;
    }
    return bytes;
  };
  const copy = (from: number, into: Uint8Array, start: number): void => {
    let to = start;
    for (let i = from; i < at; i++) {
      const piece = pieces[i] as Uint8Array;
      into.set(piece, to);
      to += piece.length;
    }
  };
  return {
    size: totalLength(pieces),
    next() {
      const from = at;
      const bytes = take(BLOCK_BYTES);
      // The next piece is large, or there is none.
      if (at === from) return pieces[at++];
      const block = allocateBytes(bytes);
      copy(from, block, 0);
      return block;
    },
    fill(into, start, room) {
      const from = at;
      const bytes = take(room);
      copy(from, into, start);
      return bytes;
    },
  };
}
