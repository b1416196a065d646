/**
 * The merge of a configuration into an object. Nothing is removed; where both have a leaf, the value of the
 * configuration wins. The result shares every subtree that the merge does not change, and is the object itself if
 * nothing changes.
 */
import {
  equalJson,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setField,
} from '../../base/json-value.ts';
import { type ItemKey, itemKeys, KeyIndex } from './list-items.ts';
import { kindOf, LIST, type ListType, MAP, type MapType, type MergeType } from './merge-type.ts';

/**
 * Returns the merged value. Both values must have the type. The object may have duplicate items in associative lists,
 * the configuration must not.
 */
export function mergeTyped(object: JsonValue, config: JsonValue, type: MergeType): JsonValue {
  if (object === config) return object;
  switch (kindOf(type, config)) {
    case MAP:
      return mergeMaps(object, config, type.map as MapType);
    case LIST:
      return mergeLists(object, config, type.list as ListType);
    default:
      return keepEqual(object, config);
  }
}

function keepEqual(object: JsonValue, config: JsonValue): JsonValue {
  return equalJson(object, config) ? object : config;
}

/**
 * Null merges like an object without entries. If neither side has entries, null and `{}` are different values, and the
 * value of the configuration wins.
 */
function mergeMaps(object: JsonValue, config: JsonValue, type: MapType): JsonValue {
  const before = isJsonObject(object) ? object : undefined;
  const after = isJsonObject(config) ? config : undefined;
  if (type.atomic || (isHollow(before) && isHollow(after))) return keepEqual(object, config);
  if (before === undefined) return config;
  let merged = before;
  for (const key in after) {
    const value = after[key] as JsonValue;
    const known = Object.hasOwn(before, key) ? (before[key] as JsonValue) : undefined;
    const below = type.typeOf(key);
    const result = known === undefined || below === undefined ? value : mergeTyped(known, value, below);
    if (result === known) continue;
    if (merged === before) merged = { ...before };
    setField(merged, key, result);
  }
  return merged;
}

function isHollow(object: JsonObject | undefined): boolean {
  for (const _ in object) return false;
  return true;
}

function mergeLists(object: JsonValue, config: JsonValue, type: ListType): JsonValue {
  const before = Array.isArray(object) ? object : undefined;
  const after = Array.isArray(config) ? config : undefined;
  const isHollow = (before?.length ?? 0) === 0 && (after?.length ?? 0) === 0;
  if (type.relation === 'atomic' || isHollow) return keepEqual(object, config);
  if (before === undefined) return config;
  if (after === undefined || after.length === 0) return before;
  const [beforeKeys, afterKeys] = [itemKeys(type, before), itemKeys(type, after)];
  if (!beforeKeys.ok || !afterKeys.ok) return config;
  // Usually an applier sends the items that exist, in their order.
  const merged = sameItems(beforeKeys.keys, afterKeys.keys)
    ? after.map((item, i) => mergeTyped(before[i] as JsonValue, item, type.items))
    : new ListMerge(type, [before, after], [beforeKeys.keys, afterKeys.keys]).run();
  return sameItems(merged, before) ? before : merged;
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

/**
 * The order of a merged associative list: items of both lists keep the order of the configuration, and items of the
 * object alone stay behind the items that precede them, as far as that order allows.
 */
class ListMerge {
  readonly #type: ListType;
  readonly #before: JsonArray;
  readonly #after: JsonArray;
  readonly #beforeIndex: KeyIndex;
  readonly #afterIndex: KeyIndex;
  readonly #duplicates: ReadonlySet<ItemKey> | undefined;
  /** Positions in the configuration of items that the object has too, ascending. */
  readonly #shared: readonly number[];
  readonly #isMerged: boolean[];
  readonly #out: JsonArray = [];

  constructor(
    type: ListType,
    [before, after]: readonly [JsonArray, JsonArray],
    [beforeKeys, afterKeys]: readonly [readonly ItemKey[], readonly ItemKey[]],
  ) {
    this.#type = type;
    this.#before = before;
    this.#after = after;
    this.#beforeIndex = new KeyIndex(beforeKeys);
    this.#afterIndex = new KeyIndex(afterKeys);
    this.#duplicates = this.#beforeIndex.duplicates();
    this.#shared = Array.from(afterKeys.keys()).filter((i) => this.#beforeIndex.find(afterKeys[i] as ItemKey) >= 0);
    this.#isMerged = afterKeys.map(() => false);
  }

  run(): JsonArray {
    let next = 0;
    let [left, right] = [0, 0];
    while (left < this.#before.length || right < this.#after.length) {
      // The position in the configuration of the object's item; -1 if only the object has it.
      const match = left < this.#before.length ? this.#matchOf(left) : undefined;
      if (match !== undefined && right < this.#after.length && match >= 0) {
        if (match === right) {
          this.#take(right++);
          left++;
          next++;
          continue;
        }
        if (next < this.#shared.length && this.#shared[next] !== match) {
          left++;
          continue;
        }
      }
      if (match === -1) {
        this.#out.push(this.#before[left++] as JsonValue);
        continue;
      }
      if (match !== undefined && this.#isMerged[match] === true) left++;
      if (right < this.#after.length) {
        if (this.#shared[next] === right) next++;
        this.#take(right++);
      }
    }
    return this.#out;
  }

  #matchOf(left: number): number {
    return this.#afterIndex.find(this.#beforeIndex.keys[left] as ItemKey);
  }

  /** Items that share a key cannot be merged with one: the configuration's item replaces them. */
  #take(right: number): void {
    const key = this.#afterIndex.keys[right] as ItemKey;
    const item = this.#after[right] as JsonValue;
    const at = this.#duplicates?.has(key) === true ? -1 : this.#beforeIndex.find(key);
    this.#isMerged[right] = true;
    this.#out.push(at < 0 ? item : mergeTyped(this.#before[at] as JsonValue, item, this.#type.items));
  }
}
