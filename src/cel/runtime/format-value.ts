/**
 * The formatting of values in messages, in two forms: plain, as Go's `%v` prints them in errors (`no such key: x`), and
 * as CEL literals.
 */
import { formatGoFloat } from '../../apimachinery/codec/go-float.ts';
import { quote } from '../../apimachinery/go-format.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type Value,
} from '../values.ts';
import { formatDecimal } from './go-strconv.ts';
import { formatDurationSeconds, formatTimestamp } from './timestamps.ts';
import { runtimeTypeName } from './type-of-value.ts';

/** Formats a value as Go's `%v` does. */
export function formatPlain(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof CelDouble) return formatGoFloat(value.value, 64);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDurationSeconds(value);
  return formatLiteral(value);
}

/** Formats a value as a CEL literal. */
export function formatLiteral(value: Value): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
  }
  if (value === null) return 'null';
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof Uint8Array) return formatBytes(value);
  if (value instanceof CelTimestamp) return `timestamp("${formatTimestamp(new CelTimestamp(value.nanos))}")`;
  if (value instanceof CelDuration) return `duration("${formatDurationSeconds(value)}")`;
  if (value instanceof CelList)
    return `[${Array.from({ length: value.size }, (_, index) => formatLiteral(value.at(index))).join(', ')}]`;
  if (value instanceof CelMap) return formatMap(value);
  if (value instanceof CelTypeValue) return runtimeTypeName(value.type);
  if (value instanceof CelOptional)
    return value.value === undefined ? 'optional.none()' : `optional.of(${formatLiteral(value.value)})`;
  if (value instanceof CelObject) return formatObject(value);
  return value.type.name;
}

function formatBytes(bytes: Uint8Array): string {
  return `b"${Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}"`;
}

function formatMap(map: CelMap): string {
  const entries = Array.from(map.keys(), (key) => `${formatLiteral(key)}: ${formatLiteral(map.get(key) as Value)}`);
  return `{${entries.sort().join(', ')}}`;
}

function formatObject(object: CelObject): string {
  const fields: string[] = [];
  for (const name of object.type.fieldNames()) {
    const value = object.get(name);
    if (value !== undefined) fields.push(`${quote(name)}: ${formatLiteral(value)}`);
  }
  return `{${fields.sort().join(', ')}}`;
}

function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'double("NaN")';
  if (!Number.isFinite(value)) return value < 0 ? 'double("-Infinity")' : 'double("Infinity")';
  const text = formatDecimal(value);
  return text.includes('.') ? text : `${text}.0`;
}
