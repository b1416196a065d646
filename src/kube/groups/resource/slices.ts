/**
 * ResourceSlice: a driver's devices, or the counters that they share. Invariant: pure; the issues are the reference's, in its order; pool, driver and node of a slice never
 * change. Fields whose feature gate is off are dropped unless the stored slice has them.
 */
import { fieldAt, listAt, numberAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { FIELD_IMMUTABLE } from '../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { incremented } from '../../../server/registry/object-metadata.ts';
import { inGoShape } from '../../shared/go-shape.ts';
import { validateNodeSelector } from '../../shared/node-selector.ts';
import { ensureMeta, metaFacts } from '../../shared/object-fields.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { validateCounters } from './counters.ts';
import { validateDevice } from './devices.ts';
import { validateSet } from './lists.ts';
import { validateDriverName, validatePoolName, validateSubdomain } from './names.ts';
import { NODE_SELECTOR_TERM } from './shapes.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const MAX_DEVICES = 128;
/** Taints, counters and lists cost memory in schedulers. */
const MAX_ADVANCED_DEVICES = 64;
const MAX_COUNTER_SETS = 8;
const LIST_ATTRIBUTES = ['ints', 'bools', 'strings', 'versions'];
const PLACES = '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`';

// ── Feature gates ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function prepareSliceForCreate(slice: JsonObject): void {
  ensureMeta(slice)['generation'] = 1;
  dropGatedFields(slice, undefined);
}

/** The generation is counted before fields are dropped, as in the reference: who sends them changes the slice each time. */
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

// ── Validation ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

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
    ...(old === undefined ? [] : validateSamePlace(spec, old)),
    ...validatePlace(spec),
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

function validateSamePlace(spec: JsonObject, old: JsonObject): FieldIssue[] {
  return [['pool', 'name'], ['driver'], ['nodeName']].flatMap((names) => {
    const value = fieldAt(spec, ...names);
    return value === fieldAt(old, ...names) ? [] : [invalid(SPEC.child(...names), value ?? null, FIELD_IMMUTABLE)];
  });
}

/** Where the devices are: on one node, on those of a selector, everywhere, or each says so itself. */
function validatePlace(spec: JsonObject): FieldIssue[] {
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
      const shown = terms.map((term) => (isJsonObject(term) ? inGoShape(term, NODE_SELECTOR_TERM) : term));
      issues.push(declared(invalid(at, shown, 'must have exactly one node selector term')));
    }
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection']) {
    const value = fieldAt(spec, name);
    if (value === true) given.push(`\`${name}\``);
    else if (value !== undefined) issues.push(invalid(SPEC.child(name), value, 'must be either unset or set to true'));
  }
  if (given.length === 0) issues.push(required(SPEC, `exactly one of ${PLACES} is required`));
  else if (given.length > 1)
    issues.push(
      invalid(SPEC, `{${given.join(', ')}}`, `exactly one of ${PLACES} is required, but multiple fields are set`),
    );
  return issues;
}
