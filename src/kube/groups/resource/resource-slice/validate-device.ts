/** Validation of the devices of a ResourceSlice. */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, listAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { quantitySign } from '../../../../apimachinery/scalars/quantity-arithmetic.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notFound,
  required,
  tooLong,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { isLongerThan } from '../../../../apimachinery/validation/text-rules.ts';
import { equalJson, isJsonObject, type JsonObject } from '../../../../base/json-value.ts';
import { utf8Length } from '../../../../base/utf8.ts';
import { resourceShapes } from '../../../../kinds/shapes/resource.ts';
import { validateNodeSelector } from '../../../shared/node-selector.ts';
import { amountOf, isNativeResource } from '../../../shared/resource-lists.ts';
import { validateTaint } from '../taint-rules.ts';
import { validateBindingConditions } from '../validate-binding-conditions.ts';
import { validateList, validateSet } from '../validate-list.ts';
import { validateLabel, validateQualifiedName, validateSubdomain } from '../validate-names.ts';
import { validateCapacity } from './validate-capacity.ts';
import { validateCounters } from './validate-counters.ts';

const MAX_ENTRIES = 32;
const MAX_VALUES = 48;
const MAX_VALUE_BYTES = 64;
const MAX_TAINTS = 16;
const MAX_CONSUMPTIONS = 2;
/** The length of a domain, a slash and an identifier. Paths show longer keys shortened. */
const MAX_KEY = 63 + 1 + 32;
const NODE_SELECTION =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const NO_NODE_SELECTION =
  '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

/**
 * `old` is the stored device of that name; taints that did not change are not validated. `perDevice` is the slice's
 * perDeviceNodeSelection.
 */
export function validateDevice(
  device: JsonObject,
  old: JsonObject | undefined,
  perDevice: boolean,
  path: FieldPath,
): FieldIssue[] {
  const attributes = objectAt(device, 'attributes') ?? {};
  const capacity = objectAt(device, 'capacity') ?? {};
  const shared = fieldAt(device, 'allowMultipleAllocations') === true;
  const issues = [
    ...validateLabel(textAt(device, 'name'), path.child('name')),
    ...validateCounts(attributes, capacity, path),
    ...validateEntries(attributes, path.child('attributes'), validateAttribute),
    ...validateEntries(capacity, path.child('capacity'), (one, at) => validateCapacity(one, shared, at)),
  ];
  if (old === undefined || !equalJson([...listAt(old, 'taints')], [...listAt(device, 'taints')]))
    addIssues(
      issues,
      validateList(objectsAt(device, 'taints'), MAX_TAINTS, path.child('taints'), (taint, at) =>
        validateTaint(taint, at),
      ),
    );
  addIssues(issues, [
    ...validateSet(
      objectsAt(device, 'consumesCounters'),
      MAX_CONSUMPTIONS,
      path.child('consumesCounters'),
      (consumption, at) => validateCounters(consumption, 'counterSet', at),
      (consumption) => textAt(consumption, 'counterSet'),
    ),
    ...(perDevice ? validateNodeSelection(device, path) : validateNoNodeSelection(device, path)),
    ...validateBindingConditions(device, path),
    ...validateMappings(device, capacity, path.child('nodeAllocatableResourceMappings')),
  ]);
  return issues;
}

function validateCounts(attributes: JsonObject, capacity: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const entries = Object.keys(attributes).length + Object.keys(capacity).length;
  if (entries > MAX_ENTRIES)
    issues.push(invalid(path, entries, `the total number of attributes and capacities must not exceed ${MAX_ENTRIES}`));
  let values = 0;
  for (const attribute of Object.values(attributes)) {
    if (!isJsonObject(attribute)) continue;
    const listed = ['bools', 'ints', 'strings', 'versions'].reduce(
      (sum, name) => sum + listAt(attribute, name).length,
      0,
    );
    values += listed === 0 ? 1 : listed;
  }
  if (values > MAX_VALUES)
    issues.push(invalid(path, values, `the total number of attribute values must not exceed ${MAX_VALUES}`));
  return issues;
}

function validateEntries(
  entries: JsonObject,
  path: FieldPath,
  validate: (value: JsonObject, path: FieldPath) => readonly FieldIssue[],
): FieldIssue[] {
  return Object.entries(entries).flatMap(([key, value]) => [
    ...validateQualifiedName(key, path),
    ...(isJsonObject(value) ? validate(value, path.key(shortened(key))) : []),
  ]);
}

function shortened(key: string): string {
  if (utf8Length(key) <= MAX_KEY) return key;
  const left = MAX_KEY - 3;
  return `${key.slice(0, Math.floor((left + 1) / 2))}...${key.slice(key.length - Math.floor(left / 2))}`;
}

function validateAttribute(attribute: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const text = fieldAt(attribute, 'string');
  if (typeof text === 'string') issues.push(...validateLength(text, path.child('string')));
  const version = fieldAt(attribute, 'version');
  if (typeof version === 'string') issues.push(...validateVersion(version, path.child('version')));
  for (const [i, item] of listAt(attribute, 'strings').entries())
    issues.push(...validateLength(String(item), path.child('strings').index(i)));
  for (const [i, item] of listAt(attribute, 'versions').entries())
    issues.push(...validateVersion(String(item), path.child('versions').index(i)));
  const given = Object.keys(attribute).filter((name) => fieldAt(attribute, name) !== undefined);
  if (given.length !== 1)
    issues.push(
      declared(
        invalid(
          path,
          given.length === 0 ? '' : goValue(resourceShapes, 'DeviceAttribute', attribute),
          'exactly one value must be specified',
        ),
      ),
    );
  return issues;
}

function validateLength(text: string, path: FieldPath): FieldIssue[] {
  return isLongerThan(text, MAX_VALUE_BYTES) ? [tooLong(path, undefined, MAX_VALUE_BYTES)] : [];
}

function validateVersion(version: string, path: FieldPath): FieldIssue[] {
  const issues = SEMVER.test(version)
    ? []
    : [invalid(path, version, 'must be a string compatible with semver.org spec 2.0.0')];
  return [...issues, ...validateLength(version, path)];
}

function validateNodeSelection(device: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const given: string[] = [];
  const node = fieldAt(device, 'nodeName');
  if (node === '') issues.push(invalid(path.child('nodeName'), node, 'must not be empty'));
  else if (typeof node === 'string') {
    given.push('`nodeName`');
    issues.push(...validateSubdomain(node, path.child('nodeName')));
  }
  const selector = objectAt(device, 'nodeSelector');
  if (selector !== undefined) {
    given.push('`nodeSelector`');
    addIssues(issues, validateNodeSelector(selector, path.child('nodeSelector')));
  }
  const everywhere = fieldAt(device, 'allNodes');
  if (everywhere === true) given.push('`allNodes`');
  else if (everywhere !== undefined)
    issues.push(invalid(path.child('allNodes'), everywhere, 'must be either unset or set to true'));
  if (given.length === 0) issues.push(required(path, NODE_SELECTION));
  else if (given.length > 1) issues.push(invalid(path, `{${given.join(', ')}}`, NODE_SELECTION));
  return issues;
}

function validateNoNodeSelection(device: JsonObject, path: FieldPath): FieldIssue[] {
  const isGiven = ['nodeName', 'nodeSelector', 'allNodes'].some((name) => fieldAt(device, name) !== undefined);
  return isGiven ? [invalid(path, null, NO_NODE_SELECTION)] : [];
}

/** Validates the mapping from the device to allocatable resources of the node. */
function validateMappings(device: JsonObject, capacity: JsonObject, path: FieldPath): FieldIssue[] {
  return Object.entries(objectAt(device, 'nodeAllocatableResourceMappings') ?? {}).flatMap(([name, mapping]) => {
    const at = path.key(name);
    const issues: FieldIssue[] = [];
    if (!isNativeResource(name)) issues.push(invalid(at, name, 'must be a node allocatable resource name'));
    if (!isJsonObject(mapping)) return issues;
    const multiplier = fieldAt(mapping, 'allocationMultiplier');
    const key = fieldAt(mapping, 'capacityKey');
    if (multiplier === undefined && key === undefined)
      issues.push(invalid(at, '', 'at least one of allocationMultiplier or capacityKey must be set'));
    if (multiplier !== undefined && quantitySign(amountOf(multiplier)) <= 0)
      issues.push(invalid(at.child('allocationMultiplier'), multiplier, 'must be positive'));
    if (key === '') issues.push(invalid(at.child('capacityKey'), '', 'capacityKey must not be an empty string'));
    else if (typeof key === 'string' && !Object.hasOwn(capacity, key))
      issues.push(notFound(at.child('capacityKey'), key));
    return issues;
  });
}
