import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapePointerToken, unescapePointerToken } from './json-pointer.ts';

describe('tokens of JSON pointers', () => {
  it('escape ~ and /', () => {
    expect(['a/b', 'm~n', '~1'].map(escapePointerToken)).toEqual(['a~1b', 'm~0n', '~01']);
    expect(unescapePointerToken('~01')).toBe('~1');
  });

  it('keep a lone ~', () => {
    expect(unescapePointerToken('a~2~')).toBe('a~2~');
  });

  it('survive escaping and unescaping', () => {
    const token = fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', 'é') });
    fc.assert(
      fc.property(token, (text) => {
        expect(unescapePointerToken(escapePointerToken(text))).toBe(text);
      }),
      { seed: 61, numRuns: 300 },
    );
  });
});
