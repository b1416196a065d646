/**
 * Comparison of two objects of one type: the fields that the second adds, changes and removes. Subtrees that the
 * objects share are not visited, so comparing an object with the result of a merge costs as much as the merge changed.
 */
import { equalJson, type JsonArray, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { createFieldSet, EMPTY_SET, type FieldSet, LEAF } from '../field-set/field-set.ts';
import type { PathElement } from '../field-set/path-element.ts';
import { union } from '../field-set/set-algebra.ts';
import { type ItemKey, itemElement, itemKeys, KeyIndex } from './list-items.ts';
import { kindOf, LIST, type ListType, MAP, type MapType, type MergeType, type ValueKind } from './merge-type.ts';

/**
 * The changes from one object to another. A path is in at most one of the sets, unless a value changes its kind, such
 * as from a map to a list.
 */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

export const NO_CHANGES: Comparison = { removed: EMPTY_SET, modified: EMPTY_SET, added: EMPTY_SET };

export function isSame({ removed, modified, added }: Comparison): boolean {
  return removed.isEmpty && modified.isEmpty && added.isEmpty;
}

/** Returns the changes from `left` to `right`. Both values must have the type; duplicate items are allowed. */
export function compareTyped(left: JsonValue, right: JsonValue, type: MergeType): Comparison {
  const changes = compare(left, right, type) ?? NO_CHANGES;
  // A root that changes as a whole has no path, so the sets cannot contain it.
  return changes.modified.isMember ? { ...changes, modified: EMPTY_SET } : changes;
}

/**
 * Returns the paths that `right` changes or adds. If the root changes as a whole, the returned set is a member itself.
 */
export function writtenPaths(left: JsonValue, right: JsonValue, type: MergeType): FieldSet {
  const changes = compare(left, right, type);
  return changes === undefined ? EMPTY_SET : union(changes.modified, changes.added);
}

/** The changes below one path. Undefined if no field changes, which is the usual case. */
type Changes = Comparison | undefined;

const MODIFIED: Comparison = { removed: EMPTY_SET, modified: LEAF, added: EMPTY_SET };

function compare(left: JsonValue, right: JsonValue, type: MergeType): Changes {
  if (left === right) return undefined;
  const kind = kindOf(type, right);
  const changes = compareAs(kind, left, right, type);
  const leftKind = kindOf(type, left);
  // A value that changes its kind loses the paths of the old kind and gains those of the new one.
  return leftKind === kind ? changes : join(compareAs(leftKind, left, right, type), changes);
}

function compareAs(kind: ValueKind, left: JsonValue, right: JsonValue, type: MergeType): Changes {
  switch (kind) {
    case MAP:
      return compareMaps(left, right, type.map as MapType);
    case LIST:
      return compareLists(left, right, type.list as ListType);
    default:
      return compareLeaves(left, right);
  }
}

function compareLeaves(left: JsonValue, right: JsonValue): Changes {
  return equalJson(left, right) ? undefined : MODIFIED;
}

function join(a: Changes, b: Changes): Changes {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    removed: union(a.removed, b.removed),
    modified: union(a.modified, b.modified),
    added: union(a.added, b.added),
  };
}

const NOTHING: JsonObject = {};

/** Two maps without entries can differ only as null and the empty object do: they are compared as leaves. */
function compareMaps(left: JsonValue, right: JsonValue, type: MapType): Changes {
  const before = asObject(left);
  const after = asObject(right);
  if (type.atomic || (isEmptyObject(before) && isEmptyObject(after))) return compareLeaves(left, right);
  let changes: ChangesBuilder | undefined;
  for (const key in before) {
    const child = before[key] as JsonValue;
    const other = Object.hasOwn(after, key) ? (after[key] as JsonValue) : undefined;
    if (child === other) continue;
    const below = type.typeOf(key);
    if (below === undefined) continue;
    if (other === undefined) {
      changes ??= new ChangesBuilder();
      changes.remove(key, everyPath(child, below));
      continue;
    }
    const found = compare(child, other, below);
    if (found === undefined) continue;
    changes ??= new ChangesBuilder();
    changes.add(key, found);
  }
  for (const key in after) {
    if (Object.hasOwn(before, key)) continue;
    const below = type.typeOf(key);
    if (below === undefined) continue;
    changes ??= new ChangesBuilder();
    changes.insert(key, everyPath(after[key] as JsonValue, below));
  }
  return changes?.build();
}

function asObject(value: JsonValue): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : NOTHING;
}

function isEmptyObject(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

const NO_ITEMS: JsonArray = [];

function compareLists(left: JsonValue, right: JsonValue, type: ListType): Changes {
  const before = Array.isArray(left) ? left : NO_ITEMS;
  const after = Array.isArray(right) ? right : NO_ITEMS;
  if (type.relation === 'atomic' || (before.length === 0 && after.length === 0)) return compareLeaves(left, right);
  const [leftKeys, rightKeys] = [itemKeys(type, before), itemKeys(type, after)];
  if (!leftKeys.ok || !rightKeys.ok) return compareLeaves(left, right);
  const [leftIndex, rightIndex] = [new KeyIndex(leftKeys.keys), new KeyIndex(rightKeys.keys)];
  const [leftTwice, rightTwice] = [leftIndex.duplicates(), rightIndex.duplicates()];
  let leftGroups: ReadonlyMap<ItemKey, JsonArray> | undefined;
  let rightGroups: ReadonlyMap<ItemKey, JsonArray> | undefined;
  const changes = new ChangesBuilder();
  for (let i = 0; i < before.length; i++) {
    const key = leftIndex.keys[i] as ItemKey;
    const item = before[i] as JsonValue;
    if (leftTwice?.has(key) === true || rightTwice?.has(key) === true) {
      if (leftIndex.find(key) === i) {
        leftGroups ??= groupItems(before, leftIndex.keys);
        rightGroups ??= groupItems(after, rightIndex.keys);
        const sides = [leftGroups.get(key) ?? NO_ITEMS, rightGroups.get(key) ?? NO_ITEMS] as const;
        compareDuplicates(changes, type, itemElement(type, item), sides);
      }
      continue;
    }
    const at = rightIndex.find(key);
    if (at < 0) changes.remove(itemElement(type, item), everyPath(item, type.items));
    else {
      const found = compare(item, after[at] as JsonValue, type.items);
      if (found !== undefined) changes.add(itemElement(type, item), found);
    }
  }
  for (let i = 0; i < after.length; i++) {
    const key = rightIndex.keys[i] as ItemKey;
    if (leftIndex.find(key) >= 0 || rightIndex.find(key) !== i) continue;
    const item = after[i] as JsonValue;
    changes.insert(itemElement(type, item), rightTwice?.has(key) === true ? LEAF : everyPath(item, type.items));
  }
  return changes.build();
}

function groupItems(items: JsonArray, keys: readonly ItemKey[]): ReadonlyMap<ItemKey, JsonArray> {
  const groups = new Map<ItemKey, JsonArray>();
  for (let i = 0; i < items.length; i++) {
    const group = groups.get(keys[i] as ItemKey);
    if (group === undefined) groups.set(keys[i] as ItemKey, [items[i] as JsonValue]);
    else group.push(items[i] as JsonValue);
  }
  return groups;
}

/** Items that share a key are one value; when they become a single item, that item is new, and the other way round. */
function compareDuplicates(
  changes: ChangesBuilder,
  type: ListType,
  element: PathElement,
  [before, after]: readonly [JsonArray, JsonArray],
): void {
  if (before.length >= 2 && after.length >= 2) {
    if (!equalJson(before, after)) changes.add(element, MODIFIED);
  } else if (before.length >= 2) {
    changes.remove(element, LEAF);
    if (after.length === 1) changes.insert(element, everyPath(after[0] as JsonValue, type.items));
  } else {
    changes.insert(element, LEAF);
    changes.remove(element, everyPath(before[0] as JsonValue, type.items));
  }
}

/** Returns the paths that appear or disappear with a value: its own path and all paths below it. */
export function everyPath(value: JsonValue, type: MergeType): FieldSet {
  switch (kindOf(type, value)) {
    case MAP:
      return everyField(asObject(value), type.map as MapType);
    case LIST:
      return everyItem(Array.isArray(value) ? value : NO_ITEMS, type.list as ListType);
    default:
      return LEAF;
  }
}

function everyField(object: JsonObject, type: MapType): FieldSet {
  if (type.atomic) return LEAF;
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (const key in object) {
    const below = type.typeOf(key);
    if (below === undefined) continue;
    elements.push(key);
    children.push(everyPath(object[key] as JsonValue, below));
  }
  return createFieldSet(true, elements, children);
}

function everyItem(items: JsonArray, type: ListType): FieldSet {
  if (type.relation === 'atomic' || items.length === 0) return LEAF;
  const read = itemKeys(type, items);
  if (!read.ok) return LEAF;
  const index = new KeyIndex(read.keys);
  const repeated = index.duplicates();
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  for (let i = 0; i < items.length; i++) {
    const key = read.keys[i] as ItemKey;
    const item = items[i] as JsonValue;
    if (repeated !== undefined && index.find(key) !== i) continue;
    elements.push(itemElement(type, item));
    children.push(repeated?.has(key) === true ? LEAF : everyPath(item, type.items));
  }
  return createFieldSet(true, elements, children);
}

/** The changes below one path, collected in any order. */
class ChangesBuilder {
  readonly #removed = new SetBuilder();
  readonly #modified = new SetBuilder();
  readonly #added = new SetBuilder();

  remove(element: PathElement, set: FieldSet): void {
    this.#removed.add(element, set);
  }

  insert(element: PathElement, set: FieldSet): void {
    this.#added.add(element, set);
  }

  add(element: PathElement, { removed, modified, added }: Comparison): void {
    if (removed !== EMPTY_SET) this.#removed.add(element, removed);
    if (modified !== EMPTY_SET) this.#modified.add(element, modified);
    if (added !== EMPTY_SET) this.#added.add(element, added);
  }

  build(): Changes {
    const [removed, modified, added] = [this.#removed.build(), this.#modified.build(), this.#added.build()];
    if (removed === EMPTY_SET && modified === EMPTY_SET && added === EMPTY_SET) return undefined;
    return { removed, modified, added };
  }
}

class SetBuilder {
  #elements: PathElement[] | undefined;
  #children: FieldSet[] | undefined;

  add(element: PathElement, set: FieldSet): void {
    if (this.#elements === undefined) {
      this.#elements = [element];
      this.#children = [set];
      return;
    }
    this.#elements.push(element);
    (this.#children as FieldSet[]).push(set);
  }

  build(): FieldSet {
    return this.#elements === undefined
      ? EMPTY_SET
      : createFieldSet(false, this.#elements, this.#children as FieldSet[]);
  }
}
