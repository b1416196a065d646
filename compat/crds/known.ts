/**
 * The known differences about custom resources. Invariants: each entry occurs in a full run (the run fails otherwise,
 * unless the seed decides); each id is in docs/compatibility.md as `**id.**` with its reason.
 */
import type { KnownEntry } from '../common/outcome.ts';
import type { Aspect } from './session.ts';

export interface KnownCrdDifference extends KnownEntry {
  /** Default: every aspect. */
  readonly aspect?: Aspect;
  /** Matches `crd name / title`. */
  readonly request: RegExp;
  /** Matches `where: reference → candidate`. Default: everything about the request. */
  readonly difference?: RegExp;
  /** The seed decides whether it occurs. Default false. */
  readonly isRare?: boolean;
}

export const KNOWN: readonly KnownCrdDifference[] = [
  {
    id: 'Selectable fields without a structure',
    reason: 'the reference looks for the fields in a schema that it could not convert, and panics',
    aspect: 'definition',
    request: / \/ POST, /,
    difference: /^code: 0 → 422$|^(reason|causes|message): {2}→ /,
    isRare: true,
  },
];
