/**
 * The kind StorageVersionMigration: a request to write all objects of a resource again. The spec is immutable, and the
 * conditions Succeeded and Failed are final. This server only stores the object; no loop runs migrations.
 */

import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_SPEC_AND_METADATA } from '../../../server/resource/reset-fields.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { clearStatus, keepAllButStatus, keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { conditionsOf, isConditionTrue, validateConditions } from '../../shared/conditions.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const CONDITIONS = STATUS.child('conditions');
const OUTCOMES = ['Running', 'Failed', 'Succeeded'];

const storageVersionMigrationTable: () => TableDefinition = tableOf(
  { ...NAME, format: '' },
  column('Resource', 'What is written anew.', (object) => {
    const group = textAt(object, 'spec', 'resource', 'group');
    const resource = textAt(object, 'spec', 'resource', 'resource');
    return group === '' ? resource : `${resource}.${group}`;
  }),
  column('Status', 'How far it has come.', (object) => {
    const said = conditionsOf(object).findLast(
      (one) => textAt(one, 'status') === 'True' && OUTCOMES.includes(textAt(one, 'type')),
    );
    return said === undefined ? 'Unknown' : textAt(said, 'type');
  }),
);

const MIGRATION_STRATEGY: Strategy = strategyWithDefaults({
  allowUnconditionalUpdate: false,
  prepareForCreate: clearStatus,
  validate: validateStorageVersionMigration,
  validatesMetadata: true,
  prepareForUpdate: keepStatus,
  validateUpdate: validateStorageVersionMigrationUpdate,
});

export const STORAGE_VERSION_MIGRATION: KubeResource = {
  definition: storedResource({
    plural: 'storageversionmigrations',
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: 'storagemigration.k8s.io',
        version: 'v1beta1',
        kind: 'StorageVersionMigration',
        table: storageVersionMigrationTable,
      }),
    ],
    strategy: MIGRATION_STRATEGY,
    subresources: [
      statusSubresource(MIGRATION_STRATEGY, {
        prepareForUpdate: keepAllButStatus,
        validateUpdate: validateStorageVersionMigrationStatusUpdate,
        resetFields: RESETS_SPEC_AND_METADATA,
      }),
    ],
  }),
};

export function validateStorageVersionMigration(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
  const resource = textAt(object, 'spec', 'resource', 'resource');
  const group = textAt(object, 'spec', 'resource', 'group');
  if (resource === '') issues.push(required(SPEC.child('resource', 'resource'), 'resource is required to be set'));
  else addIssues(issues, joined(checkDns1035Label(resource), resource, SPEC.child('resource', 'resource')));
  if (group !== '') addIssues(issues, joined(checkDns1123Subdomain(group), group, SPEC.child('resource', 'group')));
  return issues;
}

function joined(complaints: readonly string[], value: string, path: FieldPath): FieldIssue[] {
  return complaints.length === 0 ? [] : [invalid(path, value, complaints.join(','))];
}

function validateStorageVersionMigrationUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const [spec, before] = [object, old].map((one) => objectAt(one, 'spec') ?? {}) as [JsonObject, JsonObject];
  return [
    ...validateStorageVersionMigration(object),
    ...validateMetaUpdate(object, old),
    ...validateImmutableField(spec, before, SPEC).map(declared),
  ];
}

export function validateStorageVersionMigrationStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  const revision = textAt(object, 'status', 'resourceVersion');
  const path = STATUS.child('resourceVersion');
  if (revision !== '' && !/^[1-9]\d*$/.test(revision))
    issues.push(invalid(path, revision, `resource version is not well formed: ${revision}`));
  const conditions = conditionsOf(object);
  addIssues(issues, validateConditions(conditions, CONDITIONS));
  const before = textAt(old, 'status', 'resourceVersion');
  if (before !== '' && before !== revision) issues.push(invalid(path, revision, 'field is immutable'));
  const complain = (detail: string): void => {
    issues.push(declared(invalid(CONDITIONS, [...conditions], detail)));
  };
  if (isConditionTrue(object, 'Succeeded') && isConditionTrue(object, 'Failed'))
    complain('Both success and failed conditions cannot be true at the same time');
  if (isConditionTrue(old, 'Succeeded') && !isConditionTrue(object, 'Succeeded'))
    complain('Success condition cannot be set to false once it is true');
  if (isConditionTrue(old, 'Failed') && !isConditionTrue(object, 'Failed'))
    complain('Failed condition cannot be set to false once it is true');
  return issues;
}
