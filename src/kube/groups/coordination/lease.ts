/**
 * The kind Lease. The feature gate CoordinatedLeaderElection is off, so its fields are dropped unless they are stored.
 */
import { fieldAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { validateObjectMeta } from '../../../apimachinery/validation/validate-object-meta.ts';
import { validateObjectMetaUpdate } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateLeaseStrategy } from './lease-strategy.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
/** Fields of the feature gate CoordinatedLeaderElection. */
const GATED_FIELDS = ['strategy', 'preferredHolder'] as const;

export const leaseTable: () => TableDefinition = tableOf(
  NAME,
  column('Holder', 'Who holds the lease.', (object) => textAt(object, 'spec', 'holderIdentity')),
  AGE,
);

export const LEASE: KubeResource = {
  definition: storedResource({
    plural: 'leases',
    scope: 'Namespaced',
    versions: [builtInVersion({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', table: leaseTable })],
    strategy: strategyWithDefaults({
      allowUnconditionalUpdate: false,
      allowCreateOnUpdate: true,
      prepareForCreate: prepareLeaseForCreate,
      validate: validateLease,
      prepareForUpdate: prepareLeaseForUpdate,
      validateUpdate: validateLeaseUpdate,
    }),
  }),
};

export function prepareLeaseForCreate(object: JsonObject): void {
  dropGatedFields(object, {});
}

export function prepareLeaseForUpdate(object: JsonObject, old: JsonObject): void {
  dropGatedFields(object, objectAt(old, 'spec') ?? {});
}

function dropGatedFields(object: JsonObject, stored: JsonObject): void {
  const spec = objectAt(object, 'spec');
  for (const name of GATED_FIELDS) if (spec !== undefined && fieldAt(stored, name) === undefined) delete spec[name];
}

/** Unlike other built-in kinds, a Lease may have finalizers without a domain. */
export function validateLease(object: JsonObject): FieldIssue[] {
  return [
    ...validateObjectMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
    ...validateLeaseSpec(objectAt(object, 'spec') ?? {}),
  ];
}

function validateLeaseUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateObjectMetaUpdate(metaFacts(object), metaFacts(old), METADATA),
    ...validateLeaseSpec(objectAt(object, 'spec') ?? {}),
  ];
}

function validateLeaseSpec(spec: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const duration = fieldAt(spec, 'leaseDurationSeconds');
  if (typeof duration === 'number' && duration <= 0)
    issues.push(invalid(SPEC.child('leaseDurationSeconds'), duration, 'must be greater than 0'));
  const transitions = fieldAt(spec, 'leaseTransitions');
  if (typeof transitions === 'number' && transitions < 0)
    issues.push(invalid(SPEC.child('leaseTransitions'), transitions, 'must be greater than or equal to 0'));
  const strategy = fieldAt(spec, 'strategy');
  if (typeof strategy === 'string') issues.push(...validateLeaseStrategy(strategy));
  if (textAt(spec, 'preferredHolder') !== '' && (strategy ?? '') === '')
    issues.push(forbidden(SPEC.child('preferredHolder'), 'may only be specified if `strategy` is defined'));
  return issues;
}
