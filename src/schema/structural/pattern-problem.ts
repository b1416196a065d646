/** Whether the patterns of a schema compile. Invariant: those of one schema together cannot take long; what compiled lately is known to. */
import { compileRe2, patternWeight } from '../../base/re2/re2.ts';

/** Of all patterns of a schema that had to be compiled: about a second's worth, and ten times what large schemas have. */
const MAX_WEIGHT = 1_000_000;

/** In the schema that is being judged, which is done in one go. */
let compiledWeight = 0;

/** Short patterns that compile: schemas say the same few again and again, and a quantity's takes a millisecond. */
const GOOD_PATTERNS = new Set<string>();
const MAX_GOOD_PATTERNS = 256;
const MAX_GOOD_LENGTH = 256;

/** Another schema begins. */
export function renewPatternEffort(): void {
  compiledWeight = 0;
}

/** True if it compiled before. */
export function isGoodPattern(pattern: string): boolean {
  return GOOD_PATTERNS.has(pattern);
}

export function patternProblem(pattern: string): string | undefined {
  if (GOOD_PATTERNS.has(pattern)) return undefined;
  compiledWeight += patternWeight(pattern);
  if (compiledWeight > MAX_WEIGHT) return 'the patterns of the schema are too large together';
  const compiled = compileRe2(pattern);
  if (!compiled.ok) return compiled.message;
  if (pattern.length <= MAX_GOOD_LENGTH) {
    if (GOOD_PATTERNS.size >= MAX_GOOD_PATTERNS) GOOD_PATTERNS.clear();
    GOOD_PATTERNS.add(pattern);
  }
  return undefined;
}
