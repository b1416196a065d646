/**
 * The known differences about apply. Invariants: each entry occurs in a full run (the run fails otherwise, unless it is
 * rare); each id is in docs/compatibility.md as `**id.**` with its reason.
 */
import type { KnownEntry } from '../common/outcome.ts';
import { UNFIT_ANSWER, UNFIT_CONFIGURATION } from '../common/unfit-configurations.ts';

export interface KnownApplyDifference extends KnownEntry {
  /** Matches the step: `PATCH (apply) /api/v1/... {body}`. Default: every step. */
  readonly step?: RegExp;
  /** Matches `where: reference → candidate`. */
  readonly difference: RegExp;
  /** The seed decides whether it occurs. Default false. */
  readonly isRare?: boolean;
}

export const KNOWN: readonly KnownApplyDifference[] = [
  {
    id: 'Deleted namespaces',
    reason: 'a warning says that no loop here empties and removes the namespace',
    step: /^DELETE \/api\/v1\/namespaces\/[^/ ]+ /,
    difference: /^header warning: \(absent\) → 299 - "the namespace stays Terminating until/,
  },
  {
    ...UNFIT_CONFIGURATION,
    step: /^PATCH \(apply\)/,
    difference: UNFIT_ANSWER,
  },
  {
    id: 'Empty lists',
    reason: 'an empty list is none before the object is validated; messages show that',
    difference: /^body\.(?:message|details\.causes\[\d+\]\.message): .*(?:\[\]|\{\}).* → .*null/,
    isRare: true,
  },
  {
    id: 'Empty lists',
    reason: 'these kinds count an empty list as a change of the generation',
    step: /\/(?:networkpolicies|validatingwebhookconfigurations)/,
    difference: /^body\.metadata\.(?:generation|resourceVersion): /,
    isRare: true,
  },
  {
    id: 'Status of a missing Service',
    reason: '404 as for other kinds; the reference tries to create the Service',
    step: /\/services\/\{\{name\}\}\/status/,
    difference: /^(?:status|body\.code): 422 → 404$|^body\.(?:details|message|reason)/,
    isRare: true,
  },
  {
    id: 'Opaque parameters of devices',
    reason: 'messages print the keys of opaque data in the order of the patch; the reference sorts them',
    step: /\/controllerrevisions\//,
    difference: /^body\.(?:message|details\.causes)/,
  },
  {
    id: 'Conditions of API services',
    reason: 'the loops of both servers write the condition at moments of their own',
    step: /\/apiservices\//,
    difference: /^body\.(?:metadata\.(?:managedFields|resourceVersion)|status)/,
    isRare: true,
  },
];
