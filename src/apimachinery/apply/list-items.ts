/**
 * Identity of list items: the keys by which two lists are matched, and the path elements that name items in field sets.
 */
import { getField, isJsonObject, type JsonArray, type JsonValue } from '../../base/json-value.ts';
import { KeyElement, type PathElement, ValueElement } from '../field-set/path-element.ts';
import { formatJson, quoteList } from '../go-format.ts';
import type { ListType } from './merge-type.ts';

/**
 * The key by which items of an associative list are matched; two items are the same item if their keys are `===`. A key
 * is cheaper than a path element. It is the item itself in a set, the value of the key field if a list has one key
 * field, and a string of all key values otherwise.
 */
export type ItemKey = string | number | bigint | boolean;

/** The keys of all items, or the index of the first item without a key and the reason. */
export type ItemKeys =
  | { readonly ok: true; readonly keys: readonly ItemKey[] }
  | { readonly ok: false; readonly index: number; readonly message: string };

export function itemKeys(type: ListType, items: JsonArray): ItemKeys {
  const keys: ItemKey[] = [];
  for (let index = 0; index < items.length; index++) {
    const key = itemKey(type, items[index] as JsonValue);
    if (key === undefined) return { ok: false, index, message: itemProblem(type, items[index] as JsonValue) };
    keys.push(key);
  }
  return { ok: true, keys };
}

/** Returns the key of an item; undefined if it has none, for the reason that `itemProblem` returns. */
export function itemKey(type: ListType, item: JsonValue): ItemKey | undefined {
  if (type.relation === 'set') return typeof item === 'object' ? undefined : item;
  if (!isJsonObject(item)) return undefined;
  const { keys } = type;
  if (keys.length === 1) {
    const value = keyValue(type, item, keys[0] as string);
    return value === undefined ? undefined : singleKey(value);
  }
  let text = '';
  let isKeyed = false;
  for (const name of keys) {
    const value = keyValue(type, item, name);
    if (value !== undefined) isKeyed = true;
    text += value === undefined ? '-' : typeof value === 'string' ? `"${value.length}:${value}` : formatJson(value);
    text += ',';
  }
  return isKeyed ? text : undefined;
}

function keyValue(type: ListType, item: JsonValue, name: string): JsonValue | undefined {
  return getField(item as Record<string, JsonValue>, name) ?? missingKey(type, item, name);
}

/** Returns the value of a key field that is null or absent. Null stays null; only an absent field gets its default. */
function missingKey(type: ListType, item: JsonValue, name: string): JsonValue | undefined {
  return Object.hasOwn(item as Record<string, JsonValue>, name) ? null : type.keyDefault(name);
}

/**
 * Returns the key of an item with one key field. A string is its own key. Null, objects and lists become strings that
 * begin with NUL; a string that begins with NUL is escaped, so that it equals none of them.
 */
function singleKey(value: JsonValue): ItemKey {
  if (typeof value === 'string') return value.startsWith('\u0000') ? `\u0000"${value}` : value;
  return typeof value === 'object' ? `\u0000${formatJson(value)}` : value;
}

/** Returns the reason why an item has no key. */
export function itemProblem(type: ListType, item: JsonValue): string {
  if (type.relation === 'set') {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    return Array.isArray(item)
      ? 'not supported: associative list with lists as elements'
      : "associative list without keys has an element that's a map type";
  }
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isJsonObject(item)) return 'associative list with keys may not have non-map elements';
  return `associative list with keys has an element that omits all key fields ${quoteList(type.keys)} (and doesn't have default values for any key fields)`;
}

/**
 * Returns the path element of an item that has a key. Leaves out key fields that the item lacks and that have no
 * default.
 */
export function itemElement(type: ListType, item: JsonValue): PathElement {
  if (type.relation === 'set') return new ValueElement(item);
  const names: string[] = [];
  const values: JsonValue[] = [];
  for (const name of type.sortedKeys) {
    const value = keyValue(type, item, name);
    if (value === undefined) continue;
    names.push(name);
    values.push(value);
  }
  return new KeyElement(names, values);
}

/** KeyIndex searches lists up to this length linearly. */
const SHORT = 12;

/** Finds the items of a list by key. Long lists get a Map. */
export class KeyIndex {
  readonly keys: readonly ItemKey[];
  readonly #positions: ReadonlyMap<ItemKey, number> | undefined;

  constructor(keys: readonly ItemKey[]) {
    this.keys = keys;
    this.#positions = keys.length <= SHORT ? undefined : firstPositions(keys);
  }

  /** Returns the position of the first item with the key; -1 if there is none. */
  find(key: ItemKey): number {
    return this.#positions === undefined ? this.keys.indexOf(key) : (this.#positions.get(key) ?? -1);
  }

  /** Returns the keys that more than one item has. Undefined if there are none, which is the usual case. */
  duplicates(): Set<ItemKey> | undefined {
    let found: Set<ItemKey> | undefined;
    for (let i = 0; i < this.keys.length; i++) {
      const key = this.keys[i] as ItemKey;
      if (this.find(key) === i) continue;
      found ??= new Set();
      found.add(key);
    }
    return found;
  }
}

function firstPositions(keys: readonly ItemKey[]): ReadonlyMap<ItemKey, number> {
  const positions = new Map<ItemKey, number>();
  for (let i = keys.length - 1; i >= 0; i--) positions.set(keys[i] as ItemKey, i);
  return positions;
}
