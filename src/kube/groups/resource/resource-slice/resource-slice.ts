/**
 * The kind ResourceSlice: devices of a driver, or the counters that devices share. Pool, driver and node are immutable.
 * Fields whose feature gate is off are dropped unless the stored slice has them.
 */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, listAt, numberAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import { FIELD_IMMUTABLE } from '../../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, isJsonObject, type JsonObject } from '../../../../base/json-value.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import { incremented } from '../../../../server/registry/object-metadata.ts';
import { AGE, column, NAME, tableOf } from '../../../../server/resource/columns.ts';
import { storedResource } from '../../../../server/resource/stored-resource.ts';
import { ensureMeta, metaFacts } from '../../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../../kube-context.ts';

import { validateNodeSelector } from '../../../shared/node-selector.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { deviceStrategy, deviceVersions } from '../device-definitions.ts';
import { setTaintDefaults, type WallClock } from '../taint-rules.ts';
import { convertSlice } from '../v1beta1-conversion.ts';
import { validateSet } from '../validate-list.ts';
import { validateDriverName, validatePoolName, validateSubdomain } from '../validate-names.ts';
import { validateCounters } from './validate-counters.ts';
import { validateDevice } from './validate-device.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const MAX_DEVICES = 128;
/** The limit for slices with taints, counters or list attributes, which need more memory in schedulers. */
const MAX_ADVANCED_DEVICES = 64;
const MAX_COUNTER_SETS = 8;
const LIST_ATTRIBUTES = ['ints', 'bools', 'strings', 'versions'];
const NODE_SELECTIONS = '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`';

const sliceTable: () => TableDefinition = tableOf(
  NAME,
  column('Node', 'The node that the devices belong to.', (object) => textAt(object, 'spec', 'nodeName')),
  column('Driver', 'The driver of the devices.', (object) => textAt(object, 'spec', 'driver')),
  column('Pool', 'The pool of the devices.', (object) => textAt(object, 'spec', 'pool', 'name')),
  AGE,
);

export function resourceSliceResource(clock: WallClock): KubeResource {
  return {
    definition: storedResource({
      plural: 'resourceslices',
      scope: 'Cluster',
      versions: deviceVersions(
        { kind: 'ResourceSlice', table: sliceTable, selectableFields: ['spec.nodeName', 'spec.driver'] },
        (slice) => setSliceDefaults(slice, clock),
        (slice) => setV1beta1SliceDefaults(slice, clock),
      ),
      convert: (objects, from, to) => objects.map((object) => convertSlice(object, from.version, to.version)),
      strategy: deviceStrategy({
        prepareForCreate: prepareSliceForCreate,
        validate: validateSlice,
        warningsOnCreate: sliceWarnings,
        prepareForUpdate: prepareSliceForUpdate,
        validateUpdate: validateSliceUpdate,
        warningsOnUpdate: sliceWarnings,
      }),
    }),
  };
}

export function setSliceDefaults(slice: JsonObject, clock: WallClock): void {
  for (const device of objectsAt(slice, 'spec', 'devices')) setDeviceDefaults(device, clock);
}

/** In v1beta1 the fields of a device are in `basic`. */
function setV1beta1SliceDefaults(slice: JsonObject, clock: WallClock): void {
  for (const device of objectsAt(slice, 'spec', 'devices')) {
    const basic = objectAt(device, 'basic');
    if (basic !== undefined) setDeviceDefaults(basic, clock);
  }
}

function setDeviceDefaults(device: JsonObject, clock: WallClock): void {
  const mappings = objectAt(device, 'nodeAllocatableResourceMappings') ?? {};
  for (const mapping of Object.values(mappings))
    if (isJsonObject(mapping) && fieldAt(mapping, 'allocationMultiplier') === undefined)
      mapping['allocationMultiplier'] = '1';
  for (const taint of objectsAt(device, 'taints')) setTaintDefaults(taint, clock);
}

export function prepareSliceForCreate(slice: JsonObject): void {
  ensureMeta(slice)['generation'] = 1;
  dropGatedFields(slice, undefined);
}

/**
 * Counts the generation before fields are dropped, as kube-apiserver does: every update that sends dropped fields
 * counts.
 */
export function prepareSliceForUpdate(slice: JsonObject, old: JsonObject): void {
  if (!equalJson(objectAt(slice, 'spec') ?? {}, objectAt(old, 'spec') ?? {}))
    ensureMeta(slice)['generation'] = incremented(fieldAt(old, 'metadata', 'generation'));
  dropGatedFields(slice, old);
}

function dropGatedFields(slice: JsonObject, old: JsonObject | undefined): void {
  const stored = old === undefined ? [] : objectsAt(old, 'spec', 'devices');
  const dropsMappings = !stored.some((device) => fieldAt(device, 'nodeAllocatableResourceMappings') !== undefined);
  const dropsLists = !stored.some(hasListAttribute);
  for (const device of objectsAt(slice, 'spec', 'devices')) {
    if (dropsMappings) delete device['nodeAllocatableResourceMappings'];
    if (!dropsLists) continue;
    for (const attribute of attributesOf(device)) for (const name of LIST_ATTRIBUTES) delete attribute[name];
  }
}

function attributesOf(device: JsonObject): readonly JsonObject[] {
  return Object.values(objectAt(device, 'attributes') ?? {}).filter(isJsonObject);
}

function hasListAttribute(device: JsonObject): boolean {
  return attributesOf(device).some((attribute) =>
    LIST_ATTRIBUTES.some((name) => fieldAt(attribute, name) !== undefined),
  );
}

export function sliceWarnings(slice: JsonObject): readonly string[] {
  const driver = textAt(slice, 'spec', 'driver');
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
}

// ── Validation ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function validateSlice(slice: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(slice), { namespaced: false, name: nameIsDnsSubdomain }, METADATA),
    ...validateSpec(objectAt(slice, 'spec') ?? {}, undefined),
  ];
}

export function validateSliceUpdate(slice: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMetaUpdate(slice, old),
    ...validateSpec(objectAt(slice, 'spec') ?? {}, objectAt(old, 'spec') ?? {}),
  ];
}

function validateSpec(spec: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const issues = [
    ...validateDriverName(textAt(spec, 'driver'), SPEC.child('driver')),
    ...validatePool(objectAt(spec, 'pool') ?? {}, SPEC.child('pool')),
    ...(old === undefined ? [] : validateImmutableFields(spec, old)),
    ...validateNodeSelection(spec),
  ];
  if (fieldAt(spec, 'sharedCounters') !== undefined && fieldAt(spec, 'devices') !== undefined)
    issues.push(invalid(SPEC, '', 'only one of `sharedCounters` or `devices` is allowed'));
  const devices = objectsAt(spec, 'devices');
  const isAdvanced = devices.some(
    (device) =>
      listAt(device, 'taints').length + listAt(device, 'consumesCounters').length > 0 || hasListAttribute(device),
  );
  const perDevice = fieldAt(spec, 'perDeviceNodeSelection') === true;
  const stored = new Map(objectsAt(old ?? {}, 'devices').map((device) => [textAt(device, 'name'), device]));
  addIssues(issues, [
    ...validateSet(
      devices,
      isAdvanced ? MAX_ADVANCED_DEVICES : MAX_DEVICES,
      SPEC.child('devices'),
      (device, path) => validateDevice(device, stored.get(textAt(device, 'name')), perDevice, path),
      (device) => textAt(device, 'name'),
    ),
    ...validateSet(
      objectsAt(spec, 'sharedCounters'),
      MAX_COUNTER_SETS,
      SPEC.child('sharedCounters'),
      (set, path) => validateCounters(set, 'name', path),
      (set) => textAt(set, 'name'),
    ),
  ]);
  return issues;
}

function validatePool(pool: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validatePoolName(textAt(pool, 'name'), path.child('name'));
  const [slices, generation] = [numberAt(pool, 'resourceSliceCount'), numberAt(pool, 'generation')];
  if (slices <= 0) issues.push(invalid(path.child('resourceSliceCount'), slices, 'must be greater than zero'));
  if (generation < 0)
    issues.push(invalid(path.child('generation'), generation, 'must be greater than or equal to zero'));
  return issues;
}

function validateImmutableFields(spec: JsonObject, old: JsonObject): FieldIssue[] {
  return [['pool', 'name'], ['driver'], ['nodeName']].flatMap((names) => {
    const value = fieldAt(spec, ...names);
    return value === fieldAt(old, ...names) ? [] : [invalid(SPEC.child(...names), value ?? null, FIELD_IMMUTABLE)];
  });
}

/** Exactly one of nodeName, nodeSelector, allNodes and perDeviceNodeSelection must be set. */
function validateNodeSelection(spec: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const given: string[] = [];
  const node = fieldAt(spec, 'nodeName');
  if (node === '')
    issues.push(invalid(SPEC.child('nodeName'), node, 'must be either unset or set to a non-empty string'));
  else if (typeof node === 'string') {
    given.push('`nodeName`');
    issues.push(...validateSubdomain(node, SPEC.child('nodeName')));
  }
  const selector = objectAt(spec, 'nodeSelector');
  if (selector !== undefined) {
    given.push('`nodeSelector`');
    addIssues(issues, validateNodeSelector(selector, SPEC.child('nodeSelector')));
    const terms = listAt(selector, 'nodeSelectorTerms');
    const at = SPEC.child('nodeSelector', 'nodeSelectorTerms');
    if (terms.length !== 1) {
      const shown = terms.map((term) => goValue(coreShapes, 'NodeSelectorTerm', term));
      issues.push(declared(invalid(at, shown, 'must have exactly one node selector term')));
    }
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection']) {
    const value = fieldAt(spec, name);
    if (value === true) given.push(`\`${name}\``);
    else if (value !== undefined) issues.push(invalid(SPEC.child(name), value, 'must be either unset or set to true'));
  }
  if (given.length === 0) issues.push(required(SPEC, `exactly one of ${NODE_SELECTIONS} is required`));
  else if (given.length > 1)
    issues.push(
      invalid(
        SPEC,
        `{${given.join(', ')}}`,
        `exactly one of ${NODE_SELECTIONS} is required, but multiple fields are set`,
      ),
    );
  return issues;
}
