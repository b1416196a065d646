/** The conversions `int(x)`, `string(x)` and so on, `type(x)` and `dyn(x)`. */
import { formatGoFloat } from '../../../apimachinery/codec/go-float.ts';
import { parseDuration } from '../../../apimachinery/scalars/duration.ts';
import { parseGoInt } from '../../../apimachinery/scalars/go-number.ts';
import { decodeUtf8Strict, encodeUtf8 } from '../../../base/bytes.ts';
import type { FunctionDeclaration } from '../../library.ts';
import { parseGoFloat } from '../../runtime/go-strconv.ts';
import { intOf, intOfDouble, MAX_UINT, uintOf, uintOfDouble } from '../../runtime/integers.ts';
import { sizeForCost, traversalCost } from '../../runtime/sizes.ts';
import {
  floorDivide,
  formatDurationSeconds,
  formatTimestamp,
  parseTimestamp,
  timestampOf,
} from '../../runtime/timestamps.ts';
import { typeOfValue } from '../../runtime/type-of-value.ts';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, paramType, STRING, TIMESTAMP, typeOf, UINT } from '../../types.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  type CelInt,
  type CelTimestamp,
  CelTypeValue,
  CelUint,
  type Value,
} from '../../values.ts';
import { declare, overload } from '../declare.ts';

const A = paramType('A');

type Evaluate = (...args: Value[]) => Value;

function same(value: Value): Value {
  return value;
}

/** A conversion from a text. `read` returns undefined for a text that cannot be converted. */
function fromText(type: string, read: (text: string) => Value | undefined): Evaluate {
  return (text) => {
    const value = read(text as string);
    if (value === undefined) throw new CelError(`type conversion error from 'string' to '${type}'`);
    return value;
  };
}

/** The spellings that Go's `strconv.ParseBool` accepts. */
const BOOLS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

function readInt(text: string): Value | undefined {
  const parsed = parseGoInt(text);
  return parsed.ok ? intOf(parsed.value) : undefined;
}

function readUint(text: string): Value | undefined {
  if (!/^[0-9]+$/.test(text) || text.replace(/^0+/, '').length > 20) return undefined;
  const value = BigInt(text);
  return value > MAX_UINT ? undefined : new CelUint(value);
}

function readDouble(text: string): Value | undefined {
  const value = parseGoFloat(text);
  return value === undefined ? undefined : new CelDouble(value);
}

function readDuration(text: string): Value | undefined {
  const parsed = parseDuration(text);
  return parsed.ok ? new CelDuration(parsed.value) : undefined;
}

function textOfBytes(bytes: Value): Value {
  const text = decodeUtf8Strict(bytes as Uint8Array);
  if (text === undefined) throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  return text;
}

const TRAVERSED = { runtimeCost: (args: readonly Value[]): number => traversalCost(sizeForCost(args[0] as Value)) };

const SECOND = 1_000_000_000n;

export const CONVERSIONS: readonly FunctionDeclaration[] = [
  declare(
    'type',
    overload('type', [A], typeOf(A), (value) => new CelTypeValue(typeOfValue(value as Value))),
  ),
  declare('dyn', overload('to_dyn', [A], DYN, same)),
  declare(
    'bool',
    overload('bool_to_bool', [BOOL], BOOL, same),
    overload(
      'string_to_bool',
      [STRING],
      BOOL,
      fromText('bool', (text) => BOOLS.get(text)),
    ),
  ),
  declare(
    'bytes',
    overload('bytes_to_bytes', [BYTES], BYTES, same),
    overload('string_to_bytes', [STRING], BYTES, (text) => encodeUtf8(text as string), TRAVERSED),
  ),
  declare(
    'double',
    overload('double_to_double', [DOUBLE], DOUBLE, same),
    overload('int64_to_double', [INT], DOUBLE, (value) => new CelDouble(Number(value as CelInt))),
    overload('string_to_double', [STRING], DOUBLE, fromText('double', readDouble)),
    overload('uint64_to_double', [UINT], DOUBLE, (value) => new CelDouble(Number((value as CelUint).value))),
  ),
  declare(
    'duration',
    overload('duration_to_duration', [DURATION], DURATION, same),
    overload('int64_to_duration', [INT], DURATION, () => {
      throw new CelError("type conversion error from 'int' to 'google.protobuf.Duration'");
    }),
    overload('string_to_duration', [STRING], DURATION, fromText('google.protobuf.Duration', readDuration)),
  ),
  declare(
    'int',
    overload('int64_to_int64', [INT], INT, same),
    overload('double_to_int64', [DOUBLE], INT, (value) => intOfDouble((value as CelDouble).value)),
    overload('duration_to_int64', [DURATION], INT, (value) => intOf((value as CelDuration).nanos)),
    overload('string_to_int64', [STRING], INT, fromText('int', readInt)),
    overload('timestamp_to_int64', [TIMESTAMP], INT, (value) =>
      intOf(floorDivide((value as CelTimestamp).nanos, SECOND)),
    ),
    overload('uint64_to_int64', [UINT], INT, (value) => intOf((value as CelUint).value)),
  ),
  declare(
    'string',
    overload('string_to_string', [STRING], STRING, same),
    overload('bool_to_string', [BOOL], STRING, (value) => String(value)),
    overload('bytes_to_string', [BYTES], STRING, (value) => textOfBytes(value as Value), TRAVERSED),
    overload('double_to_string', [DOUBLE], STRING, (value) => formatGoFloat((value as CelDouble).value, 64)),
    overload('duration_to_string', [DURATION], STRING, (value) => formatDurationSeconds(value as CelDuration)),
    overload('int64_to_string', [INT], STRING, (value) => String(value)),
    overload('timestamp_to_string', [TIMESTAMP], STRING, (value) => formatTimestamp(value as CelTimestamp)),
    overload('uint64_to_string', [UINT], STRING, (value) => String((value as CelUint).value)),
  ),
  declare(
    'timestamp',
    overload('timestamp_to_timestamp', [TIMESTAMP], TIMESTAMP, same),
    overload('int64_to_timestamp', [INT], TIMESTAMP, (value) => timestampOf(BigInt(value as CelInt) * SECOND)),
    overload('string_to_timestamp', [STRING], TIMESTAMP, fromText('google.protobuf.Timestamp', parseTimestamp)),
  ),
  declare(
    'uint',
    overload('uint64_to_uint64', [UINT], UINT, same),
    overload('double_to_uint64', [DOUBLE], UINT, (value) => uintOfDouble((value as CelDouble).value)),
    overload('int64_to_uint64', [INT], UINT, (value) => uintOf(BigInt(value as CelInt))),
    overload('string_to_uint64', [STRING], UINT, fromText('uint', readUint)),
  ),
];
