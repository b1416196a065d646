/** The findings of the offline checks, as data. The command prints them. */
import type { Place } from './yaml-places.ts';

/**
 * `syntax`: a file cannot be read or parsed. `decode`: a field is unknown or has a wrong type. `definition`: the server
 * would refuse the definition. `duplicate`: two definitions want the same name. `rejected`: the server would refuse the
 * object. `pruned`: the server would drop a field of the object.
 */
export type FindingKind = 'syntax' | 'decode' | 'definition' | 'duplicate' | 'rejected' | 'pruned';

export interface Finding {
  readonly kind: FindingKind;
  readonly file: string;
  readonly place: Place;
  readonly message: string;
}
