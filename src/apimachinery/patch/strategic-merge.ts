/**
 * Strategic merge patches over a type view, equal to k8s.io/apimachinery's strategicpatch over Go types. Invariant: the
 * original belongs to the caller and is modified in place, also by a patch that fails. The patch is never modified, and
 * the result shares nothing with it.
 *
 * The type is consulted only where both sides hold an object or a list. A field that the original lacks is copied,
 * unknown or not, and checked later by the object's decoder. The reference visits the fields of a patch in random
 * order; here the order is that of the patch.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { cloneJson, getField, isJsonObject, setField } from '../../base/json-value.ts';
import { decodedType, formatDecoded, formatDecodedText } from '../go-decoded.ts';
import { cannotUnmarshal } from '../go-json.ts';
import type { TypeView } from '../type-view.ts';
import type { PatchResult } from './patch-error.ts';
import { deeperThan, MAX_PATCH_DEPTH, patchFailure, TOO_DEEP } from './patch-error.ts';
import {
  DELETE_FROM_PRIMITIVE_LIST,
  DIRECTIVE,
  directiveField,
  RETAIN_KEYS,
  SET_ELEMENT_ORDER,
} from './strategic-merge-directives.ts';
import { mergeLists } from './strategic-merge-lists.ts';
import {
  checkElementOrder,
  elementKind,
  mergeOrder,
  partitionMaps,
  partitionScalars,
} from './strategic-merge-order.ts';
import { BAD_RETAIN_KEYS, MAX_MERGE_WORK, MergeRun } from './strategic-merge-run.ts';
import type { MergeSchema } from './strategic-merge-schema.ts';
import { lookupField, lookupListField } from './strategic-merge-schema.ts';

export interface StrategicMergeOptions {
  /** The most objects, fields and elements to visit. Default MAX_MERGE_WORK. */
  readonly maxWork?: number;
}

/**
 * Merges a decoded patch body into an object. Returns the new root, which is the original unless `$patch` replaced it.
 * A `null` patch changes nothing, as in the reference. PatchErrorCode lists the failures; `too-large` also means that
 * the merge takes too much work.
 */
export function applyStrategicMergePatch(
  original: JsonObject,
  patch: JsonValue,
  view: TypeView,
  options: StrategicMergeOptions = {},
): PatchResult<JsonObject> {
  if (patch === null) return { ok: true, value: original };
  if (!isJsonObject(patch)) {
    return patchFailure('invalid-patch', cannotUnmarshal(patch, 'Go value of type map[string]interface {}'));
  }
  if (deeperThan(patch, MAX_PATCH_DEPTH)) return patchFailure('invalid-patch', TOO_DEEP);
  const run = new MergeRun(options.maxWork ?? MAX_MERGE_WORK);
  const value = mergeObjects(run, original, patch, { view, pointer: false });
  if (value !== undefined) return { ok: true, value };
  return { ok: false, error: run.error ?? { code: 'unclassified', message: 'the patch was not applied' } };
}

function mergeObjects(
  run: MergeRun,
  original: JsonObject,
  patch: JsonObject,
  schema: MergeSchema,
): JsonObject | undefined {
  if (Object.hasOwn(patch, DIRECTIVE)) return obeyDirective(run, patch);
  const keys = Object.keys(patch);
  if (!run.spend(keys.length + 1)) return undefined;
  // Directives and the lists they order are handled before the fields.
  let done: Set<string> | undefined;
  if (keys.some((key) => key.startsWith('$'))) {
    done = new Set();
    if (!retainKeys(run, original, patch)) return undefined;
    done.add(RETAIN_KEYS);
    for (const key of keys) {
      if (key.startsWith(SET_ELEMENT_ORDER) && !orderList(run, { original, patch, schema, key, done }))
        return undefined;
    }
  }
  for (const key of keys) {
    if (done?.has(key)) continue;
    if (!mergeField(run, original, key, patch[key] as JsonValue, schema)) return undefined;
  }
  return original;
}

/**
 * Executes `$patch` in an object: its content, including nested directives and nulls, replaces the original's, or the
 * object is emptied.
 */
function obeyDirective(run: MergeRun, patch: JsonObject): JsonObject | undefined {
  const directive = getField(patch, DIRECTIVE) as JsonValue;
  if (directive === 'delete') return {};
  if (directive === 'replace') {
    const content = cloneJson(patch);
    delete content[DIRECTIVE];
    return content;
  }
  return run.fail(`unknown patch type: ${formatDecodedText(directive)} in map: ${formatDecoded(patch)}`);
}

/**
 * Executes `$retainKeys`: clears the fields of the original that are not listed. Every field that the patch sets must
 * be listed.
 */
function retainKeys(run: MergeRun, original: JsonObject, patch: JsonObject): true | undefined {
  const listed = getField(patch, RETAIN_KEYS);
  if (listed === undefined) return true;
  // The reference crashes on elements that are objects or lists.
  if (!Array.isArray(listed) || listed.some((item) => typeof item === 'object' && item !== null)) {
    return run.fail(BAD_RETAIN_KEYS);
  }
  const retained = new Set<JsonValue>(listed);
  for (const key of Object.keys(patch)) {
    if (key === RETAIN_KEYS || patch[key] === null) continue;
    if (key.startsWith(DELETE_FROM_PRIMITIVE_LIST) || key.startsWith(SET_ELEMENT_ORDER)) continue;
    if (!retained.has(key)) return run.fail(BAD_RETAIN_KEYS);
  }
  const keys = Object.keys(original);
  if (!run.spend(keys.length)) return undefined;
  for (const key of keys) if (!retained.has(key)) delete original[key];
  return true;
}

interface Ordering {
  readonly original: JsonObject;
  readonly patch: JsonObject;
  readonly schema: MergeSchema;
  /** The directive, `$setElementOrder/<field>`. */
  readonly key: string;
  /** Collects the keys of the patch that are handled. */
  readonly done: Set<string>;
}

/** Executes `$setElementOrder/<field>`: merges the field's list and orders its elements. */
function orderList(run: MergeRun, { original, patch, schema, key, done }: Ordering): true | undefined {
  done.add(key);
  const order = getField(patch, key) as JsonValue;
  if (!Array.isArray(order)) return run.failType('list', order);
  const name = directiveField(run, key, SET_ELEMENT_ORDER);
  if (name === undefined) return undefined;
  const originalList = getField(original, name);
  const patchList = done.has(name) ? undefined : getField(patch, name);
  if (originalList !== undefined && !Array.isArray(originalList)) return run.failType('list', originalList);
  if (patchList !== undefined && !Array.isArray(patchList)) return run.failType('list', patchList);
  const field = lookupListField(schema, name);
  if (typeof field === 'string') return run.fail(field);
  const { mergeKey } = field;
  if (!checkElementOrder(run, patchList ?? [], order, mergeKey)) return undefined;

  run.enter(name);
  let merged: JsonArray;
  let live = originalList ?? [];
  if (patchList === undefined) {
    if (originalList === undefined) {
      run.leave();
      return true;
    }
    merged = originalList;
  } else if (originalList === undefined) {
    merged = withoutDirectives(patchList) as JsonArray;
  } else if (field.strategy === 'merge') {
    const lists = mergeLists(run, originalList, patchList, {
      schema: field.schema,
      mergeKey,
      deleting: false,
      mergeElements: mergeObjects,
    });
    if (lists === undefined) return undefined;
    merged = lists.list;
    live = lists.live;
  } else merged = cloneJson(patchList);

  const parts = mergeKey === '' ? partitionScalars(merged, order) : partitionMaps(run, merged, order, mergeKey);
  if (parts === undefined) return undefined;
  const kind = elementKind(run, live, patchList ?? []);
  if (kind === undefined) return undefined;
  const list = mergeOrder(run, { named: parts[0], others: parts[1], order, live }, { kind, mergeKey });
  if (list === undefined) return undefined;
  setField(original, name, list);
  done.add(name);
  run.leave();
  return true;
}

function mergeField(
  run: MergeRun,
  original: JsonObject,
  key: string,
  value: JsonValue,
  schema: MergeSchema,
): true | undefined {
  let name = key;
  const deleting = key.startsWith(DELETE_FROM_PRIMITIVE_LIST);
  if (deleting) {
    const field = directiveField(run, key, DELETE_FROM_PRIMITIVE_LIST);
    if (field === undefined) return undefined;
    if (field !== '') name = field;
  }
  if (value === null) {
    delete original[name];
    return true;
  }
  const current = getField(original, name);
  if (current === undefined || decodedType(current) !== decodedType(value)) {
    if (deleting) return true;
    const taken = takeValue(value);
    if (taken === undefined) delete original[name];
    else setField(original, name, taken);
    return true;
  }
  if (typeof value !== 'object') {
    setField(original, name, value);
    return true;
  }
  run.enter(name);
  const merged = Array.isArray(value)
    ? mergeListField(run, current as JsonArray, value, { schema, name, deleting })
    : mergeObjectField(run, current as JsonObject, value, { schema, name });
  if (merged === undefined) return undefined;
  run.leave();
  setField(original, name, merged);
  return true;
}

function mergeObjectField(
  run: MergeRun,
  current: JsonObject,
  value: JsonObject,
  at: { readonly schema: MergeSchema; readonly name: string },
): JsonObject | undefined {
  const field = lookupField(at.schema, at.name);
  if (typeof field === 'string') return run.fail(field);
  return field.strategy === 'replace' ? cloneJson(value) : mergeObjects(run, current, value, field.schema);
}

function mergeListField(
  run: MergeRun,
  current: JsonArray,
  value: JsonArray,
  at: { readonly schema: MergeSchema; readonly name: string; readonly deleting: boolean },
): JsonArray | undefined {
  const field = lookupListField(at.schema, at.name);
  if (typeof field === 'string') return run.fail(field);
  if (field.strategy !== 'merge' && !at.deleting) return cloneJson(value);
  return mergeLists(run, current, value, {
    schema: field.schema,
    mergeKey: field.mergeKey,
    deleting: at.deleting,
    mergeElements: mergeObjects,
  })?.list;
}

/**
 * A copy of a patch value that is not merged into anything: without null fields, then without objects that carry
 * `$patch`.
 */
function takeValue(value: JsonValue): JsonValue | undefined {
  return copyPlain(value, true);
}

/** A copy without the objects that carry `$patch`. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  return copyPlain(value, false);
}

function copyPlain(value: JsonValue, dropNulls: boolean): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: JsonArray = [];
    for (const item of value) {
      const copy = copyPlain(item, dropNulls);
      if (copy !== undefined) list.push(copy);
    }
    return list;
  }
  const directive = getField(value, DIRECTIVE);
  if (directive !== undefined && !(dropNulls && directive === null)) return undefined;
  const object: JsonObject = {};
  for (const key of Object.keys(value)) {
    const field = value[key] as JsonValue;
    if (dropNulls && field === null) continue;
    const copy = copyPlain(field, dropNulls);
    if (copy !== undefined) setField(object, key, copy);
  }
  return object;
}
