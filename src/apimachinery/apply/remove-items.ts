/**
 * Removal and extraction of the fields of a set. A list or object whose last entry is removed becomes null, as in
 * structured-merge-diff.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { setField } from '../../base/json-value.ts';
import { type FieldSet, fieldSetOf } from '../field-set/field-set.ts';
import { KeyElement, type Path } from '../field-set/path-element.ts';
import { union } from '../field-set/set-algebra.ts';
import { itemElement, itemKey } from './list-items.ts';
import { kindOf, LIST, type ListType, MAP, type MapType, type MergeType } from './merge-type.ts';

/**
 * Returns the value without the fields and items of the set. The result shares the remaining parts with the value; it
 * is the value itself if the set names nothing in it.
 */
export function removeItems(value: JsonValue, items: FieldSet, type: MergeType): JsonValue {
  switch (kindOf(type, value)) {
    case MAP:
      return removeFromMap(value, items, type.map as MapType);
    case LIST:
      return removeFromList(value, items, type.list as ListType);
    default:
      return value;
  }
}

function removeFromMap(value: JsonValue, items: FieldSet, type: MapType): JsonValue {
  if (!isFilledObject(value) || type.atomic) return null;
  let kept: JsonObject | undefined;
  for (const element of items.elements) {
    if (typeof element !== 'string' || !Object.hasOwn(value, element)) continue;
    const below = items.child(element) as FieldSet;
    if (below.isMember) {
      kept ??= { ...value };
      delete kept[element];
      continue;
    }
    const child = value[element] as JsonValue;
    const inside = type.typeOf(element);
    const rest = inside === undefined ? child : removeItems(child, below, inside);
    if (rest === child) continue;
    kept ??= { ...value };
    setField(kept, element, rest);
  }
  if (kept === undefined) return value;
  return isFilledObject(kept) ? kept : null;
}

function removeFromList(value: JsonValue, items: FieldSet, type: ListType): JsonValue {
  if (!Array.isArray(value) || value.length === 0 || type.relation === 'atomic') return null;
  let isChanged = false;
  const kept: JsonArray = [];
  for (const item of value) {
    const below = childOf(items, type, item);
    if (below?.isMember === true) {
      isChanged = true;
      continue;
    }
    const rest = below === undefined ? item : removeItems(item, below, type.items);
    if (rest !== item) isChanged = true;
    kept.push(rest);
  }
  if (!isChanged) return value;
  return kept.length > 0 ? kept : null;
}

/** Returns a value with only the fields and items of the set. */
export function extractItems(value: JsonValue, items: FieldSet, type: MergeType): JsonValue {
  switch (kindOf(type, value)) {
    case MAP:
      return extractFromMap(value, items, type.map as MapType);
    case LIST:
      return extractFromList(value, items, type.list as ListType);
    default:
      return value;
  }
}

/**
 * As in structured-merge-diff, a field that is a member is extracted with the set of its parent, not with the set below
 * the field. A leaf is extracted as it is.
 */
function extractFromMap(value: JsonValue, items: FieldSet, type: MapType): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  if (!isFilledObject(value) || type.atomic) return value;
  const out: JsonObject = {};
  for (const key in value) {
    const below = items.child(key);
    const inside = type.typeOf(key);
    if (below === undefined || inside === undefined) continue;
    setField(out, key, extractItems(value[key] as JsonValue, below.isMember ? items : below, inside));
  }
  return isFilledObject(out) ? out : null;
}

/**
 * Returns the set with the key fields of every list item on the way to a member that the value has, so that an
 * extracted value can be applied again. `present` is the field set of the value.
 */
export function withKeyFields(items: FieldSet, present: FieldSet): FieldSet {
  const keys: Path[] = [];
  for (const path of items.paths()) {
    if (!present.has(path)) continue;
    for (const [i, element] of path.entries())
      if (element instanceof KeyElement) for (const name of element.names) keys.push([...path.slice(0, i + 1), name]);
  }
  return union(items, fieldSetOf(...keys));
}

function extractFromList(value: JsonValue, items: FieldSet, type: ListType): JsonValue {
  if (!Array.isArray(value)) return null;
  if (value.length === 0 || type.relation === 'atomic') return value;
  const out: JsonArray = [];
  for (const item of value) {
    const below = childOf(items, type, item);
    if (below !== undefined) out.push(below.elements.length === 0 ? item : extractItems(item, below, type.items));
  }
  return out.length > 0 ? out : null;
}

function childOf(items: FieldSet, type: ListType, item: JsonValue): FieldSet | undefined {
  return itemKey(type, item) === undefined ? undefined : items.child(itemElement(type, item));
}

function isFilledObject(value: JsonValue): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const _ in value) return true;
  return false;
}
