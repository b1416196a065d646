/** The kind VolumeAttributesClass. Its driver and its parameters are immutable. */
import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, forbidden } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { validateDriver, validateParameters } from './storage-parameters.ts';

const METADATA = FieldPath.of('metadata');

const volumeAttributesClassTable: () => TableDefinition = tableOf(
  NAME,
  column('DriverName', 'The CSI driver it is for.', (object) => textAt(object, 'driverName')),
  AGE,
);

const VERSION = {
  group: 'storage.k8s.io',
  kind: 'VolumeAttributesClass',
  table: volumeAttributesClassTable,
} as const;

export const VOLUME_ATTRIBUTES_CLASS: KubeResource = {
  definition: storedResource({
    plural: 'volumeattributesclasses',
    shortNames: ['vac'],
    scope: 'Cluster',
    versions: [builtInVersion({ ...VERSION, version: 'v1' }), builtInVersion({ ...VERSION, version: 'v1beta1' })],
    strategy: strategyWithDefaults({
      validate: validateVolumeAttributesClass,
      validateUpdate: validateVolumeAttributesClassUpdate,
      returnsDeletedObject: true,
    }),
  }),
};

function validateVolumeAttributesClass(object: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA),
    ...validateDriver(object, 'driverName'),
    ...validateParameters(object, true),
  ];
}

function validateVolumeAttributesClassUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  if (textAt(object, 'driverName') !== textAt(old, 'driverName'))
    issues.push(forbidden(FieldPath.of('driverName'), 'updates to driverName are forbidden.'));
  if (!equalJson(objectAt(object, 'parameters') ?? {}, objectAt(old, 'parameters') ?? {}))
    issues.push(forbidden(FieldPath.of('parameters'), 'updates to parameters are forbidden.'));
  return [...issues, ...validateVolumeAttributesClass(object)];
}
