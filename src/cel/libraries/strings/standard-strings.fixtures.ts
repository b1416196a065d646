/**
 * Version 4 of the library `cel.lib.ext.strings`, the one that the CEL specification describes. Kubernetes has version
 * 2; the conformance data needs this one. Its `format` prints no separators and no quotes, and exponents as `1.5e+03`.
 */
import { decodeUtf8Strict } from '../../../base/bytes.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import type { Library } from '../../library.ts';
import { formatDecimal } from '../../runtime/go-strconv.ts';
import { entriesOf, itemsOf } from '../../runtime/native-values.ts';
import { formatDurationSeconds, formatTimestamp } from '../../runtime/timestamps.ts';
import { runtimeTypeName } from '../../runtime/type-of-value.ts';
import { STRING } from '../../types.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type Value,
} from '../../values.ts';
import { NOMINAL } from '../costs.ts';
import { declare, member } from '../declare.ts';
import { toExponentialExact, toFixedExact } from './exact-decimal.ts';
import { formatFunction, STRING_FUNCTIONS } from './strings.ts';
import type { Clauses } from './strings-format.ts';
import { formatHex, integerOf, typeName } from './strings-format-us.ts';

function fault(rule: string, value: Value): CelError {
  return new CelError(`${rule}, was given ${typeName(value)}`);
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value < 0 ? '-Infinity' : 'Infinity';
}

function formatString(value: Value): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return String(value);
  if (value instanceof CelDouble) return special(value.value) ?? formatDecimal(value.value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof Uint8Array) return decodeUtf8Strict(value) ?? new TextDecoder().decode(value);
  if (value instanceof CelTimestamp) return formatTimestamp(new CelTimestamp(value.nanos));
  if (value instanceof CelDuration) return formatDurationSeconds(value);
  if (value instanceof CelTypeValue) return runtimeTypeName(value.type);
  if (value instanceof CelList) return `[${Array.from(itemsOf(value), formatString).join(', ')}]`;
  if (value instanceof CelMap) return formatMap(value);
  throw fault(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  );
}

function formatMap(map: CelMap): string {
  const pairs = Array.from(entriesOf(map), ([key, value]) => [formatString(key), formatString(value)] as const);
  pairs.sort(([a], [b]) => compareUtf8(a, b));
  return `{${pairs.map(([key, value]) => `${key}: ${value}`).join(', ')}}`;
}

function numberOf(rule: string, value: Value): number {
  const integer = integerOf(value);
  if (integer !== undefined) return Number(integer);
  if (value instanceof CelDouble) return value.value;
  throw fault(rule, value);
}

function sign(value: number): string {
  return value < 0 || Object.is(value, -0) ? '-' : '';
}

function fixed(value: Value, precision: number): string {
  const double = numberOf('fixed-point clause can only be used on ints, uints, and doubles', value);
  return special(double) ?? sign(double) + toFixedExact(Math.abs(double), precision);
}

function scientific(value: Value, precision: number): string {
  const double = numberOf('scientific clause can only be used on ints, uints, and doubles', value);
  const word = special(double);
  if (word !== undefined) return word;
  const { mantissa, exponent } = toExponentialExact(Math.abs(double), precision);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${sign(double)}${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}

function inBase(rule: string, base: number, value: Value): string {
  const integer = integerOf(value);
  if (integer === undefined) throw fault(rule, value);
  return integer.toString(base);
}

function decimal(value: Value): string {
  if (value instanceof CelDouble) return special(value.value) ?? formatDecimal(value.value);
  return inBase('decimal clause can only be used on ints, uints, and doubles', 10, value);
}

function hex(value: Value): string {
  const digits = formatHex(value);
  if (digits !== undefined) return digits;
  throw fault('only ints, uints, bytes, and strings can be formatted as hex', value);
}

function binary(value: Value): string {
  if (typeof value === 'boolean') return String(Number(value));
  return inBase('only ints, uints, and bools can be formatted as binary', 2, value);
}

const STANDARD_CLAUSES: Clauses = {
  s: formatString,
  d: decimal,
  f: fixed,
  e: scientific,
  b: binary,
  x: hex,
  X: (value) => hex(value).toUpperCase(),
  o: (value) => inBase('octal clause can only be used on ints and uints', 8, value),
};

function reverse(text: Value): string {
  return [...(text as string)].reverse().join('');
}

export const STANDARD_STRINGS_LIBRARY: Library = {
  name: 'cel.lib.ext.strings',
  functions: [
    ...STRING_FUNCTIONS,
    formatFunction(STANDARD_CLAUSES),
    declare('reverse', member('string_reverse', [STRING], STRING, reverse, NOMINAL)),
  ],
  mixedLiteralsIn: ['format'],
};
