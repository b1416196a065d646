/** The differences to the reference that docs/compatibility.md explains. */
import type { KnownEntry } from '../common/outcome.ts';
import type { Difference } from '../diff/compare.ts';

export interface KnownDifference extends KnownEntry {
  matches(difference: Difference): boolean;
}

export const KNOWN: readonly KnownDifference[] = [];
