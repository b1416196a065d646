/**
 * The known differences behind our server. Invariants: each one occurs (the run fails otherwise); each id is in
 * docs/compatibility.md as `**id.**` with its reason.
 */
import type { KnownOutput } from '../kubectl/known.ts';

export const KNOWN: readonly KnownOutput[] = [
  {
    id: 'Failures of the proxy',
    reason: 'the answer is a Status that names the APIService, not text/plain, which kubectl cannot show',
    step: /-(?:registered|dead) \/ get --raw \/apis\//,
    output: /^stderr: Error from server \(ServiceUnavailable\): the server of APIService \S+ is unavailable /,
  },
  {
    id: 'Deleted namespaces',
    reason: 'a warning says that no loop here empties and removes the namespace',
    step: /^flunder-emptied \/ delete namespace doomed/,
    output: /the namespace stays Terminating until/,
  },
];
