/**
 * The field set of a configuration: every leaf, every item of an associative list and every key of a map that it
 * mentions. Named fields that hold other fields are not in the set themselves.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { asMember, createFieldSet, EMPTY_SET, type FieldSet, LEAF } from '../field-set/field-set.ts';
import type { PathElement } from '../field-set/path-element.ts';
import { itemElement, itemKeys, KeyIndex } from './list-items.ts';
import { kindOf, LIST, type ListType, MAP, type MapType, type MergeType } from './merge-type.ts';

/** Returns the field set. The value must have the type; duplicate items are allowed. */
export function toFieldSet(value: JsonValue, type: MergeType): FieldSet {
  const set = setOf(value, type);
  return set.isMember ? EMPTY_SET : set;
}

function setOf(value: JsonValue, type: MergeType): FieldSet {
  switch (kindOf(type, value)) {
    case MAP: {
      const map = type.map as MapType;
      if (map.atomic) return LEAF;
      return typeof value === 'object' && value !== null ? setOfMap(value as JsonObject, map) : EMPTY_SET;
    }
    case LIST: {
      const list = type.list as ListType;
      if (list.relation === 'atomic') return LEAF;
      return Array.isArray(value) ? setOfList(value, list) : EMPTY_SET;
    }
    default:
      return LEAF;
  }
}

function setOfMap(object: JsonObject, type: MapType): FieldSet {
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const key in object) {
    const value = object[key] as JsonValue;
    const field = type.fields.get(key);
    const below = field?.type ?? type.values;
    let child = below === undefined ? LEAF : setOf(value, below);
    if (field === undefined || isHollow(value)) child = asMember(child);
    else if (child === EMPTY_SET) continue;
    elements.push(key);
    children.push(child);
  }
  return createFieldSet(false, elements, children);
}

/** Whether a value is null or the empty object. No path below such a value is in a set, so its own path is. */
function isHollow(value: JsonValue): boolean {
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  for (const _ in value) return false;
  return true;
}

function setOfList(items: JsonArray, type: ListType): FieldSet {
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  const duplicates = duplicatesOf(items, type);
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as JsonValue;
    if (duplicates !== undefined && !duplicates.firsts[i]) continue;
    elements.push(itemElement(type, item));
    children.push(duplicates?.repeated[i] === true ? LEAF : asMember(setOf(item, type.items)));
  }
  return createFieldSet(false, elements, children);
}

interface Duplicates {
  /** For each item: whether no item with its key precedes it. */
  readonly firsts: readonly boolean[];
  /** For each item: whether another item has its key. */
  readonly repeated: readonly boolean[];
}

/**
 * Finds items that share a key. Such items are owned together, and no path below them is owned. Undefined if there are
 * none.
 */
function duplicatesOf(items: JsonArray, type: ListType): Duplicates | undefined {
  if (items.length < 2) return undefined;
  const read = itemKeys(type, items);
  if (!read.ok) return undefined;
  const index = new KeyIndex(read.keys);
  const repeated = index.duplicates();
  if (repeated === undefined) return undefined;
  return {
    firsts: read.keys.map((key, i) => index.find(key) === i),
    repeated: read.keys.map((key) => repeated.has(key)),
  };
}
