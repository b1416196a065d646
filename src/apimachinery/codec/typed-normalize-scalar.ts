/**
 * Normalization of scalars: the form in which Go prints a scalar after reading it. Invariant: a value is refused here
 * if and only if `checkScalar` reports a problem. The common form of each scalar is recognised without parsing it.
 */
import { decodeBase64, encodeBase64 } from '../../base/base64.ts';
import type { JsonValue } from '../../base/json-value.ts';
import { formatDuration, parseDuration } from '../scalars/duration.ts';
import { formatQuantity } from '../scalars/quantity.ts';
import { parseQuantity } from '../scalars/quantity-parse.ts';
import {
  type Instant,
  microTimeToJson,
  type ParsedTime,
  parseMicroTime,
  parseTime,
  timeToJson,
} from '../scalars/time.ts';
import type { ScalarType } from '../type-view.ts';
import { checkScalar, quantityText } from './typed-scalar.ts';

/** Returns the normalized value, or undefined if it does not fit. Never called with null. */
export type Keep = (value: JsonValue) => JsonValue | undefined;

export function keepScalar(scalar: ScalarType): Keep {
  switch (scalar) {
    case 'string':
      return (value) => (typeof value === 'string' ? value : undefined);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : undefined);
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
    case 'int-or-string':
      return (value) => keepInteger(scalar, value);
    case 'float':
    case 'double':
      return (value) => (checkScalar(scalar, value) === undefined ? Number(value) : undefined);
    case 'bytes':
      return keepBytes;
    case 'quantity':
      return keepQuantity;
    case 'time':
      return (value) => keepTime(value, USUAL_TIME, parseTime, timeToJson);
    case 'micro-time':
      return (value) => keepTime(value, USUAL_MICRO_TIME, parseMicroTime, microTimeToJson);
    case 'duration':
      return keepDuration;
  }
}

function keepInteger(scalar: ScalarType, value: JsonValue): JsonValue | undefined {
  // A small positive integer. Negative zero is excluded: the binary forms print it differently.
  if (typeof value === 'number' && value > 0 && value <= 0x7fffffff && (value | 0) === value) return value;
  if (checkScalar(scalar, value) !== undefined) return undefined;
  return value === 0 ? 0 : value;
}

const CANONICAL_BASE64 = /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/;

/** Base64 is read leniently and printed canonically. A list of numbers counts as bytes too. */
function keepBytes(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'string') {
    if (value.length % 4 === 0 && CANONICAL_BASE64.test(value)) return value;
    const bytes = decodeBase64(value);
    return bytes === undefined ? undefined : encodeBase64(bytes);
  }
  if (checkScalar('bytes', value) !== undefined) return undefined;
  return encodeBase64(Uint8Array.from(value as JsonValue[], (item) => Number(item ?? 0)));
}

function keepQuantity(value: JsonValue): JsonValue | undefined {
  const text = quantityText(value);
  if (text === undefined) return undefined;
  const parsed = parseQuantity(text);
  return parsed.ok ? formatQuantity(parsed.value) : undefined;
}

function keepDuration(value: JsonValue): JsonValue | undefined {
  if (typeof value !== 'string') return undefined;
  const parsed = parseDuration(value);
  return parsed.ok ? formatDuration(parsed.value) : undefined;
}

// Excludes days that not every month has, and the year of the zero time.
const USUAL_TIME = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const USUAL_MICRO_TIME = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

function keepTime(
  value: JsonValue,
  usual: RegExp,
  parse: (text: string) => ParsedTime,
  print: (instant: Instant) => string | null,
): JsonValue | undefined {
  if (typeof value !== 'string') return undefined;
  if (usual.test(value)) return value;
  const parsed = parse(value);
  return parsed.ok ? print(parsed.value) : undefined;
}
