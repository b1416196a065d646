/**
 * The arithmetic of ints and uints. A result out of the range of int64 or uint64 is an error.
 *
 * Invariant: an int is a number if it is a safe integer, and otherwise a bigint.
 */
import { CelError, type CelInt, CelUint } from '../values.ts';

export const MIN_INT: bigint = -(2n ** 63n);
export const MAX_INT: bigint = 2n ** 63n - 1n;
export const MAX_UINT: bigint = 2n ** 64n - 1n;

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

function overflow(): CelError {
  return new CelError('integer overflow');
}

function unsignedOverflow(): CelError {
  return new CelError('unsigned integer overflow');
}

/** Converts a bigint to an int. Throws "integer overflow" out of the range of int64. */
export function intOf(value: bigint): CelInt {
  if (value <= SAFE && value >= -SAFE) return Number(value);
  if (value < MIN_INT || value > MAX_INT) throw overflow();
  return value;
}

/** Converts a bigint to a uint. Throws "unsigned integer overflow" out of the range of uint64. */
export function uintOf(value: bigint): CelUint {
  if (value < 0n || value > MAX_UINT) throw unsignedOverflow();
  return new CelUint(value);
}

export function addInts(a: CelInt, b: CelInt): CelInt {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return intOf(BigInt(a) + BigInt(b));
}

export function subtractInts(a: CelInt, b: CelInt): CelInt {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return intOf(BigInt(a) - BigInt(b));
}

export function multiplyInts(a: CelInt, b: CelInt): CelInt {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return intOf(BigInt(a) * BigInt(b));
}

export function divideInts(a: CelInt, b: CelInt): CelInt {
  if (b === 0) throw new CelError('division by zero');
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
  return intOf(BigInt(a) / BigInt(b));
}

export function moduloInts(a: CelInt, b: CelInt): CelInt {
  if (b === 0) throw new CelError('modulus by zero');
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
  if (BigInt(a) === MIN_INT && b === -1) throw overflow();
  return intOf(BigInt(a) % BigInt(b));
}

export function negateInt(a: CelInt): CelInt {
  return typeof a === 'number' ? 0 - a : intOf(-a);
}

/**
 * Truncates a double to an int. Throws "integer overflow" out of the range of int64, whose both ends are excluded, as
 * in cel-go.
 */
export function intOfDouble(value: number): CelInt {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw overflow();
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? whole + 0 : intOf(BigInt(whole));
}

/** Truncates a double to a uint. Throws "unsigned integer overflow" out of the range of uint64. */
export function uintOfDouble(value: number): CelUint {
  if (!(value >= 0 && value < 2 ** 64)) throw unsignedOverflow();
  return new CelUint(BigInt(Math.trunc(value)));
}
