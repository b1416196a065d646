/**
 * Values as kube-apiserver's internal types print in messages. The result has the field names and the order of the Go
 * types; `declared` issues and diffs keep that order.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { type FieldShape, type PackageShapes, type StructShape, structShape } from './package-shapes.ts';

/**
 * Returns `value`, which is JSON of the versioned type, as the internal struct `name` prints. Does not modify `value`;
 * the result may share parts of it. A value that is not an object prints as an empty struct, except in a union.
 */
export function goValue<Root extends string>(
  shapes: PackageShapes<Root>,
  name: NoInfer<Root>,
  value: JsonValue,
): JsonObject {
  return structValue(structShape(shapes, name), value);
}

/** As `goValue`, for an optional value: null if it is undefined or null. */
export function goPointer<Root extends string>(
  shapes: PackageShapes<Root>,
  name: NoInfer<Root>,
  value: JsonValue | undefined,
): JsonObject | null {
  return value === undefined || value === null ? null : goValue(shapes, name, value);
}

function structValue({ isUnion, fields }: StructShape, value: JsonValue): JsonObject {
  const shown: JsonObject = {};
  for (const field of fields) {
    const given = isUnion
      ? unionMember(field, value)
      : isJsonObject(value)
        ? getField(value, field.jsonName)
        : undefined;
    if (field.type === 'inline') Object.assign(shown, given);
    else shown[field.goName] = given === undefined || given === null ? zeroValue(field) : fieldValue(field, given);
  }
  return shown;
}

function zeroValue({ type, struct, zero }: FieldShape): JsonValue {
  return type === 'value' && struct !== undefined ? structValue(struct(), null) : zero;
}

function fieldValue({ type, struct }: FieldShape, value: JsonValue): JsonValue {
  if (type === 'map') return isJsonObject(value) ? mapValue(value, struct) : value;
  if (struct === undefined) return value;
  const shape = struct();
  if (type !== 'list') return structValue(shape, value);
  return Array.isArray(value) ? value.map((item) => structValue(shape, item)) : value;
}

/** Go prints the keys of a map in byte order. */
function mapValue(map: JsonObject, struct: FieldShape['struct']): JsonObject {
  const shown: JsonObject = {};
  for (const key of Object.keys(map).sort(compareUtf8)) {
    const item = map[key] as JsonValue;
    setField(shown, key, struct === undefined ? item : structValue(struct(), item));
  }
  return shown;
}

/** The part of a union's value that belongs to a field. A boolean field is true beside an object. */
function unionMember({ type }: FieldShape, value: JsonValue): JsonValue | undefined {
  switch (type) {
    case 'list':
      return Array.isArray(value) ? value : undefined;
    case 'pointer':
      return isJsonObject(value) ? value : undefined;
    default:
      return value === true || isJsonObject(value);
  }
}
