/**
 * The lookup of items of a map list (`x-kubernetes-list-type: map`) by their keys. Of items with the same keys the
 * first counts, as in kube-apiserver.
 */
import { getField, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { StructuralSchema } from '../structural/structural.ts';

/**
 * Returns a function that finds the item with the same keys as its argument. It finds nothing in a list that is not a
 * map list.
 */
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

/** Undefined unless the item has all keys and they are scalars. */
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
