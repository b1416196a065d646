import { describe, expect, it } from 'vitest';
import { compileRe2, type Re2 } from './re2.ts';

function re2(pattern: string): Re2 {
  const compiled = compileRe2(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.regexp;
}

describe('compileRe2', () => {
  it("refuses in Go's words", () => {
    expect(compileRe2('(')).toEqual({ ok: false, message: 'error parsing regexp: missing closing ): `(`' });
    expect(compileRe2('(?=a)').ok).toBe(false);
  });

  it('matches anywhere, and from the left', () => {
    expect(re2('b+').test('abbc')).toBe(true);
    expect(re2('^b').test('abbc')).toBe(false);
    expect(re2('b+').find('abbcb')).toBe('bb');
    expect(re2('x').find('abc')).toBeUndefined();
  });

  it('finds all matches up to a limit', () => {
    expect(re2('a.').findAll('abacad')).toEqual(['ab', 'ac', 'ad']);
    expect(re2('a.').findAll('abacad', 2)).toEqual(['ab', 'ac']);
  });

  it('skips an empty match directly after another', () => {
    expect(re2('[0-9]*').findAll('123 abc 456')).toEqual(['123', '', '', '', '', '456']);
    expect(re2('a*').replaceAll('baac', () => '-')).toBe('-b-c-');
  });

  it('returns groups; one that did not participate is undefined', () => {
    expect(re2('(a)|(b)').groups('b')).toEqual(['b', undefined, 'b']);
    expect(re2('a').groups('b')).toBeUndefined();
  });

  it('replaces every match', () => {
    expect(re2('(a)(b)?').replaceAll('ab a c', ([all, a, b]) => `<${all}:${a}:${b ?? '-'}>`)).toBe(
      '<ab:a:b> <a:a:-> c',
    );
  });
});
