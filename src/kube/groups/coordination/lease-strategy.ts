/** Validation of spec.strategy of Leases and LeaseCandidates. */
import { declared, type FieldIssue, invalid, notSupported } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/label-syntax.ts';

export const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';

// kube-apiserver repeats the last element of the path.
const PATH = FieldPath.of('spec', 'strategy', 'strategy');

/** A known strategy, or a name with a domain. */
export function validateLeaseStrategy(strategy: string): FieldIssue[] {
  if (strategy.includes('/'))
    return checkQualifiedName(strategy).map((complaint) => declared(invalid(PATH, strategy, complaint)));
  return strategy === OLDEST_EMULATION_VERSION
    ? []
    : [declared(notSupported(PATH, strategy, [OLDEST_EMULATION_VERSION]))];
}
