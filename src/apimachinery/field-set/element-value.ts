/**
 * The order and the text of values inside path elements: keys of list items, and items of sets. The order is that of
 * structured-merge-diff's `value.Compare`, because it decides the order in which FieldsV1 is written.
 */
import { getField, type JsonArray, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { formatNumber, quote } from '../go-format.ts';

/**
 * Numbers precede strings, then come booleans, lists, objects and null. Negative if `a` precedes `b`, 0 if they are
 * equal.
 */
export function compareValues(a: JsonValue, b: JsonValue): number {
  if (a === b) return 0;
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB) return rankA - rankB;
  switch (rankA) {
    case NUMBER:
      return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
    case STRING:
      return compareUtf8(a as string, b as string);
    case BOOLEAN:
      return a === false ? -1 : 1;
    case LIST:
      return compareLists(a as JsonArray, b as JsonArray);
    case OBJECT:
      return compareObjects(a as JsonObject, b as JsonObject);
    default:
      return 0;
  }
}

const NUMBER = 0;
const STRING = 1;
const BOOLEAN = 2;
const LIST = 3;
const OBJECT = 4;
const NULL = 5;

function rankOf(value: JsonValue): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return NUMBER;
    case 'string':
      return STRING;
    case 'boolean':
      return BOOLEAN;
    default:
      return value === null ? NULL : Array.isArray(value) ? LIST : OBJECT;
  }
}

function compareLists(a: JsonArray, b: JsonArray): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareValues(a[i] as JsonValue, b[i] as JsonValue);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/**
 * The keys of both are visited in order; the object that lacks the first key that is not shared comes last, unless it
 * has no more keys.
 */
function compareObjects(a: JsonObject, b: JsonObject): number {
  const [keysA, keysB] = [Object.keys(a), Object.keys(b)];
  const keys = [...new Set([...keysA, ...keysB])].sort(compareUtf8);
  for (const [i, key] of keys.entries()) {
    if (i === keysA.length) return -1;
    if (i === keysB.length) return 1;
    const [valueA, valueB] = [getField(a, key), getField(b, key)];
    if (valueA === undefined) return 1;
    if (valueB === undefined) return -1;
    const order = compareValues(valueA, valueB);
    if (order !== 0) return order;
  }
  return 0;
}

/** How numbers of path elements print: elements that were read from FieldsV1 hold doubles in the reference. */
export type NumberForm = 'exact' | 'double';

/** A value as conflict messages show it: text quoted, lists as `[1,"a"]`, objects as `a=1` without brackets. */
export function formatElementValue(value: JsonValue, numbers: NumberForm = 'exact'): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return numbers === 'double' ? formatDouble(value) : formatNumber(value);
    case 'bigint':
      return numbers === 'double' ? formatDouble(Number(value)) : formatNumber(value);
    case 'boolean':
      return String(value);
    default:
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map((item) => formatElementValue(item, numbers)).join(',')}]`;
      return Object.keys(value)
        .sort(compareUtf8)
        .map((key) => `${key}=${formatElementValue(value[key] as JsonValue, numbers)}`)
        .join('');
  }
}

/** A double as `%v` prints it: an exponent from 1e6 on, also for integers. */
function formatDouble(value: number): string {
  if (Math.abs(value) < 1e6 || !Number.isInteger(value)) return formatNumber(value);
  const [mantissa, exponent] = value.toExponential().split('e+') as [string, string];
  return `${mantissa}e+${exponent.padStart(2, '0')}`;
}
