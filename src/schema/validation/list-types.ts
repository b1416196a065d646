/**
 * The validation of set lists and map lists (`x-kubernetes-list-type`): no duplicates. Like kube-apiserver, it reports
 * the second of several equal items and not the further ones.
 */
import { formatJson } from '../../apimachinery/go-format.ts';
import { duplicate, type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../../apimachinery/validation/field-path.ts';
import {
  getField,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setField,
} from '../../base/json-value.ts';
import { LIST_TYPE, type SchemaSource, someNode } from '../structural/schema-source.ts';
import type { StructuralSchema } from '../structural/structural.ts';
import { MAX_FINDINGS } from './validation-result.ts';

/** True if the schema contains a set list or a map list. */
export function hasListTypes(source: SchemaSource): boolean {
  return someNode(source, (node) => node[LIST_TYPE] === 'set' || node[LIST_TYPE] === 'map');
}

export function validateListTypes(schema: StructuralSchema, object: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  addObject(issues, schema, object, undefined);
  return issues;
}

type Path = FieldPath | undefined;

function addObject(issues: FieldIssue[], schema: StructuralSchema, object: JsonObject, path: Path): void {
  const { properties, additionalProperties } = schema;
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (typeof value !== 'object' || value === null) continue;
    if (typeof additionalProperties === 'object')
      addValue(issues, additionalProperties, value, () => keyPath(path, name));
    const property = properties.get(name);
    if (property !== undefined) addValue(issues, property, value, () => childPath(path, name));
  }
}

function addValue(
  issues: FieldIssue[],
  schema: StructuralSchema,
  value: JsonArray | JsonObject,
  path: () => FieldPath,
): void {
  if (Array.isArray(value)) addList(issues, schema, value, path());
  else addObject(issues, schema, value, path());
}

function addList(issues: FieldIssue[], schema: StructuralSchema, list: JsonArray, path: FieldPath): void {
  if (issues.length >= MAX_FINDINGS) return;
  const { listType, items } = schema;
  if (listType === 'set') {
    for (const i of repeated(list)) issues.push(duplicate(path.index(i), list[i]));
  } else if (listType === 'map') addMapList(issues, schema.listMapKeys, list, path);
  if (items === undefined) return;
  list.forEach((item, i) => {
    if (typeof item === 'object' && item !== null) addValue(issues, items, item, () => indexPath(path, i));
  });
}

function addMapList(issues: FieldIssue[], keys: readonly string[], list: JsonArray, path: FieldPath): void {
  for (const [i, item] of list.entries()) {
    if (item === null || isJsonObject(item)) continue;
    issues.push(invalid(path.index(i), item, 'must be an object for an array of list-type map'));
    return;
  }
  const keyed = list.map((item) => keysOf(item as JsonObject | null, keys));
  for (const i of repeated(keyed)) issues.push(duplicate(path.index(i), keyed[i]));
}

/** The keys that an item has, as an object. */
function keysOf(item: JsonObject | null, names: readonly string[]): JsonObject {
  const keys: JsonObject = {};
  for (const name of item === null ? [] : names) {
    const value = getField(item as JsonObject, name);
    if (value !== undefined) setField(keys, name, value);
  }
  return keys;
}

/** The indexes of items that occur for the second time. */
function repeated(list: JsonArray): number[] {
  if (list.length < 2) return [];
  const times = new Map<JsonValue, number>();
  const second: number[] = [];
  for (const [i, item] of list.entries()) {
    const identity = identityOf(item);
    const seen = times.get(identity) ?? 0;
    times.set(identity, seen + 1);
    if (seen === 1 && second.push(i) >= MAX_FINDINGS) break;
  }
  return second;
}

/** A map key that is the same for equal values only. */
function identityOf(item: JsonValue): JsonValue {
  if (typeof item === 'string') return `s${item}`;
  return typeof item === 'object' && item !== null ? `o${formatJson(item)}` : item;
}
