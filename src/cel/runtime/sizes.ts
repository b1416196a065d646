/**
 * Sizes of values. Invariant: a string is as long as it has code points.
 */
import { CelList, CelMap, CelObject, CelOpaque, CelOptional, type Value } from '../values.ts';
import { takeSteps } from './allowance.ts';

/** Going through a longer one is worth counting. */
export const LONG_TEXT = 256;

/** How many code points a string has; a lone half of a surrogate pair counts as one. */
export function codePoints(text: string): number {
  const units = text.length;
  if (units > LONG_TEXT) takeSteps(units);
  let count = units;
  for (let index = 0; index < units - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    count--;
    index++;
  }
  return count;
}

/** The size that costs are reckoned by: 1 for what has none. */
export function sizeForCost(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelObject || value instanceof CelOpaque)
    return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelOptional && value.value !== undefined) return sizeForCost(value.value);
  return 1;
}

/** What it costs to go through `size` characters, bytes or items once. */
export function traversalCost(size: number): number {
  return Math.ceil(size * 0.1);
}
