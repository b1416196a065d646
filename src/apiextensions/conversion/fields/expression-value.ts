/** The JSON of the value of an expression. Invariant: the JSON shares nothing with the object that was read. */
import { cloneJson, type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import { entriesOf, itemsOf } from '../../../cel/runtime/native-values.ts';
import { formatTimestamp } from '../../../cel/runtime/timestamps.ts';
import { CelError, CelList, CelMap, CelTimestamp, type Value } from '../../../cel/values.ts';
import { JsonStruct, Preserved } from '../../../schema/rules/object-values.ts';
import { valueToJson } from '../../../schema/rules/value-to-json.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { stepInto } from './schema-fields.ts';

/** `schema` is that of the field that gets the value. Throws CelError for a value that has no JSON form. */
export function jsonOf(value: Value, schema: StructuralSchema | 'any' | undefined): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof JsonStruct || value instanceof Preserved) return cloneJson(value.json);
  const target = schema === 'any' ? undefined : schema;
  if (value instanceof CelTimestamp && target?.format === 'date') return formatTimestamp(value).slice(0, DATE_LENGTH);
  if (value instanceof CelList) return Array.from(itemsOf(value), (item) => jsonOf(item, target?.items));
  return value instanceof CelMap ? jsonOfMap(value, target) : valueToJson(value);
}

const DATE_LENGTH = 'yyyy-mm-dd'.length;

function jsonOfMap(map: CelMap, schema: StructuralSchema | undefined): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entriesOf(map)) {
    if (typeof key !== 'string') throw new CelError('keys of an object must be strings');
    setField(object, key, jsonOf(value, schema === undefined ? undefined : stepInto(schema, key)));
  }
  return object;
}
