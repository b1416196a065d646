/** The sizes of values. The size of a string is its number of code points. */
import { countCodePoints } from '../../base/utf8.ts';
import { CelList, CelMap, CelObject, CelOpaque, CelOptional, type Value } from '../values.ts';
import { takeSteps } from './allowance.ts';

/** Reading a longer text takes steps of the allowance, in UTF-16 units. */
export const LONG_TEXT = 256;

/** The number of code points of a string; a lone surrogate counts as one. Takes steps for long strings. */
export function codePoints(text: string): number {
  if (text.length > LONG_TEXT) takeSteps(text.length);
  return countCodePoints(text);
}

/** The size of a value for costs; 1 for values without a size. */
export function sizeForCost(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelObject || value instanceof CelOpaque)
    return value.size;
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelOptional && value.value !== undefined) return sizeForCost(value.value);
  return 1;
}

/** The cost of reading `size` characters, bytes or items once. */
export function traversalCost(size: number): number {
  return Math.ceil(size * 0.1);
}
