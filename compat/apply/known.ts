/**
 * The known differences about apply. Invariants: each entry occurs in a full run (the run fails otherwise, unless it is
 * rare); each id is in docs/compatibility.md as `**id.**` with its reason.
 */
import type { KnownEntry } from '../common/outcome.ts';

export interface KnownApplyDifference extends KnownEntry {
  /** Matches the step: `PATCH (apply) /api/v1/... {body}`. Default: every step. */
  readonly step?: RegExp;
  /** Matches `where: reference → candidate`. */
  readonly difference: RegExp;
  /** The seed decides whether it occurs. Default false. */
  readonly isRare?: boolean;
}

export const KNOWN: readonly KnownApplyDifference[] = [];
