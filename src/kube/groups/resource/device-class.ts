/** The kind DeviceClass. */
import { fieldAt, objectAt, objectsAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { KubeResource } from '../../kube-context.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { isExtendedResource } from '../../shared/validate-resources.ts';
import { deviceStrategy, deviceVersions, nameTable } from './device-definitions.ts';
import { MAX_CONFIGS, validateConfiguration } from './validate-device-claim.ts';
import { validateSelectors } from './validate-device-selector.ts';
import { validateList } from './validate-list.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');

export const DEVICE_CLASS: KubeResource = {
  definition: storedResource({
    plural: 'deviceclasses',
    scope: 'Cluster',
    versions: deviceVersions({ kind: 'DeviceClass', table: nameTable }),
    strategy: deviceStrategy({
      countsGeneration: true,
      validate: validateDeviceClass,
      validateUpdate: validateDeviceClassUpdate,
    }),
  }),
};

export function validateDeviceClass(object: JsonObject): FieldIssue[] {
  return [...validateMeta(object), ...validateClassSpec(objectAt(object, 'spec') ?? {}, undefined)];
}

function validateDeviceClassUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMeta(object),
    ...validateMetaUpdate(object, old),
    ...validateClassSpec(objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}),
  ];
}

function validateMeta(object: JsonObject): FieldIssue[] {
  return validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
}

function validateClassSpec(spec: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const configUnchanged =
    old !== undefined && equalJson(fieldAt(spec, 'config') ?? null, fieldAt(old, 'config') ?? null);
  const issues = [
    ...validateSelectors(spec, SPEC),
    ...validateList(objectsAt(spec, 'config'), MAX_CONFIGS, SPEC.child('config'), (config, path) =>
      validateConfiguration(config, path, configUnchanged),
    ),
  ];
  const name = fieldAt(spec, 'extendedResourceName');
  if (typeof name === 'string' && !isExtendedResource(name))
    issues.push(invalid(SPEC.child('extendedResourceName'), name, 'must be a valid extended resource name'));
  return issues;
}
