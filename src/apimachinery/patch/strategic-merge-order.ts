/**
 * The order of merged lists. Elements that the patch names come in its order, the others keep theirs, and both are
 * interleaved by the order of the live list. Invariant: no element is lost or added. Every function is linear except
 * for sorting.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { getField, isJsonObject } from '../../base/json-value.ts';
import { decodedType, formatDecoded } from '../go-decoded.ts';
import { DIRECTIVE, isDeletion } from './strategic-merge-directives.ts';
import type { MergeRun } from './strategic-merge-run.ts';
import { LIST_OF_LISTS } from './strategic-merge-run.ts';

export type ElementKind = 'map' | 'scalar';

/** How elements are identified: by the value of the merge key or, without one, by themselves. */
export interface ElementKey {
  readonly kind: ElementKind;
  readonly mergeKey: string;
}

/** The common type of the elements of all lists. They must not be empty, mixed, or lists of lists. */
export function elementKind(run: MergeRun, ...lists: readonly JsonArray[]): ElementKind | undefined {
  let type: string | undefined;
  for (const list of lists) {
    if (!run.spend(list.length)) return undefined;
    for (const item of list) {
      const own = decodedType(item);
      if (type === undefined && own === '[]interface {}') return run.fail(LIST_OF_LISTS);
      type ??= own;
      // The reference crashes on a null in front.
      if (type !== own || own === 'nil') {
        return run.fail(`list element types are not identical: [${lists.map(formatDecoded).join(' ')}]`);
      }
    }
  }
  if (type === undefined) return run.fail('no elements in any of the given slices');
  return type === 'map[string]interface {}' ? 'map' : 'scalar';
}

function keyOf(item: JsonValue, { kind, mergeKey }: ElementKey): JsonValue {
  if (kind === 'scalar') return item;
  return isJsonObject(item) ? (getField(item, mergeKey) ?? null) : null;
}

/** The first position of each element. Merge key values that are objects or lists never compare equal. */
function positions(list: JsonArray, key: ElementKey): Map<JsonValue, number> {
  const index = new Map<JsonValue, number>();
  for (const [i, item] of list.entries()) {
    const value = keyOf(item, key);
    if (!index.has(value)) index.set(value, i);
  }
  return index;
}

/** Splits scalars into those that the list names and the others. */
export function partitionScalars(list: JsonArray, named: JsonArray): [JsonArray, JsonArray] {
  const names = new Set(named);
  return [list.filter((item) => names.has(item)), list.filter((item) => !names.has(item))];
}

/** Splits objects into those whose merge key value occurs in the list and the others. */
export function partitionMaps(
  run: MergeRun,
  list: JsonArray,
  named: JsonArray,
  mergeKey: string,
): [JsonArray, JsonArray] | undefined {
  if (!run.spend(list.length + named.length)) return undefined;
  const find = createFinder(run, named, mergeKey);
  const present: JsonArray = [];
  const absent: JsonArray = [];
  for (const item of list) {
    if (!isJsonObject(item)) return run.failType('map', item);
    const value = getField(item, mergeKey);
    if (value === undefined) return run.failNoMergeKey(item, mergeKey);
    const at = find(value);
    if (at === undefined) return undefined;
    (at < 0 ? absent : present).push(item);
  }
  return [present, absent];
}

/**
 * Looks up merge key values. Returns -1 for none, or undefined, with the failure set, if an element that is not an
 * object comes first.
 */
function createFinder(run: MergeRun, list: JsonArray, mergeKey: string): (value: JsonValue) => number | undefined {
  const index = new Map<JsonValue, number>();
  let stop = list.length;
  for (const [i, item] of list.entries()) {
    if (!isJsonObject(item)) {
      stop = i;
      break;
    }
    const value = getField(item, mergeKey);
    if (value !== undefined && !index.has(value)) index.set(value, i);
  }
  return (value) => {
    const at = index.get(value) ?? -1;
    return at < 0 && stop < list.length ? run.fail(`value for key ${stop} is not a map`) : at;
  };
}

function checkMergeKeys(run: MergeRun, mergeKey: string, ...lists: readonly JsonArray[]): true | undefined {
  for (const list of lists) {
    for (const item of list) {
      if (!isJsonObject(item)) return run.failType('map', item);
      if (!Object.hasOwn(item, mergeKey)) return run.failNoMergeKey(item, mergeKey);
    }
  }
  return true;
}

/** The list in the given order. Elements marked for deletion come last. */
function sortByOrder(run: MergeRun, list: JsonArray, order: JsonArray, key: ElementKey): JsonArray | undefined {
  if (!run.spend(list.length + order.length)) return undefined;
  let deletions: JsonArray = [];
  if (key.kind === 'map') {
    if (!checkMergeKeys(run, key.mergeKey, list, order)) return undefined;
    deletions = list.filter((item) => isDeletion(item as JsonObject));
    if (deletions.length > 0) list = list.filter((item) => !isDeletion(item as JsonObject));
  }
  const index = positions(order, key);
  const ranked = list.map((item) => ({ item, rank: index.get(keyOf(item, key)) }));
  sortStable(ranked);
  return [...ranked.map(({ item }) => item), ...deletions];
}

interface Ranked {
  readonly item: JsonValue;
  readonly rank: number | undefined;
}

/**
 * Sorts by rank. An element without a rank precedes everything it is compared with, so its place depends on the
 * algorithm. Up to 20 elements are sorted by insertion, as Go's library does. Longer lists with such elements may be
 * ordered differently than in the reference.
 */
function sortStable(list: Ranked[]): void {
  const less = (a: Ranked, b: Ranked): boolean => a.rank === undefined || b.rank === undefined || a.rank < b.rank;
  if (list.length > 20) {
    list.sort((a, b) => (a.rank ?? -1) - (b.rank ?? -1));
    return;
  }
  for (let i = 1; i < list.length; i++) {
    for (let j = i; j > 0 && less(list[j] as Ranked, list[j - 1] as Ranked); j--) {
      const lower = list[j] as Ranked;
      list[j] = list[j - 1] as Ranked;
      list[j - 1] = lower;
    }
  }
}

/** Sorts the named elements by the patch and the others by the live list, then interleaves them. */
export function mergeOrder(
  run: MergeRun,
  parts: { readonly named: JsonArray; readonly others: JsonArray; readonly order: JsonArray; readonly live: JsonArray },
  key: ElementKey,
): JsonArray | undefined {
  const named = sortByOrder(run, parts.named, parts.order, key);
  if (named === undefined) return undefined;
  const others = sortByOrder(run, parts.others, parts.live, key);
  if (others === undefined) return undefined;
  const index = positions(parts.live, key);
  const merged: JsonArray = [];
  let at = 0;
  for (const item of named) {
    const rank = index.get(keyOf(item, key));
    while (rank !== undefined && at < others.length) {
      const other = index.get(keyOf(others[at] as JsonValue, key));
      if (other === undefined || other >= rank) break;
      merged.push(others[at++] as JsonValue);
    }
    merged.push(item);
  }
  while (at < others.length) merged.push(others[at++] as JsonValue);
  return merged;
}

/**
 * Checks that the elements of a patch list, except deletions, occur in its `$setElementOrder` list in the same order.
 */
export function checkElementOrder(
  run: MergeRun,
  patch: JsonArray,
  order: JsonArray,
  mergeKey: string,
): true | undefined {
  if (patch.length === 0 || order.length === 0) return true;
  if (!run.spend(patch.length + order.length)) return undefined;
  let rest = patch;
  if (mergeKey !== '') {
    const strange = patch.find((item) => !isJsonObject(item));
    if (strange !== undefined) return run.failType('map', strange);
    rest = patch.filter((item) => !isDeletion(item as JsonObject));
  }
  let at = 0;
  let orderAt = 0;
  while (at < rest.length && orderAt < order.length) {
    const item = rest[at] as JsonValue;
    if (isJsonObject(item) && Object.hasOwn(item, DIRECTIVE)) {
      at++;
      continue;
    }
    const same = sameElement(run, item, order[orderAt] as JsonValue, mergeKey);
    if (same === undefined) return undefined;
    if (same) at++;
    orderAt++;
  }
  if (at >= rest.length) return true;
  return run.fail(
    `The order in patch list:\n${formatDecoded(patch)}\n doesn't match $setElementOrder list:\n${formatDecoded(order)}\n`,
  );
}

function sameElement(run: MergeRun, left: JsonValue, right: JsonValue, mergeKey: string): boolean | undefined {
  if (mergeKey === '') return left === right;
  if (!isJsonObject(left)) return run.failType('map', left);
  if (!isJsonObject(right)) return run.failType('map', right);
  const leftKey = getField(left, mergeKey);
  if (leftKey === undefined) return run.failNoMergeKey(left, mergeKey);
  const rightKey = getField(right, mergeKey);
  if (rightKey === undefined) return run.failNoMergeKey(right, mergeKey);
  return leftKey === rightKey;
}
