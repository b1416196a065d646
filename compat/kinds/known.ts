/**
 * The known differences about built-in kinds. Invariants: each entry occurs in a full run (the run fails otherwise,
 * unless it is rare); each id is in docs/compatibility.md as `**id.**` with its reason.
 */
import type { KnownEntry } from '../common/outcome.ts';
import type { Aspect } from './session.ts';

export interface KnownKindDifference extends KnownEntry {
  /** Default: every aspect. */
  readonly aspect?: Aspect;
  /** Matches `kind / title`. */
  readonly request: RegExp;
  /** Matches `where: reference → candidate`. Default: everything about the request. */
  readonly difference?: RegExp;
  /** The seed decides whether it occurs. Default false. */
  readonly isRare?: boolean;
}

export const KNOWN: readonly KnownKindDifference[] = [
  {
    id: 'Status in token reviews',
    reason: 'the status that a client sends is dropped; the reference keeps the parts that its answer does not set',
    aspect: 'object',
    request: /^tokenreviews\..* \/ POST/,
    difference: /^body\.status\./,
  },
  {
    id: 'Conditions of API services',
    reason: 'the loops of both servers write the condition at moments of their own',
    request: /^apiservices\./,
    difference:
      /^body\.(?:status|metadata\.managedFields)|^table\.rows|^code: 409 → |^reason: Conflict →|^message: .*has been modified|^causes: {2}→ /,
    isRare: true,
  },
  {
    id: 'Opaque parameters of devices',
    reason: 'they are compared as values; in the reference a patch sorts their keys, and bytes are compared',
    request: /^(?:deviceclasses|resourceclaims|resourceclaimtemplates)\..* \/ (?:PATCH|DELETE)/,
    difference:
      /^code: 422 → 200|^reason: Invalid → |^causes: .* → $|^message: |^body\.metadata\.generation: \d+ → |^order\..*parameters: /,
  },
];
