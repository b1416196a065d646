/** The defaults of PersistentVolumeClaims and claim templates. */
import { ensureObject, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { roundResourceList, roundResourceRequirements } from '../../../shared/round-resources.ts';

export function setClaimDefaults(claim: JsonObject): void {
  setClaimSpecDefaults(claim);
  const status = ensureObject(claim, 'status');
  if (textAt(status, 'phase') === '') status['phase'] = 'Pending';
  roundResourceList(status['capacity']);
  roundResourceList(status['allocatedResources']);
}

/** The defaults of an item of a StatefulSet's volumeClaimTemplates. It is stored with kind and apiVersion. */
export function setClaimTemplateDefaults(template: JsonObject): void {
  template['kind'] = 'PersistentVolumeClaim';
  template['apiVersion'] = 'v1';
  setClaimDefaults(template);
}

/** The defaults of the `spec` of a claim or of an ephemeral volume's claim template. */
export function setClaimSpecDefaults(owner: JsonObject): void {
  const spec = ensureObject(owner, 'spec');
  spec['volumeMode'] ??= 'Filesystem';
  roundResourceRequirements(spec);
}
