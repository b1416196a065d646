/**
 * The cache of compiled patterns. It is bounded by the number and the total weight of the patterns. Compiling and
 * matching take steps of the evaluation's allowance.
 */

import { patternWeight } from '../../base/re2/pattern-weight.ts';
import { compileRe2, type Re2, type Re2Result } from '../../base/re2/re2.ts';
import { takeSteps } from './allowance.ts';

const MAX_PATTERNS = 1000;
/** The total weight of all cached patterns. */
const MAX_WEIGHT = 200_000;
/** The steps of compiling, for each unit of weight. */
const COMPILE_STEPS = 3000;
/** The steps of matching, for each unit of weight and each character. */
const MATCH_STEPS = 2;
/** Patterns of a larger weight are not cached. */
const MAX_CACHED_WEIGHT = MAX_WEIGHT / 10;

interface CachedPattern {
  readonly result: Re2Result;
  readonly weight: number;
}

const patterns: Map<string, CachedPattern> = new Map();
let keptWeight = 0;

/**
 * Compiles a pattern, or returns it from the cache. Throws CelStopped if the allowance does not cover the compilation.
 */
export function cachedPattern(pattern: string): Re2Result {
  const known = patterns.get(pattern);
  if (known !== undefined) return known.result;
  const weight = patternWeight(pattern);
  takeSteps(weight * COMPILE_STEPS);
  const result = compileRe2(pattern);
  if (weight > MAX_CACHED_WEIGHT) return result;
  // A Map iterates in the order of insertion: the oldest patterns are removed first.
  for (const [oldest, kept] of patterns) {
    if (patterns.size < MAX_PATTERNS && keptWeight + weight <= MAX_WEIGHT) break;
    patterns.delete(oldest);
    keptWeight -= kept.weight;
  }
  patterns.set(pattern, { result, weight });
  keptWeight += weight;
  return result;
}

/**
 * Takes the steps of matching a text. Throws CelStopped if the allowance does not cover them. In the worst case every
 * part of the pattern is tried at every position.
 */
export function checkMatching({ weight }: Re2, text: string): void {
  takeSteps(weight * text.length * MATCH_STEPS);
}
