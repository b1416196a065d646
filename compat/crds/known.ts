/**
 * Differences about custom resources that we know and accept for now. Invariant: each one occurs in a full run (an entry that no longer does
 * fails it), and each id stands in docs/compatibility.md as `**id.**` with its reason in full.
 */
import type { KnownEntry } from '../common/outcome.ts';
import type { Aspect } from './session.ts';

export interface KnownCrdDifference extends KnownEntry {
  /** Default: every aspect. */
  readonly aspect?: Aspect;
  /** Matches `crd name / title`. */
  readonly request: RegExp;
  /** Matches `where: reference → candidate`; default: everything about the request. */
  readonly difference?: RegExp;
}

export const KNOWN: readonly KnownCrdDifference[] = [];
