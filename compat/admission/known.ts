/** The differences to the reference that docs/compatibility.md explains. */
import type { KnownEntry } from '../common/outcome.ts';
import type { Difference } from '../diff/compare.ts';

export interface KnownDifference extends KnownEntry {
  /** `name` is that of the case. */
  matches(difference: Difference, name: string): boolean;
}

export const KNOWN: readonly KnownDifference[] = [
  {
    id: 'Reinvocation after a patch without effect',
    reason: 'the reference finds a new time in managedFields changed by any patch, and calls earlier webhooks again',
    matches: (_difference, name) => name === 'webhooks-1760',
  },
];

/** Those of every-resource.ts. */
export const KNOWN_REVIEWS: readonly KnownDifference[] = [
  {
    id: 'Empty lists in reviews',
    reason: 'an empty list in a field that is always written is null for admission; the reference stores it as null',
    matches: ({ where, reference, candidate }) =>
      where.includes('.review.request.object.') && reference === '[]' && candidate === 'null',
  },
  {
    id: 'Phase of a new PersistentVolumeClaim',
    reason: 'the reference sets it when it reads the stored claim, and so stores the claim again on the first update',
    matches: ({ where, candidate }) =>
      where.startsWith('persistentvolumeclaims/v1.reviews') &&
      (where.endsWith('.status.phase (POST)') ? candidate === '"Pending"' : where.endsWith('.length (PUT)')),
  },
];
