/**
 * The fields that the creator of an object owns, computed in one walk. Invariant: the result is the FieldsV1 of what
 * the updater finds when it compares the new object with the zero value of its kind.
 */
import { getField, type JsonArray, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { sortUtf8 } from '../../base/utf8.ts';
import { everyPath, writtenPaths } from '../apply/comparison.ts';
import { itemElement, itemKeys, KeyIndex } from '../apply/list-items.ts';
import { kindOf, LIST, type ListType, MAP, type MapType, type MergeType } from '../apply/merge-type.ts';
import { writeFieldsV1 } from '../field-set/fields-v1.ts';
import { compareElements, type PathElement } from '../field-set/path-element.ts';
import { FieldsBuilder, LEAF_FIELDS, type ShapedFields } from './fields-shape.ts';
import { STRIPPED_METADATA } from './strip-meta.ts';

export interface CreatedFieldsOptions {
  /** The object before the create. */
  readonly zero: JsonObject;
  readonly type: MergeType;
  /** Fields of the root that the strategy resets. */
  readonly reset: readonly string[];
}

/**
 * Returns the FieldsV1 of the creator; undefined if it owns nothing. The object must have the type; duplicates are
 * allowed. The result must not be modified.
 */
export function createdFields(
  object: JsonObject,
  { zero, type, reset }: CreatedFieldsOptions,
): ShapedFields | undefined {
  if (!isMap(object, type)) return undefined;
  const map = type.map as MapType;
  const out = new FieldsBuilder('map');
  for (const name of namesIn(object, map)) {
    const value = getField(object, name);
    if (value === undefined || name === 'apiVersion' || name === 'kind' || reset.includes(name)) continue;
    const below = map.typeOf(name);
    if (below === undefined) continue;
    const fields =
      name === 'metadata'
        ? metadataFields(value, below, getField(zero, name))
        : addedFields(value, below, getField(zero, name));
    if (fields !== undefined) out.add(name, fields);
  }
  return out.isEmpty ? undefined : out.build();
}

/** Returns the fields of metadata. Fields that the server sets, and `metadata` itself, belong to no manager. */
function metadataFields(value: JsonValue, type: MergeType, zero: JsonValue | undefined): ShapedFields | undefined {
  if (!isMap(value, type)) return undefined;
  const before = isMap(zero, type) ? zero : NOTHING;
  const out = new FieldsBuilder('map');
  for (const name of ownableNames(value, type.map as MapType)) {
    const field = getField(value, name);
    if (field === undefined) continue;
    const below = (type.map as MapType).typeOf(name);
    if (below === undefined) continue;
    const fields = addedFields(field, below, getField(before, name));
    if (fields !== undefined) out.add(name, fields);
  }
  return out.isEmpty ? undefined : out.build();
}

const NOTHING: JsonObject = {};

const ownable = new WeakMap<MapType, readonly string[]>();

/** The names of metadata that a manager may own, in the order of FieldsV1. */
function ownableNames(metadata: JsonObject, type: MapType): readonly string[] {
  const known = ownable.get(type);
  if (known !== undefined) return known;
  const names = namesIn(metadata, type).filter((name) => !STRIPPED_METADATA.has(name));
  if (type.sortedNames !== undefined) ownable.set(type, names);
  return names;
}

/**
 * Returns the fields of a value that replaces `zero`; undefined if there are none. `zero` is undefined if there was no
 * value.
 */
function addedFields(value: JsonValue, type: MergeType, zero: JsonValue | undefined): ShapedFields | undefined {
  if (zero === undefined) return allFields(value, type);
  if (isMap(value, type) && isMap(zero, type)) return changedFields(value, type.map as MapType, zero);
  const written = writtenPaths(zero, value, type);
  if (written.isEmpty) return undefined;
  return written.isLeaf ? LEAF_FIELDS : { fields: writeFieldsV1(written), isShared: false };
}

function changedFields(object: JsonObject, type: MapType, zero: JsonObject): ShapedFields | undefined {
  const out = new FieldsBuilder('map');
  for (const name of namesIn(object, type)) {
    const value = getField(object, name);
    const below = value === undefined ? undefined : type.typeOf(name);
    if (value === undefined || below === undefined) continue;
    const fields = addedFields(value, below, getField(zero, name));
    if (fields !== undefined) out.add(name, fields);
  }
  return out.isEmpty ? undefined : out.build();
}

/** Returns the fields of a new value. */
function allFields(value: JsonValue, type: MergeType): ShapedFields {
  if (typeof value !== 'object' || value === null) return LEAF_FIELDS;
  switch (kindOf(type, value)) {
    case MAP:
      return Array.isArray(value) ? LEAF_FIELDS : mapFields(value, type.map as MapType);
    case LIST:
      return Array.isArray(value) ? listFields(value, type.list as ListType, type) : LEAF_FIELDS;
    default:
      return LEAF_FIELDS;
  }
}

function mapFields(object: JsonObject, type: MapType): ShapedFields {
  if (type.atomic) return LEAF_FIELDS;
  const out = new FieldsBuilder('newMap');
  const { values } = type;
  if (values !== undefined && type.fields.size === 0 && values.map === undefined && values.list === undefined) {
    for (const name of sortedKeys(object)) out.add(name, LEAF_FIELDS);
    return out.build();
  }
  for (const name of namesIn(object, type)) {
    const value = getField(object, name);
    const below = value === undefined ? undefined : type.typeOf(name);
    if (value !== undefined && below !== undefined) out.add(name, allFields(value, below));
  }
  return out.build();
}

function listFields(items: JsonArray, type: ListType, whole: MergeType): ShapedFields {
  if (type.relation === 'atomic' || items.length === 0) return LEAF_FIELDS;
  const read = itemKeys(type, items);
  if (!read.ok) return LEAF_FIELDS;
  if (items.length > 1 && new KeyIndex(read.keys).duplicates() !== undefined)
    return { fields: writeFieldsV1(everyPath(items, whole)), isShared: false };
  const out = new FieldsBuilder('newList');
  for (const { element, item } of sortedItems(items, type)) out.add(element, allFields(item, type.items));
  return out.build();
}

interface ElementOfItem {
  readonly element: PathElement;
  readonly item: JsonValue;
}

function sortedItems(items: JsonArray, type: ListType): readonly ElementOfItem[] {
  const all = items.map((item) => ({ element: itemElement(type, item), item }));
  return all.length < 2 ? all : all.sort((a, b) => compareElements(a.element, b.element));
}

function isMap(value: JsonValue | undefined, type: MergeType): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return type.map !== undefined && !type.map.atomic;
}

/** The names in the order of FieldsV1, of which the object may have only some. */
function namesIn(object: JsonObject, type: MapType): readonly string[] {
  return type.sortedNames ?? sortedKeys(object);
}

/** Maps of normalized objects are in order already. */
function sortedKeys(object: JsonObject): readonly string[] {
  const names = Object.keys(object);
  sortUtf8(names);
  return names;
}
