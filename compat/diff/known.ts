/**
 * Differences from the reference that we know and accept for now. Invariant: each one occurs (an entry that no longer does fails the run), and
 * each id stands in docs/compatibility.md as `**id.**` with its reason in full.
 */
export interface KnownDifference {
  /** The name in docs/compatibility.md. */
  readonly id: string;
  readonly reason: string;
  /** Matches `topic / case / METHOD path`. */
  readonly request: RegExp;
  /** Matches `where: reference → candidate`; default: everything about the request. */
  readonly difference?: RegExp;
}

export const KNOWN: readonly KnownDifference[] = [];
