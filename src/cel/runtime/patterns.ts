/**
 * Patterns of `matches`, compiled once. Invariant: a pattern that comes from data is forgotten when many others have come, so the memory is bounded.
 */
import { compileRe2, type Re2Result } from '../../base/re2/re2.ts';

const MAX_PATTERNS = 1000;

const patterns: Map<string, Re2Result> = new Map();

export function cachedPattern(pattern: string): Re2Result {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const compiled = compileRe2(pattern);
  if (patterns.size >= MAX_PATTERNS) {
    // The oldest goes; a Map keeps the order of insertion.
    const [oldest] = patterns.keys();
    if (oldest !== undefined) patterns.delete(oldest);
  }
  patterns.set(pattern, compiled);
  return compiled;
}
