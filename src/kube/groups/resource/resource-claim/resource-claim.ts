/** The kind ResourceClaim. Its spec is immutable. */

import { listAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { FieldIssue } from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../../server/resource/columns.ts';
import { RESETS_SPEC_AND_METADATA } from '../../../../server/resource/reset-fields.ts';
import { storedResource } from '../../../../server/resource/stored-resource.ts';
import { clearStatus, keepStatus } from '../../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../../server/resource/version-definition.ts';
import type { KubeContext, KubeResource } from '../../../kube-context.ts';
import { statusSubresource } from '../../../shared/built-in.ts';
import { validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { setClaimSpecDefaults, setTolerationDefaults, setV1beta1ClaimSpecDefaults } from '../claim-defaults.ts';
import { deviceStrategy, deviceVersions } from '../device-definitions.ts';
import { convertClaim } from '../v1beta1-conversion.ts';
import { validateClaimMeta, validateSameSpec } from '../validate-claim-object.ts';
import { validateDeviceClaim } from '../validate-device-claim.ts';
import { AdminAccessChecks, checkClaimStatus } from './claim-access.ts';
import { prepareClaimStatusForUpdate, validateClaimStatusUpdate } from './validate-claim-status.ts';

export const claimTable: () => TableDefinition = tableOf(
  NAME,
  column('State', 'Pending, allocated, reserved, deleted.', claimState),
  AGE,
);

export function resourceClaimResource(context: KubeContext): KubeResource {
  const admin = new AdminAccessChecks((claim) => objectsAt(claim, 'spec', 'devices', 'requests'));
  const strategy = deviceStrategy({
    prepareForCreate: clearStatus,
    validate: (claim, { request }) => [...admin.issues(request), ...validateClaim(claim)],
    prepareForUpdate: keepStatus,
    validateUpdate: validateClaimUpdate,
  });
  const status = statusSubresource(strategy, {
    prepareForUpdate: prepareClaimStatusForUpdate,
    authorizeUpdate: (claim, old, request) => checkClaimStatus(context, claim, old, request),
    validateUpdate: validateClaimStatusUpdate,
    resetFields: RESETS_SPEC_AND_METADATA,
  });
  return {
    definition: storedResource({
      plural: 'resourceclaims',
      scope: 'Namespaced',
      versions: deviceVersions({ kind: 'ResourceClaim', table: claimTable }, setClaimDefaults, setV1beta1ClaimDefaults),
      convert: (objects, from, to) => objects.map((object) => convertClaim(object, from.version, to.version)),
      strategy,
      subresources: [status],
    }),
    wrapStore: ({ registry }) => admin.wrap(registry, context),
  };
}

function claimState(claim: JsonObject): string {
  const deleted = textAt(claim, 'metadata', 'deletionTimestamp') !== '';
  const states = deleted ? ['deleted'] : [];
  if (objectAt(claim, 'status', 'allocation') !== undefined) {
    states.push('allocated');
    if (listAt(claim, 'status', 'reservedFor').length > 0) states.push('reserved');
  } else if (!deleted) states.push('pending');
  return states.join(',');
}

export function setClaimDefaults(claim: JsonObject): void {
  setClaimSpecDefaults(objectAt(claim, 'spec'));
  setResultDefaults(claim);
}

export function setV1beta1ClaimDefaults(claim: JsonObject): void {
  setV1beta1ClaimSpecDefaults(objectAt(claim, 'spec'));
  setResultDefaults(claim);
}

function setResultDefaults(claim: JsonObject): void {
  for (const result of objectsAt(claim, 'status', 'allocation', 'devices', 'results')) setTolerationDefaults(result);
}

export function validateClaim(claim: JsonObject): FieldIssue[] {
  return [
    ...validateClaimMeta(claim),
    ...validateDeviceClaim(objectAt(claim, 'spec', 'devices') ?? {}, FieldPath.of('spec', 'devices')),
  ];
}

export function validateClaimUpdate(claim: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateClaimMeta(claim),
    ...validateMetaUpdate(claim, old),
    ...validateSameSpec(claim, old, 'ResourceClaimSpec'),
  ];
}
