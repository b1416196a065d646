/** The kind CSINode. */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, listAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';
import { storageShapes } from '../../../kinds/shapes/storage.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';
import { validateCsiDriverName } from '../core/volume/csi-name.ts';

const METADATA = FieldPath.of('metadata');
const DRIVERS = FieldPath.of('spec', 'drivers');
const MAX_NODE_ID = 256;

const csiNodeTable: () => TableDefinition = tableOf(
  NAME,
  column('Drivers', 'How many CSI drivers the node has.', (object) => listAt(object, 'spec', 'drivers').length, {
    type: 'integer',
  }),
  AGE,
);

export const CSI_NODE: KubeResource = {
  definition: storedResource({
    plural: 'csinodes',
    scope: 'Cluster',
    versions: [builtInVersion({ group: 'storage.k8s.io', version: 'v1', kind: 'CSINode', table: csiNodeTable })],
    strategy: strategyWithDefaults({
      allowUnconditionalUpdate: false,
      validate: validateCsiNode,
      validateUpdate: validateCsiNodeUpdate,
      returnsDeletedObject: true,
    }),
  }),
};

function validateCsiNode(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
  const names = new Set<string>();
  objectsAt(object, 'spec', 'drivers').forEach((driver, i) => {
    const path = DRIVERS.index(i);
    const name = textAt(driver, 'name');
    issues.push(...validateCsiDriverName(name, path.child('name')), ...validateNodeId(driver, path.child('nodeID')));
    const count = fieldAt(driver, 'allocatable', 'count');
    if (typeof count === 'number' && count < 0)
      issues.push(invalid(path.child('allocatable', 'count'), count, 'must be greater than or equal to 0'));
    if (names.has(name)) issues.push(duplicate(path.child('name'), name));
    names.add(name);
    addIssues(issues, validateTopologyKeys(textsAt(driver, 'topologyKeys'), path));
  });
  return issues;
}

function validateNodeId(driver: JsonObject, path: FieldPath): FieldIssue[] {
  const id = textAt(driver, 'nodeID');
  if (id === '') return [required(path, '')];
  return utf8Length(id) > MAX_NODE_ID ? [invalid(path, id, `must be ${MAX_NODE_ID} characters or less`)] : [];
}

/** kube-apiserver reports these issues at the path of the driver. */
function validateTopologyKeys(keys: readonly string[], path: FieldPath): FieldIssue[] {
  const known = new Set<string>();
  return keys.flatMap((key) => {
    const issues = key === '' ? [required(path, '')] : [];
    if (known.has(key)) issues.push(duplicate(path, key));
    known.add(key);
    return [...issues, ...checkQualifiedName(key).map((complaint) => invalid(path, key, complaint))];
  });
}

/** A driver that stays may change only `allocatable`. */
function validateCsiNodeUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateCsiNode(object);
  const drivers = new Map<string, JsonObject[]>();
  for (const driver of objectsAt(object, 'spec', 'drivers')) {
    const name = textAt(driver, 'name');
    drivers.set(name, [...(drivers.get(name) ?? []), driver]);
  }
  for (const was of objectsAt(old, 'spec', 'drivers'))
    for (const driver of drivers.get(textAt(was, 'name')) ?? []) {
      const [next, before] = [withoutAllocatable(driver), withoutAllocatable(was)];
      if (!equalJson(next, before))
        issues.push(declared(invalid(DRIVERS, goValue(storageShapes, 'CSINodeDriver', next), FIELD_IMMUTABLE)));
    }
  return issues;
}

function withoutAllocatable(driver: JsonObject): JsonObject {
  const { allocatable: _, ...rest } = driver;
  return rest;
}
