/**
 * Comparison, arithmetic and conversion of Quantities. Results are exact, with one exception in `addQuantity`. No
 * function creates a number of more than about MAX_DIGITS digits from shorter ones.
 */
import { fitsInt64, MAX_DIGITS, MAX_INT64, MIN_INT64, pow10, type Quantity } from './quantity.ts';

export function isZeroQuantity(quantity: Quantity): boolean {
  return quantity.unscaled === 0n;
}

export function quantitySign(quantity: Quantity): -1 | 0 | 1 {
  return signOf(quantity.unscaled);
}

/** Compares by value. Formats do not matter. */
export function compareQuantity(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.exponent === b.exponent) return signOf(a.unscaled - b.unscaled);
  const sign = quantitySign(a);
  const other = quantitySign(b);
  if (sign !== other) return sign < other ? -1 : 1;
  if (sign === 0) return 0;
  const gap = a.exponent - b.exponent;
  if (Math.abs(gap) > 64) {
    // Only numbers of equal magnitude need aligned digits. The gap is then no longer than the digits themselves.
    const magnitude = digitCount(a.unscaled) + a.exponent - digitCount(b.unscaled) - b.exponent;
    if (magnitude !== 0) return magnitude > 0 === sign > 0 ? 1 : -1;
  }
  return gap > 0 ? signOf(a.unscaled * pow10(gap) - b.unscaled) : signOf(a.unscaled - b.unscaled * pow10(-gap));
}

/**
 * a + b, in the format of `a`, or of `b` if `a` is zero. If the exact sum would need more than MAX_DIGITS digits,
 * because the two differ by thousands of orders of magnitude, the smaller one is dropped. The reference would run out
 * of memory there.
 */
export function addQuantity(a: Quantity, b: Quantity): Quantity {
  const format = a.unscaled === 0n ? b.format : a.format;
  const wide = a.wide || b.wide;
  if (b.unscaled === 0n) return { ...a, format, wide, text: undefined };
  if (a.unscaled === 0n) return { ...b, format, wide, text: undefined };
  const exponent = Math.min(a.exponent, b.exponent);
  const gap = Math.max(a.exponent, b.exponent) - exponent;
  if (gap > 64 && gap + digitCount(a.exponent > b.exponent ? a.unscaled : b.unscaled) > MAX_DIGITS) {
    const larger = compareMagnitude(a, b) >= 0 ? a : b;
    return { ...larger, format, wide: true, text: undefined };
  }
  const x = a.unscaled * pow10(a.exponent - exponent);
  const y = b.unscaled * pow10(b.exponent - exponent);
  const unscaled = x + y;
  const overflow = !fitsInt64(x) || !fitsInt64(y) || !fitsInt64(unscaled);
  return { unscaled, exponent, format, wide: wide || overflow, text: undefined };
}

/** a - b; see `addQuantity`. */
export function subQuantity(a: Quantity, b: Quantity): Quantity {
  return addQuantity(a, negQuantity(b));
}

export function negQuantity(quantity: Quantity): Quantity {
  return { ...quantity, unscaled: -quantity.unscaled, text: undefined };
}

/**
 * The value as an int64, or undefined. As in the reference, only amounts without a fraction in their notation and
 * within its 64-bit form have one: `1.0` and `1.5Gi` do not, although they are whole.
 */
export function asInt64(quantity: Quantity): bigint | undefined {
  if (quantity.wide || quantity.exponent < 0) return undefined;
  return scaledToInt(quantity, 0).value;
}

/** The value rounded away from zero to an integer, limited to the range of int64. */
export function quantityValue(quantity: Quantity): bigint {
  return scaledValue(quantity, 0);
}

/** The value times 1000, rounded and limited as in `quantityValue`. */
export function quantityMilliValue(quantity: Quantity): bigint {
  return scaledValue(quantity, -3);
}

/** The value divided by 10^exponent, rounded and limited as in `quantityValue`. */
function scaledValue(quantity: Quantity, exponent: number): bigint {
  return scaledToInt(quantity, exponent).value ?? (quantity.unscaled > 0n ? MAX_INT64 : MIN_INT64);
}

/**
 * An approximate double, computed as the reference does: digits and power of ten are rounded separately. ±Infinity
 * beyond its range.
 */
export function asApproximateFloat(quantity: Quantity): number {
  const base = Number(quantity.unscaled);
  if (quantity.exponent === 0 || base === 0) return base;
  return base * floatPow10(quantity.exponent);
}

function signOf(value: bigint): -1 | 0 | 1 {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

function digitCount(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

function compareMagnitude(a: Quantity, b: Quantity): number {
  return compareQuantity(a.unscaled < 0n ? negQuantity(a) : a, b.unscaled < 0n ? negQuantity(b) : b);
}

/** The value over 10^exponent, rounded away from zero; undefined if it exceeds int64. */
function scaledToInt(quantity: Quantity, exponent: number): { value: bigint | undefined; exact: boolean } {
  const { unscaled } = quantity;
  const shift = quantity.exponent - exponent;
  if (unscaled === 0n) return { value: 0n, exact: true };
  if (shift > 19) return { value: undefined, exact: true };
  if (shift >= 0) return inInt64(unscaled * pow10(shift), true);
  // A shift longer than the digits leaves one unit of the right sign.
  if (-shift > MAX_DIGITS && -shift > digitCount(unscaled)) return { value: unscaled > 0n ? 1n : -1n, exact: false };
  const divisor = pow10(-shift);
  const quotient = unscaled / divisor;
  if (unscaled % divisor === 0n) return inInt64(quotient, true);
  return inInt64(unscaled > 0n ? quotient + 1n : quotient - 1n, false);
}

function inInt64(value: bigint, exact: boolean): { value: bigint | undefined; exact: boolean } {
  return { value: fitsInt64(value) ? value : undefined, exact };
}

/**
 * The reference's power of ten: the product or quotient of two table entries, each exact to half a unit in the last
 * place.
 */
function floatPow10(n: number): number {
  if (n < -323) return 0;
  if (n > 308) return Number.POSITIVE_INFINITY;
  if (n >= 0) return Number(`1e${Math.trunc(n / 32) * 32}`) * Number(`1e${n % 32}`);
  return Number(`1e-${Math.trunc(-n / 32) * 32}`) / Number(`1e${-n % 32}`);
}
