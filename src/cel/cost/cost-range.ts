/**
 * Arithmetic of sizes and costs whose least and most are known. Invariant: nothing is ever more than UNBOUNDED, where cel-go's 64 bits end; numbers beyond 2^53 are
 * rounded, which no limit and no message is fine enough to see.
 */
import type { Range } from '../library.ts';

/** What cel-go has for "no bound": its largest number, 2^64 - 1, which as a double is this one. Results saturate here. */
export const UNBOUNDED: number = 2 ** 64;

export const UNKNOWN_SIZE: Range = { min: 0, max: UNBOUNDED };
export const FREE: Range = { min: 0, max: 0 };
export const ONE: Range = { min: 1, max: 1 };

/** Traversing a string costs this much per character. */
export const STRING_FACTOR = 0.1;
/** A regular expression multiplies the cost of its text by this much per character of the pattern. */
export const REGEX_FACTOR = 0.25;
export const LIST_COST = 10;
export const MAP_COST = 30;
export const OBJECT_COST = 40;

export function fixed(value: number): Range {
  return { min: value, max: value };
}

export function addRanges(a: Range, b: Range): Range {
  return { min: saturate(a.min + b.min), max: saturate(a.max + b.max) };
}

export function multiplyRanges(a: Range, b: Range): Range {
  return { min: multiply(a.min, b.min), max: multiply(a.max, b.max) };
}

/** Times a factor that need not be whole, rounded up. */
export function scaleRange(range: Range, factor: number): Range {
  return { min: scale(range.min, factor), max: scale(range.max, factor) };
}

/** The smallest range that holds both. */
export function uniteRanges(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** `value × factor + addend` where cel-go lets 64 bits overflow: what has no bound may come out small. */
export function wrappingMultiplyAdd(value: number, factor: number, addend: number): number {
  const result = value * factor + addend;
  if (result >= 0 && result <= Number.MAX_SAFE_INTEGER) return result;
  return Number(BigInt.asUintN(64, toUint(value) * BigInt(factor) + BigInt(addend)));
}

/** `a - b` where cel-go lets 64 bits underflow. */
export function wrappingSubtract(a: number, b: number): number {
  if (a >= b && a <= Number.MAX_SAFE_INTEGER) return a - b;
  return Number(BigInt.asUintN(64, toUint(a) - toUint(b)));
}

/** A cost or size in digits; UNBOUNDED as cel-go prints its largest number. */
export function formatBound(value: number): string {
  return toUint(value).toString();
}

/** What a hint says, brought into the limits of this arithmetic. */
export function bounded(range: Range): Range {
  return { min: saturate(range.min), max: saturate(range.max) };
}

function multiply(a: number, b: number): number {
  // No bound times nothing is nothing.
  return a === 0 || b === 0 ? 0 : saturate(a * b);
}

function scale(value: number, factor: number): number {
  return value === 0 ? 0 : saturate(Math.ceil(value * factor));
}

function saturate(value: number): number {
  return value < UNBOUNDED ? value : UNBOUNDED;
}

function toUint(value: number): bigint {
  return value >= UNBOUNDED ? 2n ** 64n - 1n : BigInt(value);
}
