/**
 * Constructors of facts.
 * Invariant: a string map made here inherits no property, so a lookup by any label key is safe.
 */
import type { Facts, StringMap } from './cache.ts';

// A class without a prototype chain, because V8 gives its instances hidden classes; Object.create(null) would make a
// hash table of each object.
class BareMap {
  [key: string]: string;
}
Object.setPrototypeOf(BareMap.prototype, null);
Reflect.deleteProperty(BareMap.prototype, 'constructor');

export function makeStringMap(pairs: Iterable<readonly [string, string]>): StringMap {
  const map = new BareMap();
  for (const [key, value] of pairs) map[key] = value;
  return map;
}

export const EMPTY_STRING_MAP: StringMap = new BareMap();
export const EMPTY_FACTS: Facts = { labels: EMPTY_STRING_MAP, fields: EMPTY_STRING_MAP, hash: 0 };
