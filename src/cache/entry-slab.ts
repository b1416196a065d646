/**
 * Slabs: blocks of memory that entries share, for the entries of an initial load and for those that `settler.ts` moves.
 * Invariant: a slab has only entries of one load, or of one pass of the settler. It is freed with the last of its
 * entries.
 */
import { Slab } from '../base/slab.ts';

/** Larger entries get their own allocation. */
export const LARGEST_IN_SLAB: number = 8 * 1024;

export function createEntrySlab(): Slab {
  return new Slab({ bytes: 32 * 1024, largest: LARGEST_IN_SLAB });
}
