/** Items of a list that is a map, found by their keys. Invariant: the first of several with the same keys counts, as in the reference. */
import { getField, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { StructuralSchema } from '../structural/structural.ts';

/** Finds the item of a list that has the same keys as another; nothing in a list that is not a map. The list is indexed when it is first asked. */
export function itemsByKey(
  { type, listType, listMapKeys: keys }: StructuralSchema,
  list: JsonArray,
): (item: JsonValue) => JsonObject | undefined {
  if (type !== 'array' || listType !== 'map' || keys.length === 0) return () => undefined;
  let byKey: ReadonlyMap<string, JsonObject> | undefined;
  return (item) => {
    const key = keyOf(item, keys);
    if (key === undefined) return undefined;
    byKey ??= indexItems(list, keys);
    return byKey.get(key);
  };
}

function indexItems(list: JsonArray, keys: readonly string[]): ReadonlyMap<string, JsonObject> {
  const byKey = new Map<string, JsonObject>();
  for (const item of list) {
    const key = keyOf(item, keys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item as JsonObject);
  }
  return byKey;
}

/** Undefined unless all keys are there and scalar. */
function keyOf(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  let key = '';
  for (const name of keys) {
    const value = getField(item, name);
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    key += `${typeof value === 'string' ? JSON.stringify(value) : String(value)},`;
  }
  return key;
}
