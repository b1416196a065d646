/** Defaults of claims, alone and as templates. Invariant: pure and idempotent; they equal the reference's to the field. */
import { ensureObject, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { roundResourceList, roundResourceRequirements } from '../../../shared/round-resources.ts';

/** Defaults of a PersistentVolumeClaim. */
export function setClaimDefaults(claim: JsonObject): void {
  setClaimSpecDefaults(claim);
  const status = ensureObject(claim, 'status');
  if (textAt(status, 'phase') === '') status['phase'] = 'Pending';
  roundResourceList(status['capacity']);
  roundResourceList(status['allocatedResources']);
}

/** Defaults of one item of a StatefulSet's volumeClaimTemplates, which the server stores as a whole claim, its type fields included. */
export function setClaimTemplateDefaults(template: JsonObject): void {
  template['kind'] = 'PersistentVolumeClaim';
  template['apiVersion'] = 'v1';
  setClaimDefaults(template);
}

/** Defaults of `spec` of a claim or of an ephemeral volume's claim template. */
export function setClaimSpecDefaults(owner: JsonObject): void {
  const spec = ensureObject(owner, 'spec');
  spec['volumeMode'] ??= 'Filesystem';
  roundResourceRequirements(spec);
}
