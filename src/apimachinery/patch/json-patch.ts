/**
 * JSON patches (RFC 6902) with the limits, lenient behaviour and messages of evanphx/json-patch v4 as kube-apiserver
 * uses it. Invariant: the document belongs to the caller and is modified in place, also by a patch that fails half-way.
 * The patch is never modified, and the result shares nothing with it.
 *
 * Lenient behaviour that clients can observe is kept: text before the first `/` of a path is ignored; negative indexes
 * count from the end; `replace` of a missing field adds it; `copy` of a missing field and `add` without a value give
 * null; `test` treats a missing field as null.
 *
 * One difference: `test` compares values here. The reference compares the text of scalars (`1` with `1.0`, escapes),
 * distinguishes nulls of the document from nulls of the patch, and crashes on nulls in lists.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { cloneJson, getField, setField } from '../../base/json-value.ts';
import { quote } from '../go-format.ts';
import { cannotUnmarshal } from '../go-json.ts';
import { decodeJsonPatch, MAX_JSON_PATCH_OPERATIONS } from './json-patch-decode.ts';
import { jsonSize } from './json-patch-size.ts';
import { unescapePointerToken } from './json-pointer.ts';
import type { PatchResult } from './patch-error.ts';
import { deeperThan, MAX_PATCH_DEPTH, patchFailure, TOO_DEEP } from './patch-error.ts';

/**
 * The most bytes that the `copy` operations of a patch may add, counted as JSON: kube-apiserver's
 * `JSONPatchMaxCopyBytes`.
 */
const MAX_JSON_PATCH_COPY_BYTES: number = 3 * 1024 * 1024;

/**
 * The most list elements that all insertions and removals of a patch may shift: about half a second of work. The
 * reference has no such limit.
 */
const MAX_SHIFTED_ELEMENTS = 500_000_000;

export interface JsonPatchLimits {
  /** Default MAX_JSON_PATCH_OPERATIONS. */
  readonly maxOperations?: number;
  /** Default MAX_JSON_PATCH_COPY_BYTES. */
  readonly maxCopyBytes?: number;
}

type Container = JsonObject | JsonArray;

interface Place {
  readonly container: Container;
  readonly key: string;
}

/**
 * Applies a decoded patch body to a document. Returns the new root, which is the document itself unless the root was
 * replaced. Fails with `invalid-patch` (not a list of objects), `too-large` (too many operations) or `unprocessable`
 * (an operation does not apply). The operations before the failing one have modified the document.
 */
export function applyJsonPatch(
  document: JsonValue,
  patch: JsonValue,
  limits: JsonPatchLimits = {},
): PatchResult<JsonValue> {
  const decoded = decodeJsonPatch(patch, limits.maxOperations ?? MAX_JSON_PATCH_OPERATIONS);
  if (!decoded.ok) return decoded;
  if (!isContainer(document)) {
    return patchFailure('unprocessable', cannotUnmarshal(document, 'Go value of type jsonpatch.partialDoc'));
  }
  const run = new PatchRun(document, limits.maxCopyBytes ?? MAX_JSON_PATCH_COPY_BYTES);
  for (const operation of decoded.value) {
    const problem = run.execute(operation);
    if (problem !== undefined) {
      const { error } = patchFailure('unprocessable', problem, textField(operation, 'path'));
      return { ok: false, error: run.testFailed ? { ...error, testFailed: true } : error };
    }
    if (run.shifted > MAX_SHIFTED_ELEMENTS) return patchFailure('too-large', 'the patch shifts too many list elements');
  }
  if (decoded.value.length > 0 && deeperThan(run.root, MAX_PATCH_DEPTH)) return patchFailure('unprocessable', TOO_DEEP);
  return { ok: true, value: run.root };
}

/** One application of a patch. The methods return the problem, or undefined. */
class PatchRun {
  root: Container;
  shifted = 0;
  /** Whether a `test` found another value. */
  testFailed = false;
  #copied = 0;
  readonly #maxCopyBytes: number;

  constructor(root: Container, maxCopyBytes: number) {
    this.root = root;
    this.#maxCopyBytes = maxCopyBytes;
  }

  execute(operation: JsonObject): string | undefined {
    const op = textField(operation, 'op') ?? 'unknown';
    switch (op) {
      case 'add':
        return this.#add(operation);
      case 'remove':
        return this.#remove(operation);
      case 'replace':
        return this.#replace(operation);
      case 'move':
        return this.#move(operation);
      case 'copy':
        return this.#copy(operation);
      case 'test':
        return this.#test(operation);
      default:
        return `Unexpected kind: ${op}`;
    }
  }

  #add(operation: JsonObject): string | undefined {
    const path = textField(operation, 'path');
    if (path === undefined) return 'add operation failed to decode path: missing value';
    const place = this.#find(path);
    if (place === undefined) return `add operation does not apply: doc is missing path: "${path}": missing value`;
    const problem = this.#insert(place, cloneJson(getField(operation, 'value') ?? null));
    return problem && `error in add for path: '${path}': ${problem}`;
  }

  #remove(operation: JsonObject): string | undefined {
    const path = textField(operation, 'path');
    if (path === undefined) return 'remove operation failed to decode path: missing value';
    const place = this.#find(path);
    if (place === undefined) return `remove operation does not apply: doc is missing path: "${path}": missing value`;
    const problem = this.#take(place);
    return problem && `error in remove for path: '${path}': ${problem}`;
  }

  #replace(operation: JsonObject): string | undefined {
    const path = textField(operation, 'path');
    if (path === undefined) return `replace operation failed to decode path: ${undecodedField(operation, 'path')}`;
    const value = cloneJson(getField(operation, 'value') ?? null);
    if (path === '') {
      if (!isContainer(value)) return 'replace operation value must be object or array: %!w(<nil>)';
      this.root = value;
      return undefined;
    }
    const place = this.#find(path);
    if (place === undefined) return `replace operation does not apply: doc is missing path: ${path}: missing value`;
    const { container, key } = place;
    if (!Array.isArray(container)) {
      setField(container, key, value);
      return undefined;
    }
    const index = existingIndex(container, key);
    if (typeof index === 'string')
      return `replace operation does not apply: doc is missing key: ${path}: missing value`;
    container[index] = value;
    return undefined;
  }

  #move(operation: JsonObject): string | undefined {
    const from = textField(operation, 'from');
    if (from === undefined) return `move operation failed to decode from: ${undecodedField(operation, 'from')}`;
    const source = this.#find(from);
    if (source === undefined) return `move operation does not apply: doc is missing from path: ${from}: missing value`;
    const value = read(source);
    const problem = value.problem ?? this.#take(source);
    if (problem !== undefined) return `error in move for path: '${source.key}': ${problem}`;
    const path = textField(operation, 'path');
    if (path === undefined) return `move operation failed to decode path: ${undecodedField(operation, 'path')}`;
    const target = this.#find(path);
    if (target === undefined) {
      return `move operation does not apply: doc is missing destination path: ${path}: missing value`;
    }
    const misplaced = this.#insert(target, value.value ?? null);
    return misplaced && `error in move for path: '${path}': ${misplaced}`;
  }

  #copy(operation: JsonObject): string | undefined {
    const from = textField(operation, 'from');
    if (from === undefined) return `copy operation failed to decode from: ${undecodedField(operation, 'from')}`;
    const source = this.#find(from);
    if (source === undefined) return `copy operation does not apply: doc is missing from path: ${from}: missing value`;
    const value = read(source);
    if (value.problem !== undefined) return `error in copy for from: '${from}': ${value.problem}`;
    const path = textField(operation, 'path');
    if (path === undefined) return 'copy operation failed to decode path: missing value';
    const target = this.#find(path);
    if (target === undefined) {
      return `copy operation does not apply: doc is missing destination path: ${path}: missing value`;
    }
    const copied = value.value ?? null;
    if (deeperThan(copied, MAX_PATCH_DEPTH)) return TOO_DEEP;
    if (copied !== null) this.#copied += jsonSize(copied);
    if (this.#copied > this.#maxCopyBytes) {
      return `Unable to complete the copy, the accumulated size increase of copy is ${this.#copied}, exceeding the limit ${this.#maxCopyBytes}`;
    }
    const problem = this.#insert(target, cloneJson(copied));
    return problem && `error while adding value during copy: ${problem}`;
  }

  #test(operation: JsonObject): string | undefined {
    const path = textField(operation, 'path');
    if (path === undefined) return `test operation failed to decode path: ${undecodedField(operation, 'path')}`;
    const expected = getField(operation, 'value');
    let actual: JsonValue = this.root;
    if (path !== '') {
      const place = this.#find(path);
      if (place === undefined) return `test operation does not apply: is missing path: ${path}: missing value`;
      const value = read(place);
      if (value.problem !== undefined) return `error in test for path: '${path}': ${value.problem}`;
      actual = value.value ?? null;
    }
    if (matches(actual, expected ?? null)) return undefined;
    this.testFailed = true;
    return `testing value ${path} failed: test failed`;
  }

  /** The container of the last token of a path; undefined if a part of the path is missing or is not a container. */
  #find(path: string): Place | undefined {
    const tokens = path.split('/');
    if (tokens.length < 2) return undefined;
    let container = this.root;
    for (let i = 1; i < tokens.length - 1; i++) {
      const next = read({ container, key: unescapePointerToken(tokens[i] as string) }).value;
      if (next === undefined || !isContainer(next)) return undefined;
      container = next;
    }
    return { container, key: unescapePointerToken(tokens[tokens.length - 1] as string) };
  }

  #insert({ container, key }: Place, value: JsonValue): string | undefined {
    if (!Array.isArray(container)) {
      setField(container, key, value);
      return undefined;
    }
    if (key === '-') {
      container.push(value);
      return undefined;
    }
    const index = parseIndex(key);
    if ('problem' in index) return `value was not a proper array index: '${key}': ${index.problem}`;
    const room = container.length + 1;
    if (index.value >= room || index.value < -room) return invalidIndex(index.text);
    const at = index.value < 0 ? index.value + room : index.value;
    this.shifted += container.length - at;
    container.splice(at, 0, value);
    return undefined;
  }

  #take({ container, key }: Place): string | undefined {
    if (Array.isArray(container)) {
      const index = existingIndex(container, key);
      if (typeof index === 'string') return index;
      this.shifted += container.length - index;
      container.splice(index, 1);
      return undefined;
    }
    if (!Object.hasOwn(container, key)) return `Unable to remove nonexistent key: ${key}: missing value`;
    delete container[key];
    return undefined;
  }
}

function isContainer(value: JsonValue): value is Container {
  return typeof value === 'object' && value !== null;
}

/** A missing field reads as undefined and is not a problem. A malformed index is. */
function read({ container, key }: Place): { readonly value?: JsonValue | undefined; readonly problem?: string } {
  if (!Array.isArray(container)) return { value: getField(container, key) };
  const index = existingIndex(container, key);
  return typeof index === 'string' ? { problem: index } : { value: container[index] };
}

/** The position of an existing element, or the problem of the index. */
function existingIndex(list: JsonArray, key: string): number | string {
  const index = parseIndex(key);
  if ('problem' in index) return index.problem;
  if (index.value >= list.length || index.value < -list.length) return invalidIndex(index.text);
  return index.value < 0 ? index.value + list.length : index.value;
}

function invalidIndex(text: string): string {
  return `Unable to access invalid index: ${text}: invalid index referenced`;
}

const MAX_INT64 = 2n ** 63n - 1n;

/** Parses decimal digits with an optional sign, within int64, as Go's `strconv.Atoi` does. */
function parseIndex(key: string): { readonly value: number; readonly text: string } | { readonly problem: string } {
  if (!/^[+-]?[0-9]+$/.test(key)) return { problem: `strconv.Atoi: parsing ${quote(key)}: invalid syntax` };
  const digits = key.replace(/^[+-]?0*/, '');
  const value = digits.length > 19 ? MAX_INT64 + 2n : BigInt(digits) * (key.startsWith('-') ? -1n : 1n);
  if (value > MAX_INT64 || value < -MAX_INT64 - 1n) {
    return { problem: `strconv.Atoi: parsing ${quote(key)}: value out of range` };
  }
  return { value: Number(value), text: value.toString() };
}

function textField(operation: JsonObject, name: string): string | undefined {
  const value = getField(operation, name);
  return typeof value === 'string' ? value : undefined;
}

function undecodedField(operation: JsonObject, name: 'path' | 'from'): string {
  const value = getField(operation, name);
  if (value !== undefined && value !== null) return cannotUnmarshal(value, 'Go value of type string');
  return name === 'path'
    ? 'operation missing path field: missing value'
    : 'operation, missing from field: missing value';
}

/**
 * Deep equality whose cost depends on the expected value only: the fields of the actual object are counted after all
 * expected ones matched, and a wrong count ends the patch.
 */
function matches(actual: JsonValue, expected: JsonValue): boolean {
  if (actual === expected) return true;
  if (typeof actual !== 'object' || typeof expected !== 'object' || actual === null || expected === null) return false;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    for (let i = 0; i < expected.length; i++) {
      if (!matches(actual[i] as JsonValue, expected[i] as JsonValue)) return false;
    }
    return true;
  }
  if (Array.isArray(actual)) return false;
  const keys = Object.keys(expected);
  for (const key of keys) {
    if (!Object.hasOwn(actual, key) || !matches(actual[key] as JsonValue, expected[key] as JsonValue)) return false;
  }
  return Object.keys(actual).length === keys.length;
}
