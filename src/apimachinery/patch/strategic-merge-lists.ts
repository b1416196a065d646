/**
 * Merging of lists in strategic merge. Invariant: the patch is never modified, and the result shares nothing with it.
 * Elements of the original are merged in place; the original array itself is not modified.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { cloneJson, getField } from '../../base/json-value.ts';
import { formatDecoded, formatDecodedText } from '../go-decoded.ts';
import { DIRECTIVE } from './strategic-merge-directives.ts';
import { elementKind, mergeOrder, partitionMaps, partitionScalars } from './strategic-merge-order.ts';
import type { MergeRun } from './strategic-merge-run.ts';
import type { MergeSchema } from './strategic-merge-schema.ts';
import { schemaName } from './strategic-merge-schema.ts';

/** Merges a patch object into an original one. It is a parameter because objects and lists merge each other. */
export type MergeElements = (
  run: MergeRun,
  original: JsonObject,
  patch: JsonObject,
  schema: MergeSchema,
) => JsonObject | undefined;

export interface ListMerge {
  readonly schema: MergeSchema;
  readonly mergeKey: string;
  /** Whether the patch lists scalars to remove (`$deleteFromPrimitiveList`). */
  readonly deleting: boolean;
  readonly mergeElements: MergeElements;
}

export interface MergedList {
  readonly list: JsonArray;
  /**
   * The live list by which `$setElementOrder` orders afterwards. It has as many places as the original; added elements
   * take the places of deleted ones. The reference merges inside the original array, and its order shows that.
   */
  readonly live: JsonArray;
}

export function mergeLists(
  run: MergeRun,
  original: JsonArray,
  patch: JsonArray,
  options: ListMerge,
): MergedList | undefined {
  if (original.length === 0 && patch.length === 0) return { list: original, live: original };
  const kind = elementKind(run, original, patch);
  if (kind === undefined) return undefined;
  const { mergeKey } = options;
  if (kind === 'scalar') {
    if (options.deleting) {
      const removed = new Set(patch);
      return { list: original.filter((item) => !removed.has(item)), live: original };
    }
    const merged = [...new Set([...original, ...patch])];
    const parts = mergeKey === '' ? partitionScalars(merged, patch) : partitionMaps(run, merged, patch, mergeKey);
    if (parts === undefined) return undefined;
    const list = mergeOrder(
      run,
      { named: parts[0], others: parts[1], order: patch, live: original },
      { kind, mergeKey },
    );
    return list && { list, live: original };
  }
  if (mergeKey === '') return run.fail(`cannot merge lists without merge key for ${schemaName(options.schema)}`);
  return mergeMapLists(run, original as JsonObject[], patch as JsonObject[], options);
}

function mergeMapLists(
  run: MergeRun,
  original: JsonObject[],
  patch: JsonObject[],
  options: ListMerge,
): MergedList | undefined {
  const { mergeKey } = options;
  const directed = obeyDirectives(run, original, patch, mergeKey);
  if (directed === undefined) return undefined;
  const { kept, places, additions } = directed;
  const merged = mergeByKey(run, kept, additions, options);
  if (merged === undefined) return undefined;
  const parts = partitionMaps(run, merged, additions, mergeKey);
  if (parts === undefined) return undefined;
  const list = mergeOrder(
    run,
    { named: parts[0], others: parts[1], order: additions, live: kept },
    { kind: 'map', mergeKey },
  );
  if (list === undefined) return undefined;
  return { list, live: directed.replaced ? places : places.map((item, i) => merged[i] ?? item) };
}

interface Directed {
  /** The elements of the original that were not deleted; after a replace, those of the patch. */
  readonly kept: JsonArray;
  /**
   * The places of the original after its deletions: the elements have moved up, and the places at the end keep their
   * old content.
   */
  readonly places: JsonArray;
  /** The elements of the patch without directives. */
  readonly additions: JsonArray;
  readonly replaced: boolean;
}

/** Executes the `$patch` directives among the elements of a patch list. */
function obeyDirectives(
  run: MergeRun,
  original: JsonObject[],
  patch: JsonObject[],
  mergeKey: string,
): Directed | undefined {
  const additions: JsonObject[] = [];
  const deletions = new Set<JsonValue>();
  let replace = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, DIRECTIVE)) {
      additions.push(item);
      continue;
    }
    const directive = getField(item, DIRECTIVE) as JsonValue;
    switch (directive) {
      case 'delete': {
        const key = getField(item, mergeKey);
        if (key === undefined) return run.failNoMergeKey(item, mergeKey);
        deletions.add(key);
        break;
      }
      case 'replace':
        replace = true;
        break;
      case 'merge':
        return run.fail('merging lists cannot yet be specified in the patch');
      default:
        return run.fail(`unknown patch type: ${formatDecodedText(directive)} in map: ${formatDecoded(item)}`);
    }
  }
  const { kept, places } = deleteElements(original, deletions, mergeKey);
  if (replace) return { kept: additions.map(cloneJson), places, additions: [], replaced: true };
  return { kept, places, additions, replaced: false };
}

function deleteElements(
  original: JsonObject[],
  deletions: ReadonlySet<JsonValue>,
  mergeKey: string,
): { kept: JsonObject[]; places: JsonObject[] } {
  if (deletions.size === 0) return { kept: original.slice(), places: original };
  const byKey = new Map<JsonValue, number[]>();
  for (const [i, item] of original.entries()) {
    const key = getField(item, mergeKey);
    if (key === undefined || !deletions.has(key)) continue;
    const found = byKey.get(key);
    if (found === undefined) byKey.set(key, [i]);
    else found.push(i);
  }
  const gone = new Set<number>();
  const freed: JsonObject[] = [];
  let last = original.length - 1;
  for (const key of deletions) {
    for (const i of byKey.get(key) ?? []) {
      while (gone.has(last)) last--;
      freed.push(original[last] as JsonObject);
      gone.add(i);
    }
  }
  const kept = original.filter((_, i) => !gone.has(i));
  return { kept, places: [...kept, ...freed.reverse()] };
}

/** Merges each element of the patch into the first original element with the same key, or appends it. */
function mergeByKey(
  run: MergeRun,
  kept: JsonArray,
  additions: JsonArray,
  { mergeKey, schema, mergeElements }: ListMerge,
): JsonArray | undefined {
  const merged = kept.slice();
  const index = new Map<JsonValue, number>();
  for (const [i, item] of merged.entries()) {
    const key = getField(item as JsonObject, mergeKey);
    if (key !== undefined && !index.has(key)) index.set(key, i);
  }
  for (const item of additions as JsonObject[]) {
    const key = getField(item, mergeKey);
    if (key === undefined) return run.failNoMergeKey(item, mergeKey);
    const at = index.get(key);
    if (at === undefined) {
      index.set(key, merged.length);
      merged.push(cloneJson(item));
      continue;
    }
    run.enter(`[${mergeKey}=${formatDecoded(key)}]`);
    const element = mergeElements(run, merged[at] as JsonObject, item, schema);
    if (element === undefined) return undefined;
    run.leave();
    merged[at] = element;
  }
  return merged;
}
