/**
 * Makes strategic merge patches by a type view (the reference's CreateTwoWayMergePatch). Invariant: applied to a copy of the original, the
 * patch gives the modified object, if merge keys and scalars are unique in each list and no field is null.
 *
 * It differs from the reference in three harmless points: `$setElementOrder` of a list of scalars is sent exactly when the lists differ
 * (the reference compares with the sorted original, so it misses some reorderings and sends needless ones); an object with the strategy
 * replace is sent only if it changed; and equal strings of merge keys with different types are different keys.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { equalJson, getField, setField } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { decodedType, formatDecoded } from '../go-decoded.ts';
import type { TypeView } from '../type-view.ts';
import type { PatchResult } from './patch-error.ts';
import { deeperThan, MAX_PATCH_DEPTH, patchFailure, TOO_DEEP } from './patch-error.ts';
import { DELETE_FROM_PRIMITIVE_LIST, DIRECTIVE, RETAIN_KEYS, SET_ELEMENT_ORDER } from './strategic-merge-directives.ts';
import { elementKind, sameElement, sortByOrder } from './strategic-merge-order.ts';
import { MAX_MERGE_WORK, MergeRun } from './strategic-merge-run.ts';
import type { FieldMerge, MergeSchema } from './strategic-merge-schema.ts';
import { lookupField, lookupListField } from './strategic-merge-schema.ts';

/**
 * The patch that turns `original` into `modified`; empty if they are equal. Fails, with the reference's words, where a changed object or
 * list is not described by the view, or an element of a merging list lacks its key. The values in the patch are those of `modified`, not
 * copies.
 */
export function diffStrategic(original: JsonObject, modified: JsonObject, view: TypeView): PatchResult<JsonObject> {
  if (deeperThan(original, MAX_PATCH_DEPTH) || deeperThan(modified, MAX_PATCH_DEPTH)) {
    return patchFailure('unprocessable', TOO_DEEP);
  }
  const run = new MergeRun(MAX_MERGE_WORK);
  const value = diffObjects(run, original, modified, { schema: { view, pointer: false }, retainKeys: false });
  if (value !== undefined) return { ok: true, value };
  return { ok: false, error: run.error ?? { code: 'unclassified', message: 'the objects were not compared' } };
}

interface DiffOptions {
  readonly schema: MergeSchema;
  readonly retainKeys: boolean;
}

function diffObjects(
  run: MergeRun,
  original: JsonObject,
  modified: JsonObject,
  options: DiffOptions,
): JsonObject | undefined {
  const patch: JsonObject = {};
  const keys = Object.keys(modified);
  if (!run.spend(keys.length + 1)) return undefined;
  for (const key of keys) {
    const before = getField(original, key);
    const after = modified[key] as JsonValue;
    if (before === undefined) setField(patch, key, after);
    else if (key === DIRECTIVE) {
      if (typeof before !== 'string' || typeof after !== 'string') {
        return run.fail(`invalid value for special key: ${DIRECTIVE}`);
      }
      if (before !== after) setField(patch, key, after);
    } else if (!diffField(run, patch, { key, before, after, schema: options.schema })) return undefined;
  }
  let cleared = false;
  for (const key of Object.keys(original)) {
    if (Object.hasOwn(modified, key)) continue;
    setField(patch, key, null);
    cleared ||= original[key] !== null;
  }
  if (options.retainKeys && (cleared || Object.keys(patch).length > 0)) {
    const retained = keys.filter((key) => modified[key] !== null).sort(compareUtf8);
    if (retained.length > 0) patch[RETAIN_KEYS] = retained;
  }
  return patch;
}

interface FieldChange {
  readonly key: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly schema: MergeSchema;
}

function diffField(run: MergeRun, patch: JsonObject, change: FieldChange): true | undefined {
  const { key, before, after, schema } = change;
  if (typeof after !== 'object' || after === null || decodedType(before) !== decodedType(after)) {
    if (!equalJson(before, after)) setField(patch, key, after);
    return true;
  }
  const field = Array.isArray(after) ? lookupListField(schema, key) : lookupField(schema, key);
  if (typeof field === 'string') return equalJson(before, after) ? true : run.fail(field);
  if (field.strategy === 'replace' || (Array.isArray(after) && field.strategy !== 'merge')) {
    if (!equalJson(before, after)) setField(patch, key, after);
    return true;
  }
  run.enter(key);
  if (Array.isArray(after)) {
    if (!diffLists(run, patch, { key, before: before as JsonArray, after, field })) return undefined;
  } else {
    const options = { schema: field.schema, retainKeys: field.retainKeys };
    const inner = diffObjects(run, before as JsonObject, after, options);
    if (inner === undefined) return undefined;
    if (Object.keys(inner).length > 0) setField(patch, key, inner);
  }
  run.leave();
  return true;
}

interface ListChange {
  readonly key: string;
  readonly before: JsonArray;
  readonly after: JsonArray;
  readonly field: FieldMerge;
}

/** Writes the list's part of the patch: the elements to merge or delete, and the order of the result. */
function diffLists(run: MergeRun, patch: JsonObject, change: ListChange): true | undefined {
  const { key, before, after, field } = change;
  if (before.length === 0) {
    if (after.length > 0) setField(patch, key, after);
    return true;
  }
  const kind = elementKind(run, before, after);
  if (kind === undefined) return undefined;
  if (kind === 'scalar') return diffScalarLists(run, patch, change);

  const elements = diffElements(run, before as JsonObject[], after as JsonObject[], field);
  if (elements === undefined) return undefined;
  const { mergeKey } = field;
  const sorted = sortByOrder(run, elements.changes, after, { kind, mergeKey });
  if (sorted === undefined) return undefined;
  const sameOrder = haveSameOrder(run, before, after, mergeKey);
  if (sameOrder === undefined) return undefined;
  const changes = [...sorted, ...elements.deletions];
  if (changes.length > 0) setField(patch, key, changes);
  if ((changes.length > 0 || !sameOrder) && after.length > 0) {
    const order = (after as JsonObject[]).map((item) => keyObject(mergeKey, getField(item, mergeKey) as JsonValue));
    setField(patch, `${SET_ELEMENT_ORDER}/${key}`, order);
  }
  return true;
}

function diffScalarLists(
  run: MergeRun,
  patch: JsonObject,
  { key, before, after, field }: ListChange,
): true | undefined {
  const had = new Set(before);
  const has = new Set(after);
  const added = sortByOrder(
    run,
    after.filter((item) => !had.has(item)),
    after,
    { kind: 'scalar', mergeKey: field.mergeKey },
  );
  if (added === undefined) return undefined;
  const deleted = [...had]
    .filter((item) => !has.has(item))
    .sort((a, b) => compareUtf8(formatDecoded(a), formatDecoded(b)));
  if (added.length > 0) setField(patch, key, added);
  if (deleted.length > 0) setField(patch, `${DELETE_FROM_PRIMITIVE_LIST}/${key}`, deleted);
  if (after.length > 0 && !equalJson(before, after)) setField(patch, `${SET_ELEMENT_ORDER}/${key}`, after);
  return true;
}

interface ElementChanges {
  /** Changed and added elements, in no order. */
  readonly changes: JsonArray;
  /** Delete directives, in the order of their keys. */
  readonly deletions: JsonArray;
}

function diffElements(
  run: MergeRun,
  before: JsonObject[],
  after: JsonObject[],
  field: FieldMerge,
): ElementChanges | undefined {
  const { mergeKey } = field;
  const old = new Map<JsonValue, JsonObject[]>();
  for (const item of before) {
    const key = getField(item, mergeKey);
    if (key === undefined) return run.failNoMergeKey(item, mergeKey);
    const known = old.get(key);
    if (known === undefined) old.set(key, [item]);
    else known.push(item);
  }
  const changes: JsonArray = [];
  // Elements that share a key are paired from the end, as in the reference.
  for (const item of after.toReversed()) {
    const key = getField(item, mergeKey);
    if (key === undefined) return run.failNoMergeKey(item, mergeKey);
    const known = old.get(key)?.pop();
    if (known === undefined) {
      changes.push(item);
      continue;
    }
    run.enter(`[${mergeKey}=${formatDecoded(key)}]`);
    const inner = diffObjects(run, known, item, { schema: field.schema, retainKeys: field.retainKeys });
    if (inner === undefined) return undefined;
    run.leave();
    if (Object.keys(inner).length === 0) continue;
    setField(inner, mergeKey, key);
    changes.push(inner);
  }
  const deletions = [...old.entries()]
    .sort(([a], [b]) => compareUtf8(formatDecoded(a), formatDecoded(b)))
    .flatMap(([key, items]) => items.map(() => ({ ...keyObject(mergeKey, key), [DIRECTIVE]: 'delete' })));
  return { changes, deletions };
}

function keyObject(mergeKey: string, value: JsonValue): JsonObject {
  const object: JsonObject = {};
  setField(object, mergeKey, value);
  return object;
}

function haveSameOrder(run: MergeRun, before: JsonArray, after: JsonArray, mergeKey: string): boolean | undefined {
  if (before.length !== after.length) return false;
  for (const [i, item] of after.entries()) {
    const same = sameElement(run, before[i] as JsonValue, item, mergeKey);
    if (!same) return same;
  }
  return true;
}
