/**
 * The known differences behind our server. Invariants: each one occurs (the run fails otherwise); each id is in
 * docs/compatibility.md as `**id.**` with its reason.
 */
import type { KnownOutput } from '../kubectl/known.ts';

export const KNOWN: readonly KnownOutput[] = [];
