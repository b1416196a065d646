/**
 * The clauses of `format` in version 2 of the strings library, in its only locale en_US: `1,234.500000`, `1.5×10⁰³`,
 * items of lists as literals.
 */
import { formatGoFloat } from '../../../apimachinery/codec/go-float.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { decodeUtf8Strict } from '../../../base/bytes.ts';
import { compareUtf8 } from '../../../base/utf8.ts';
import { entriesOf, itemsOf } from '../../runtime/native-values.ts';
import { formatDurationSeconds, formatTimestamp } from '../../runtime/timestamps.ts';
import { runtimeTypeName, typeOfValue } from '../../runtime/type-of-value.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type Value,
} from '../../values.ts';
import { toExponentialExact, toFixedExact } from './exact-decimal.ts';
import type { ClauseLetter, Clauses } from './strings-format.ts';
import { clauseFault } from './strings-format-check.ts';

export function typeName(value: Value): string {
  return value instanceof CelObject ? 'map' : runtimeTypeName(typeOfValue(value));
}

function fault(letter: ClauseLetter, value: Value): CelError {
  return new CelError(clauseFault(letter, typeName(value)));
}

function textOfBytes(bytes: Uint8Array): string {
  const text = decodeUtf8Strict(bytes);
  if (text !== undefined) return text;
  throw new CelError('could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string');
}

function formatString(value: Value): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return String(value);
  if (value instanceof CelDouble) return formatGoFloat(value.value, 64);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof Uint8Array) return textOfBytes(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDurationSeconds(value);
  if (value instanceof CelTypeValue) return runtimeTypeName(value.type);
  if (value instanceof CelList) return `[${Array.from(itemsOf(value), formatItem).join(', ')}]`;
  if (value instanceof CelMap) return formatEntries(entriesOf(value));
  if (value instanceof CelObject) return formatEntries(fieldsOf(value));
  throw fault('s', value);
}

function* fieldsOf(object: CelObject): Generator<readonly [string, Value]> {
  for (const name of object.type.fieldNames()) {
    const value = object.get(name);
    if (value !== undefined) yield [name, value];
  }
}

/** Formats an item of a list or map as a CEL literal. */
function formatItem(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (value instanceof Uint8Array) return `b${quote(textOfBytes(value))}`;
  if (value instanceof CelTimestamp) return `timestamp(${quote(formatTimestamp(value))})`;
  if (value instanceof CelDuration) return `duration(${quote(formatDurationSeconds(value))})`;
  if (value instanceof CelDouble)
    return Number.isFinite(value.value) ? plainFixed(value.value) : quote(formatGoFloat(value.value, 64));
  const isKnown =
    value === null ||
    typeof value !== 'object' ||
    [CelUint, CelTypeValue, CelList, CelMap, CelObject].some((type) => value instanceof type);
  if (!isKnown) throw new CelError(`no formatting function for ${typeName(value)}`);
  return formatString(value);
}

function plainFixed(value: number): string {
  return (value < 0 || Object.is(value, -0) ? '-' : '') + toFixedExact(Math.abs(value), 6);
}

function formatEntries(entries: Iterable<readonly [Value, Value]>): string {
  const pairs = Array.from(entries, ([key, value]) => ({ key: formatKey(key), value: formatItem(value) }));
  pairs.sort((a, b) => compareUtf8(a.key, b.key));
  return `{${pairs.map(({ key, value }) => `${key}:${value}`).join(', ')}}`;
}

function formatKey(key: Value): string {
  if (key instanceof CelDouble) throw new CelError(`no formatting function for map key of type ${typeName(key)}`);
  return formatItem(key);
}

/** The value of an int or uint; undefined for other values. */
export function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value);
  return value instanceof CelUint ? value.value : undefined;
}

function inBase(letter: 'd' | 'b' | 'o', base: number, value: Value): string {
  const integer = integerOf(value);
  if (integer === undefined) throw fault(letter, value);
  return integer.toString(base);
}

export function formatHex(value: Value): string | undefined {
  const integer = integerOf(value);
  if (integer !== undefined) return integer.toString(16);
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (!(bytes instanceof Uint8Array)) return undefined;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function hex(letter: 'x' | 'X', value: Value): string {
  const digits = formatHex(value);
  if (digits === undefined) throw fault(letter, value);
  return letter === 'X' ? digits.toUpperCase() : digits;
}

const WORDS: ReadonlyMap<Value, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

function doubleOf(letter: 'f' | 'e', value: Value): number {
  const double = value instanceof CelDouble ? value.value : WORDS.get(value);
  if (double === undefined) throw fault(letter, value);
  return double;
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value < 0 ? '-∞' : '∞';
}

function fixed(value: Value, precision: number): string {
  const double = doubleOf('f', value);
  const word = special(double);
  if (word !== undefined) return word;
  const [whole = '', fraction] = toFixedExact(Math.abs(double), precision).split('.');
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
  return `${double < 0 ? '-' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** cel-go uses the precision as a minimum width; the number of digits is always six. */
function scientific(value: Value, width: number): string {
  const double = doubleOf('e', value);
  const word = special(double);
  if (word !== undefined) return word.padStart(width);
  const { mantissa, exponent } = toExponentialExact(Math.abs(double), 6);
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  const power = digits.replace(/[0-9]/g, (digit) => SUPERSCRIPTS[Number(digit)] as string);
  return `${double < 0 ? '-' : ''}${mantissa}×10${exponent < 0 ? '⁻' : ''}${power}`.padStart(width);
}

export const US_CLAUSES: Clauses = {
  s: formatString,
  d: (value) => inBase('d', 10, value),
  f: fixed,
  e: scientific,
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : inBase('b', 2, value)),
  x: (value) => hex('x', value),
  X: (value) => hex('X', value),
  o: (value) => inBase('o', 8, value),
};
