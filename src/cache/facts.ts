/** Facts as values. Invariant: a string map made here has no inherited property at all, so a lookup by any label key is safe. */
import type { Facts, StringMap } from './cache.ts';

// Instances are ordinary fast objects (Object.create(null) would make a hash table of each), and their prototype chain is empty.
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
