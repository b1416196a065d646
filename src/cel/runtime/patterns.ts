/**
 * Patterns of `matches`, compiled once. Invariant: a pattern that comes from data is forgotten when many others have come, or few large ones, so the memory is bounded; both compiling and
 * matching are taken from its allowance.
 */

import { patternWeight } from '../../base/re2/pattern-weight.ts';
import { compileRe2, type Re2, type Re2Result } from '../../base/re2/re2.ts';
import { takeSteps } from './allowance.ts';

const MAX_PATTERNS = 1000;
/** Of all that are kept. */
const MAX_WEIGHT = 200_000;
/** Steps for each unit of a pattern's weight. */
const COMPILE_STEPS = 3000;
/** For each unit of weight and each character. */
const MATCH_STEPS = 2;
/** Large ones are compiled again where they are used again. */
const KEPT_WEIGHT = MAX_WEIGHT / 10;

interface Kept {
  readonly result: Re2Result;
  readonly weight: number;
}

const patterns: Map<string, Kept> = new Map();
let keptWeight = 0;

export function cachedPattern(pattern: string): Re2Result {
  const known = patterns.get(pattern);
  if (known !== undefined) return known.result;
  const weight = patternWeight(pattern);
  takeSteps(weight * COMPILE_STEPS);
  const result = compileRe2(pattern);
  if (weight > KEPT_WEIGHT) return result;
  // The oldest go first; a Map keeps the order of insertion.
  for (const [oldest, kept] of patterns) {
    if (patterns.size < MAX_PATTERNS && keptWeight + weight <= MAX_WEIGHT) break;
    patterns.delete(oldest);
    keptWeight -= kept.weight;
  }
  patterns.set(pattern, { result, weight });
  keptWeight += weight;
  return result;
}

/** Throws CelStopped where matching may take too long: in the worst case every part of the pattern is tried at every place. */
export function checkMatching({ weight }: Re2, text: string): void {
  takeSteps(weight * text.length * MATCH_STEPS);
}
