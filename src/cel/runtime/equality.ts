/**
 * The equality and order of values. Numbers of different types are compared by value. Values of types that are not
 * comparable are unequal and have no order.
 */
import { equalBytes } from '../../base/bytes.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type Value,
} from '../values.ts';
import { takeSteps } from './allowance.ts';
import { mapOfObject } from './native-values.ts';
import { runtimeTypeName } from './type-of-value.ts';

/** `a == b`. Throws CelError if a value of a library is compared with a value of another type. */
export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== 'object') {
    if (typeof a === 'number' || typeof a === 'bigint')
      return b instanceof CelDouble || b instanceof CelUint ? compareNumbers(a, b) === 0 : false;
    return false;
  }
  if (a === null || b === null) return false;
  if (a instanceof CelDouble || a instanceof CelUint) return isNumber(b) && compareNumbers(a, b) === 0;
  if (a instanceof CelList) return b instanceof CelList && equalLists(a, b);
  if (a instanceof CelMap) {
    if (b instanceof CelObject) return equalMaps(a, mapOfObject(b));
    return b instanceof CelMap && equalMaps(a, b);
  }
  if (a instanceof CelObject) {
    if (b instanceof CelMap) return equalMaps(mapOfObject(a), b);
    return b instanceof CelObject && a.equals(b);
  }
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalBytes(a, b);
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTypeValue)
    return b instanceof CelTypeValue && runtimeTypeName(a.type) === runtimeTypeName(b.type);
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b);
  // Values of libraries are comparable only with values of libraries.
  if (!(b instanceof CelOpaque)) throw new CelError('no such overload');
  return a.equals(b);
}

/** `a == b`, or false if the comparison fails, for searches in lists. */
export function isSameValue(a: Value, b: Value): boolean {
  try {
    return equalValues(a, b);
  } catch (caught) {
    if (caught instanceof CelError) return false;
    throw caught;
  }
}

/** The steps of comparing an item or an entry. The cost of a comparison does not cover nested values. */
const ITEM_STEPS = 10;
const ENTRY_STEPS = 400;

function equalLists(a: CelList, b: CelList): boolean {
  const size = a.size;
  takeSteps(ITEM_STEPS * (size < b.size ? size : b.size));
  if (a.equals !== undefined) return a.equals(b);
  if (size !== b.size) return false;
  for (let index = 0; index < size; index++) if (isDifferentItem(a.at(index), b.at(index))) return false;
  return true;
}

/** True if two items differ. Like in cel-go, items whose comparison fails count as equal. */
function isDifferentItem(a: Value, b: Value): boolean {
  try {
    return !equalValues(a, b);
  } catch (caught) {
    if (caught instanceof CelError) return false;
    throw caught;
  }
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  const { size } = a;
  if (size !== b.size) return false;
  takeSteps(ENTRY_STEPS * size);
  for (const key of a.keys()) {
    const other = b.get(key);
    if (other === undefined || !equalValues(a.get(key) as Value, other)) return false;
  }
  return true;
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equalValues(a.value, b.value);
}

type CelNumber = number | bigint | CelUint | CelDouble;

function isNumber(value: Value): value is CelNumber {
  return (
    typeof value === 'number' || typeof value === 'bigint' || value instanceof CelDouble || value instanceof CelUint
  );
}

/**
 * Negative, zero or positive; NaN if one of them is NaN. Like in cel-go, an int is converted to a double to compare it
 * with a double.
 */
function compareNumbers(a: CelNumber, b: CelNumber): number {
  if (a instanceof CelDouble) return compareDouble(a.value, b);
  if (b instanceof CelDouble) return -compareDouble(b.value, a);
  const left = a instanceof CelUint ? a.value : a;
  const right = b instanceof CelUint ? b.value : b;
  return left < right ? -1 : left > right ? 1 : 0;
}

const LOWEST_INT = -(2 ** 63);
const HIGHEST_INT = 2 ** 63;
const HIGHEST_UINT = 2 ** 64;

function compareDouble(value: number, other: CelNumber): number {
  if (other instanceof CelDouble) return order(value, other.value);
  if (other instanceof CelUint) {
    if (value < 0) return -1;
    return value > HIGHEST_UINT ? 1 : order(value, Number(other.value));
  }
  if (value < LOWEST_INT) return -1;
  return value > HIGHEST_INT ? 1 : order(value, Number(other));
}

function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
}

/** Negative, zero or positive. Throws CelError for values without an order and for NaN. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b);
  if (isNumber(a) && isNumber(b)) {
    const compared = compareNumbers(a, b);
    if (Number.isNaN(compared)) throw new CelError('NaN values cannot be ordered');
    return compared;
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return compareBigints(a.nanos, b.nanos);
  if (a instanceof CelDuration && b instanceof CelDuration) return compareBigints(a.nanos, b.nanos);
  throw new CelError('no such overload');
}

/** True if values of this type have an order. */
export function hasOrder(value: Value): boolean {
  if (typeof value !== 'object') return true;
  return (
    isNumber(value as Value) ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration ||
    value instanceof Uint8Array
  );
}

function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] as number) - (b[index] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
