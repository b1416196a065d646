/**
 * Slabs: blocks of memory that entries share, for the entries of an initial load, for those that `settler.ts` moves, and
 * for those of new objects. An allocation per entry costs a microsecond, and work in every garbage collection.
 * Invariant: a slab has only entries of one load, of one pass of the settler, or of new objects of one cache. It is freed
 * with the last of its entries.
 */
import { Slab } from '../base/slab.ts';

/** Larger entries get their own allocation. */
export const LARGEST_IN_SLAB: number = 8 * 1024;

export function createEntrySlab(): Slab {
  return new Slab({ bytes: 32 * 1024, largest: LARGEST_IN_SLAB });
}

/** The size tells slabs of new entries from others. */
const NEW_ENTRIES_BYTES = 16 * 1024;

/** For the entries of new objects, in the order of their creation. */
export function createNewEntrySlab(): Slab {
  return new Slab({ bytes: NEW_ENTRIES_BYTES, largest: NEW_ENTRIES_BYTES / 4 });
}

/** Whether the settler has not moved the bytes yet: they have their own allocation, or are in a slab of new entries. */
export function isLoose({ buffer, byteLength }: Uint8Array): boolean {
  return buffer.byteLength === byteLength || buffer.byteLength === NEW_ENTRIES_BYTES;
}
