/**
 * The check that the patterns of a schema compile. Patterns that compiled recently are not compiled again: schemas
 * repeat a few patterns, and compiling the pattern of a quantity takes a millisecond.
 */

import { patternWeight } from '../../base/re2/pattern-weight.ts';
import { compileRe2 } from '../../base/re2/re2.ts';

/**
 * The total weight of the patterns of one schema that may be compiled: about one second, and ten times what large
 * schemas have.
 */
const MAX_WEIGHT = 1_000_000;

/** Short patterns that are known to compile. Emptied when full. */
const GOOD_PATTERNS = new Set<string>();
const MAX_GOOD_PATTERNS = 256;
const MAX_GOOD_LENGTH = 256;

/** True if the pattern compiled recently. False says nothing about the pattern. */
export function isGoodPattern(pattern: string): boolean {
  return GOOD_PATTERNS.has(pattern);
}

/** Checks the patterns of one schema, with one budget for all of them. */
export class PatternChecker {
  #compiledWeight = 0;

  /** The reason why a pattern is refused; undefined if it compiles. */
  problem(pattern: string): string | undefined {
    if (GOOD_PATTERNS.has(pattern)) return undefined;
    this.#compiledWeight += patternWeight(pattern);
    if (this.#compiledWeight > MAX_WEIGHT) return 'the patterns of the schema are too large together';
    const compiled = compileRe2(pattern);
    if (!compiled.ok) return compiled.message;
    if (pattern.length <= MAX_GOOD_LENGTH) {
      if (GOOD_PATTERNS.size >= MAX_GOOD_PATTERNS) GOOD_PATTERNS.clear();
      GOOD_PATTERNS.add(pattern);
    }
    return undefined;
  }
}
