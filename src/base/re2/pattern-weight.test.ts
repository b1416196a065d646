import { describe, expect, it } from 'vitest';
import { patternWeight } from './pattern-weight.ts';
import { compileRe2 } from './re2.ts';

describe('the weight of a pattern', () => {
  it.each<[string, number]>([
    ['', 0],
    ['abc', 3],
    ['a{3}', 3],
    ['a{0,5}b', 6],
    ['a{2,}', 2],
    ['(ab){10}', 30],
    ['((a{10}){10}){10}', 1110],
    ['a{x}', 4],
    ['a{', 2],
    ['{3}', 0],
    ['\\{3}', 3],
    ['a)))', 1],
    ['\\pL{2}\\p{Greek}', 60],
  ])('%s is %i', (pattern, weight) => {
    expect(patternWeight(pattern)).toBe(weight);
  });

  it('is bounded: a larger pattern is refused at once', () => {
    for (const pattern of ['a{500}'.repeat(2000), '(a|b)'.repeat(20_000), '\\pL{900}\\pL{900}\\pL{900}'])
      expect(compileRe2(pattern)).toEqual({ ok: false, message: 'error parsing regexp: expression too large' });
    expect(compileRe2('a{500}'.repeat(20))).toMatchObject({ ok: true, regexp: { weight: 10_000 } });
  });
});
