import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapePointerToken, formatJsonPointer, parseJsonPointer, unescapePointerToken } from './json-pointer.ts';

describe('JSON pointers', () => {
  it('name the whole document when empty', () => {
    expect(parseJsonPointer('')).toEqual([]);
    expect(formatJsonPointer([])).toBe('');
  });

  it('escape ~ and / in tokens', () => {
    expect(formatJsonPointer(['a/b', 'm~n', 0])).toBe('/a~1b/m~0n/0');
    expect(escapePointerToken('~1')).toBe('~01');
    expect(unescapePointerToken('~01')).toBe('~1');
  });

  it('keep a lone ~ when read leniently, and refuse it when read strictly', () => {
    expect(unescapePointerToken('a~2~')).toBe('a~2~');
    expect(parseJsonPointer('/a~2')).toBeUndefined();
    expect(parseJsonPointer('/~')).toBeUndefined();
  });

  it('must begin with a slash', () => {
    expect(parseJsonPointer('a/b')).toBeUndefined();
    expect(parseJsonPointer('/')).toEqual(['']);
  });

  it('survive printing and parsing', () => {
    const token = fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', 'é') });
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        expect(parseJsonPointer(formatJsonPointer(tokens))).toEqual(tokens);
      }),
      { seed: 61, numRuns: 300 },
    );
  });
});
