/**
 * The arithmetic of cost and size ranges. Numbers above 2^53 are rounded; no limit and no message depends on the lost
 * digits.
 *
 * Invariant: results never exceed UNBOUNDED, where cel-go's uint64 saturates.
 */
import type { Range } from '../library.ts';

/** The value for "no bound": cel-go uses 2^64 - 1, which is this number as a double. Results saturate here. */
export const UNBOUNDED: number = 2 ** 64;

export const UNKNOWN_SIZE: Range = { min: 0, max: UNBOUNDED };
export const FREE: Range = { min: 0, max: 0 };
export const ONE: Range = { min: 1, max: 1 };

/** The cost of traversing a string, per character. */
export const STRING_FACTOR = 0.1;
/** The factor by which a regular expression multiplies the cost of the text, per character of the pattern. */
export const REGEX_FACTOR = 0.25;
/** The cost of creating a list, a map or an object, at run time and in estimates. */
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

/** Multiplies by a factor and rounds up. */
export function scaleRange(range: Range, factor: number): Range {
  return { min: scale(range.min, factor), max: scale(range.max, factor) };
}

/** The smallest range that contains both. */
export function uniteRanges(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** `value × factor + addend` with the uint64 overflow of cel-go: the result of an unbounded value may be small. */
export function wrappingMultiplyAdd(value: number, factor: number, addend: number): number {
  const result = value * factor + addend;
  if (result >= 0 && result <= Number.MAX_SAFE_INTEGER) return result;
  return Number(BigInt.asUintN(64, toUint(value) * BigInt(factor) + BigInt(addend)));
}

/** `a - b` with the uint64 underflow of cel-go. */
export function wrappingSubtract(a: number, b: number): number {
  if (a >= b && a <= Number.MAX_SAFE_INTEGER) return a - b;
  return Number(BigInt.asUintN(64, toUint(a) - toUint(b)));
}

/** Formats a cost or size; UNBOUNDED is printed as 2^64 - 1. */
export function formatBound(value: number): string {
  return toUint(value).toString();
}

/** Limits a size hint to UNBOUNDED. */
export function bounded(range: Range): Range {
  return { min: saturate(range.min), max: saturate(range.max) };
}

function multiply(a: number, b: number): number {
  // UNBOUNDED times zero is zero.
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
