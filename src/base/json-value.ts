/**
 * The JSON value model. Invariant: an integer within int64 is exact. It is a `number` if it is a safe integer, else a
 * `bigint`: a double would corrupt it or print other digits (2^62 as a double prints as 4611686018427388000). An
 * integer beyond int64 is a double.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = JsonValue[];
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Deeper values are walked with an explicit stack: readers allow more nesting than the call stack does.
const RECURSION_DEPTH = 500;

/** Returns a deep copy of the value. */
export function cloneJson<T extends JsonValue>(value: T): T {
  return cloneWithin(value, RECURSION_DEPTH) as T;
}

function cloneWithin(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return cloneDeep(value);
  if (Array.isArray(value)) return value.map((item) => cloneWithin(item, depth - 1));
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setField(copy, key, cloneWithin(value[key] as JsonValue, depth - 1));
  return copy;
}

function cloneDeep(root: JsonArray | JsonObject): JsonValue {
  const pending: [from: JsonArray | JsonObject, to: JsonArray | JsonObject][] = [];
  const begin = (value: JsonValue): JsonValue => {
    if (typeof value !== 'object' || value === null) return value;
    const copy: JsonArray | JsonObject = Array.isArray(value) ? [] : {};
    pending.push([value, copy]);
    return copy;
  };
  const copy = begin(root);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [from, to] = next;
    if (Array.isArray(from)) for (const item of from) (to as JsonArray).push(begin(item));
    else for (const key of Object.keys(from)) setField(to as JsonObject, key, begin(from[key] as JsonValue));
  }
  return copy;
}

/** Sets a field, also one named `__proto__`, which an assignment would ignore. */
export function setField(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/**
 * Returns the value of an own field. Undefined for a missing field and for inherited ones (`constructor`, `__proto__`).
 */
export function getField(object: JsonObject, key: string): JsonValue | undefined {
  const value = object[key];
  // Most lookups miss, and undefined is cheaper to test than ownership.
  return value === undefined || Object.hasOwn(object, key) ? value : undefined;
}

/** Deep equality. Key order does not matter; `1` equals `1n`. */
export function equalJson(a: JsonValue, b: JsonValue): boolean {
  return equalWithin(a, b, RECURSION_DEPTH);
}

function equalWithin(a: JsonValue, b: JsonValue, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return equalScalars(a, b);
  if (depth === 0) return equalDeep(a, b);
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, i) => equalWithin(item, b[i] as JsonValue, depth - 1))
    );
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equalWithin(a[key] as JsonValue, b[key] as JsonValue, depth - 1));
}

function equalDeep(left: JsonArray | JsonObject, right: JsonArray | JsonObject): boolean {
  const pending: [a: JsonValue, b: JsonValue][] = [[left, right]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [a, b] = next;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
      if (!equalScalars(a, b)) return false;
    } else if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
      for (const [i, item] of a.entries()) pending.push([item, b[i] as JsonValue]);
    } else {
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length || !keys.every((key) => Object.hasOwn(b, key))) return false;
      for (const key of keys) pending.push([a[key] as JsonValue, b[key] as JsonValue]);
    }
  }
  return true;
}

function equalScalars(a: JsonValue, b: JsonValue): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: number and bigint compare by value only with ==
  return a === b || (isNumeric(a) && isNumeric(b) && a == b);
}

function isNumeric(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
