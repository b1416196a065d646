/** The kind StorageClass. */
import { flagAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateLabelName } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { deprecatedNodeLabel } from '../../shared/node-selector.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { validateDriver, validateParameters } from './storage-parameters.ts';

const METADATA = FieldPath.of('metadata');
const TOPOLOGIES = FieldPath.of('allowedTopologies');
const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
/**
 * kube-apiserver reports a repeated topology once for every earlier one that it repeats. This limit bounds the number
 * of issues for one topology.
 */
const MAX_REPEATS = 100;

/** The annotations of the default class. The second one is deprecated. */
const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

const storageClassTable: () => TableDefinition = tableOf(
  column(
    'Name',
    'The name of the class, and whether it is the default.',
    (object) => textAt(object, 'metadata', 'name') + (isDefaultClass(object) ? ' (default)' : ''),
    { format: 'name' },
  ),
  column('Provisioner', 'Who makes its volumes.', (object) => textAt(object, 'provisioner')),
  column('ReclaimPolicy', 'What becomes of its volumes when their claims go.', (object) =>
    textAt(object, 'reclaimPolicy'),
  ),
  column('VolumeBindingMode', 'When its claims are bound.', (object) => textAt(object, 'volumeBindingMode')),
  column('AllowVolumeExpansion', 'Whether its volumes can grow.', (object) => flagAt(object, 'allowVolumeExpansion')),
  AGE,
);

export const STORAGE_CLASS: KubeResource = {
  definition: storedResource({
    plural: 'storageclasses',
    shortNames: ['sc'],
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: 'storage.k8s.io',
        version: 'v1',
        kind: 'StorageClass',
        setDefaults: setStorageClassDefaults,
        table: storageClassTable,
      }),
    ],
    strategy: strategyWithDefaults({
      validate: validateStorageClass,
      warningsOnCreate: storageClassWarnings,
      validateUpdate: validateStorageClassUpdate,
      warningsOnUpdate: storageClassWarnings,
      returnsDeletedObject: true,
    }),
  }),
};

function isDefaultClass(object: JsonObject): boolean {
  return DEFAULT_ANNOTATIONS.some((name) => textAt(object, 'metadata', 'annotations', name) === 'true');
}

function setStorageClassDefaults(object: JsonObject): void {
  object['reclaimPolicy'] ??= 'Delete';
  object['volumeBindingMode'] ??= 'Immediate';
}

function validateStorageClass(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
  addIssues(issues, [...validateDriver(object, 'provisioner'), ...validateParameters(object, false)]);
  const policy = textAt(object, 'reclaimPolicy');
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy))
    issues.push(declared(notSupported(FieldPath.of('reclaimPolicy'), policy, RECLAIM_POLICIES)));
  const mode = textAt(object, 'volumeBindingMode');
  if (!BINDING_MODES.includes(mode))
    issues.push(declared(notSupported(FieldPath.of('volumeBindingMode'), mode, BINDING_MODES)));
  return [...issues, ...validateTopologies(objectsAt(object, 'allowedTopologies'))];
}

/** The fields that a provisioner reads are immutable. */
function validateStorageClassUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateStorageClass(object);
  addIssues(issues, validateMetaUpdate(object, old));
  for (const name of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const)
    addIssues(
      issues,
      validateImmutableField(object[name] ?? null, old[name] ?? null, FieldPath.of(name)).map((issue) =>
        name === 'provisioner' ? issue : declared(issue),
      ),
    );
  return issues;
}

/**
 * Reports a repeated key in a term, a repeated value of a key, and a repeated term. kube-apiserver compares terms with
 * a preallocated list of empty ones, so a term without expressions always counts as repeated.
 */
function validateTopologies(terms: readonly JsonObject[]): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const seen = new Map<string, number>([['[]', terms.length]]);
  terms.forEach((term, i) => {
    const path = TOPOLOGIES.index(i).child('matchLabelExpressions');
    const values = new Map<string, readonly string[]>();
    objectsAt(term, 'matchLabelExpressions').forEach((expression, j) => {
      const key = textAt(expression, 'key');
      addIssues(issues, validateExpression(expression, path.index(j)));
      if (values.has(key)) issues.push(duplicate(path.index(j).child('key'), key));
      values.set(key, [...new Set(textsAt(expression, 'values'))].sort());
    });
    const text = JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
    const repeats = seen.get(text) ?? 0;
    for (let n = 0; n < Math.min(repeats, MAX_REPEATS); n++) issues.push(duplicate(path, ''));
    seen.set(text, repeats + 1);
  });
  return issues;
}

function validateExpression(expression: JsonObject, path: FieldPath): FieldIssue[] {
  const values = textsAt(expression, 'values');
  const issues = values.length === 0 ? [required(path.child('values'), '')] : [];
  const known = new Set<string>();
  values.forEach((value, i) => {
    if (known.has(value)) issues.push(duplicate(path.child('values').index(i), value));
    known.add(value);
  });
  return [...issues, ...validateLabelName(textAt(expression, 'key'), path.child('key'))];
}

function storageClassWarnings(object: JsonObject): readonly string[] {
  return objectsAt(object, 'allowedTopologies').flatMap((term, i) =>
    objectsAt(term, 'matchLabelExpressions').flatMap((expression, j) => {
      const message = deprecatedNodeLabel(textAt(expression, 'key'));
      const path = TOPOLOGIES.index(i).child('matchLabelExpressions').index(j).child('key');
      return message === undefined ? [] : [`${path}: ${message}`];
    }),
  );
}
