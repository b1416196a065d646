/**
 * The known differences in the output of kubectl with our server. Invariants: each one occurs (the run fails
 * otherwise); each id is in docs/compatibility.md as `**id.**` with its reason.
 */
import type { KnownEntry } from '../common/outcome.ts';
import { UNFIT_CONFIGURATION } from '../common/unfit-configurations.ts';

export interface KnownOutput extends KnownEntry {
  /** Matches `script / command line`. */
  readonly step: RegExp;
  /**
   * Matches the part of our normalised output that differs (`exit`, `stdout` or `stderr`, a colon, the text). Default:
   * anything.
   */
  readonly output?: RegExp;
}

export const KNOWN: readonly KnownOutput[] = [
  {
    id: 'Deleted namespaces',
    reason: 'a warning says that no loop here empties and removes the namespace',
    step: /^delete \/ .*delete ns /,
    output: /the namespace stays Terminating until/,
  },
  {
    ...UNFIT_CONFIGURATION,
    step: /^server-side \/ .*apply --server-side -f (?:number|unknown|boat-odd)\.yaml/,
    output: /is invalid: /,
  },
  {
    id: 'Metrics of autoscalers in v1',
    reason: 'the row is made from the v1 object, which has them in another order than the stored one',
    step: /^kinds-read \/ get horizontalpodautoscalers\.v1\.autoscaling /,
    output: /^stdout: /,
  },
];
