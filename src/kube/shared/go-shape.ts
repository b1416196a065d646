/**
 * Values as the reference's internal types print them: every field, by its Go name, zero values included. Invariant: pure; a shape lists the fields of a struct in their
 * order. Only messages need this.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

/**
 * A field: its Go name, its JSON name, its zero value (`null` for pointers, lists and maps), and the shape of a struct, or `tagged` for one that prints by its JSON names.
 * Maps are printed with their keys sorted.
 */
export type ShapeField = readonly [go: string, json: string, zero: JsonValue, shape?: Shape | 'tagged'];

export type Shape = readonly ShapeField[];

/** The value of a struct. */
export function inGoShape(object: JsonObject, shape: Shape): JsonObject {
  const shown: JsonObject = {};
  for (const [go, json, zero, inner] of shape) shown[go] = fieldInGoShape(getField(object, json), zero, inner);
  return shown;
}

function fieldInGoShape(value: JsonValue | undefined, zero: JsonValue, inner: ShapeField[3]): JsonValue {
  if (inner === 'tagged') return value ?? zero;
  if (value === undefined || value === null) return inner !== undefined && zero !== null ? inGoShape({}, inner) : zero;
  if (inner === undefined) return sortedMap(value);
  if (Array.isArray(value)) return value.map((item) => (isJsonObject(item) ? inGoShape(item, inner) : item));
  return isJsonObject(value) ? inGoShape(value, inner) : value;
}

function sortedMap(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
