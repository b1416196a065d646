/** The kind ResourceClaimTemplate. Its spec is immutable. */
import { objectAt, objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import type { KubeContext, KubeResource } from '../../kube-context.ts';
import { validateTemplateMeta } from '../../shared/template-meta.ts';
import { validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { setClaimSpecDefaults, setV1beta1ClaimSpecDefaults } from './claim-defaults.ts';
import { deviceStrategy, deviceVersions, nameTable } from './device-definitions.ts';
import { AdminAccessChecks } from './resource-claim/claim-access.ts';
import { convertClaimTemplate } from './v1beta1-conversion.ts';
import { validateClaimMeta, validateSameSpec } from './validate-claim-object.ts';
import { validateDeviceClaim } from './validate-device-claim.ts';

const SPEC = FieldPath.of('spec');

export function resourceClaimTemplateResource(context: KubeContext): KubeResource {
  const admin = new AdminAccessChecks((template) => objectsAt(template, 'spec', 'spec', 'devices', 'requests'));
  return {
    definition: storedResource({
      plural: 'resourceclaimtemplates',
      scope: 'Namespaced',
      versions: deviceVersions(
        { kind: 'ResourceClaimTemplate', table: nameTable },
        (template) => setClaimSpecDefaults(objectAt(template, 'spec', 'spec')),
        (template) => setV1beta1ClaimSpecDefaults(objectAt(template, 'spec', 'spec')),
      ),
      convert: (objects, from, to) => objects.map((object) => convertClaimTemplate(object, from.version, to.version)),
      strategy: deviceStrategy({
        validate: (template, { request }) => [...admin.issues(request), ...validateClaimTemplate(template)],
        validateUpdate: validateClaimTemplateUpdate,
      }),
    }),
    wrapStore: ({ registry }) => admin.wrap(registry, context),
  };
}

export function validateClaimTemplate(template: JsonObject): FieldIssue[] {
  const path = SPEC.child('spec', 'devices');
  return [
    ...validateClaimMeta(template),
    ...validateTemplateMeta(objectAt(template, 'spec', 'metadata') ?? {}, SPEC.child('metadata')),
    ...validateDeviceClaim(objectAt(template, 'spec', 'spec', 'devices') ?? {}, path),
  ];
}

export function validateClaimTemplateUpdate(template: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateClaimTemplate(template),
    ...validateMetaUpdate(template, old),
    ...validateSameSpec(template, old, 'ResourceClaimTemplateSpec'),
  ];
}
