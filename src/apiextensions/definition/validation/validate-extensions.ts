/**
 * Validation of the `x-kubernetes-` extensions for merging of lists and maps, on one node. Issues are in
 * kube-apiserver's order.
 */

import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, objectAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { getField, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { apiextensionsShapes } from '../../../kinds/shapes/apiextensions.ts';
import { itemsOf, type MapKeyFault, mapKeyFaults, nonAtomicSetItems } from './schema-walk.ts';
import type { ValidationOptions } from './validation-options.ts';

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const MAP_TYPE = 'x-kubernetes-map-type';
const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';

export function validateExtensions(schema: JsonObject, path: FieldPath, options: ValidationOptions): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (fieldAt(schema, PRESERVE) === false)
    issues.push(invalid(path.child(PRESERVE), false, 'must be true or undefined'));
  const mapType = fieldAt(schema, MAP_TYPE);
  if (mapType !== undefined) {
    issues.push(...checkType(schema, 'object', MAP_TYPE, path));
    if (mapType !== 'atomic' && mapType !== 'granular')
      issues.push(notSupported(path.child(MAP_TYPE), mapType, ['atomic', 'granular']));
  }
  const listType = fieldAt(schema, LIST_TYPE);
  if (listType !== undefined) {
    const wrongType = checkType(schema, 'array', LIST_TYPE, path);
    issues.push(...wrongType);
    if (wrongType.length === 0 && options.requireAtomicSets) issues.push(...checkSetItems(schema, path));
    if (listType !== 'atomic' && listType !== 'set' && listType !== 'map')
      issues.push(notSupported(path.child(LIST_TYPE), listType, ['atomic', 'set', 'map']));
  }
  issues.push(...checkMapKeys(schema, listType, path));
  if (options.requireSoundMapKeys) issues.push(...checkMapKeyFaults(schema, path));
  return issues;
}

function checkType(schema: JsonObject, wanted: string, extension: string, path: FieldPath): FieldIssue[] {
  const type = textAt(schema, 'type');
  const place = path.child('type');
  const detail = `must be ${wanted} if ${extension} is specified`;
  if (type === wanted) return [];
  return [type === '' ? required(place, detail) : invalid(place, type, detail)];
}

function checkSetItems(schema: JsonObject, path: FieldPath): FieldIssue[] {
  const extension = nonAtomicSetItems(schema);
  if (extension === undefined) return [];
  // kube-apiserver shows the list type for both extensions.
  const shown = fieldAt(itemsOf(schema) ?? {}, LIST_TYPE) ?? null;
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  return [declared(invalid(path.child('items', extension), shown, detail))];
}

function checkMapKeys(schema: JsonObject, listType: JsonValue | undefined, path: FieldPath): FieldIssue[] {
  const keys = textsAt(schema, MAP_KEYS);
  const issues: FieldIssue[] = [];
  if (keys.length > 0 && listType !== 'map') {
    const detail = `must be map if ${MAP_KEYS} is non-empty`;
    const place = path.child(LIST_TYPE);
    issues.push(listType === undefined ? required(place, detail) : invalid(place, listType, detail));
  }
  if (listType !== 'map') return issues;
  if (keys.length === 0) issues.push(required(path.child(MAP_KEYS), `must not be empty if ${LIST_TYPE} is map`));
  const items = getField(schema, 'items');
  const one = itemsOf(schema);
  if (items === undefined) issues.push(required(path.child('items'), `must have a schema if ${LIST_TYPE} is map`));
  else if (one === undefined) {
    const detail = `must only have a single schema if ${LIST_TYPE} is map`;
    const shown = goValue(apiextensionsShapes, 'JSONSchemaPropsOrArray', items);
    issues.push(declared(invalid(path.child('items'), shown, detail)));
  } else if (textAt(one, 'type') !== 'object') {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`;
    issues.push(invalid(path.child('items', 'type'), textAt(one, 'type'), detail));
  } else issues.push(...checkKeysOf(one, keys, path));
  return issues;
}

function checkKeysOf(items: JsonObject, keys: readonly string[], path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const seen = new Set<string>();
  const complain = (detail: string): void => {
    issues.push(declared(invalid(path.child(MAP_KEYS), [...keys], detail)));
  };
  for (const key of keys) {
    const property = objectAt(items, 'properties', key);
    if (property === undefined) complain('entries must all be names of item properties');
    else if (['array', 'object'].includes(textAt(property, 'type'))) {
      const place = path.child('items', 'properties').key(key).child('type');
      const detail = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
      issues.push(invalid(place, textAt(items, 'type'), detail));
    }
    if (seen.has(key)) complain('must not contain duplicate entries');
    seen.add(key);
  }
  return issues;
}

function checkMapKeyFaults(schema: JsonObject, path: FieldPath): FieldIssue[] {
  return mapKeyFaults(schema).map((fault) => mapKeyIssue(fault, textAt(schema, LIST_TYPE), path.child('items')));
}

function mapKeyIssue(fault: MapKeyFault, listType: string, items: FieldPath): FieldIssue {
  if (fault.kind === 'nullable-items')
    return forbidden(items.child('nullable'), `cannot be nullable when ${LIST_TYPE} is ${listType}`);
  const key = items.child('properties').key(fault.key);
  const because = `this property is in ${MAP_KEYS}, so it`;
  return fault.kind === 'no-default'
    ? required(key.child('default'), `${because} must have a default or be a required property`)
    : forbidden(key.child('nullable'), `${because} cannot be nullable`);
}
