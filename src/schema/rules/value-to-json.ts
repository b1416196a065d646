/** The conversion of CEL values to JSON. Types, optionals and other values without a JSON form are errors. */
import { encodeBase64 } from '../../base/base64.ts';
import { type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import { entriesOf, itemsOf } from '../../cel/runtime/native-values.ts';
import { formatDurationSeconds, formatTimestamp } from '../../cel/runtime/timestamps.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelUint,
  type Value,
} from '../../cel/values.ts';
import { JsonStruct, Preserved } from './object-values.ts';

/** Throws CelError for a value that has no JSON form. */
export function valueToJson(value: Value): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof JsonStruct || value instanceof Preserved) return value.json;
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint)
    return value.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value.value) : value.value;
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDurationSeconds(value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof CelList) return Array.from(itemsOf(value), valueToJson);
  if (value instanceof CelMap) return mapToJson(value);
  throw new CelError('the value has no JSON form');
}

function mapToJson(map: CelMap): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entriesOf(map)) {
    if (typeof key !== 'string') throw new CelError('keys of an object must be strings');
    setField(object, key, valueToJson(value));
  }
  return object;
}
