import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  generateName,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
} from './name-rules.ts';

describe('rules for generateName', () => {
  it.each([nameIsDnsLabel, nameIsDnsSubdomain, nameIsDns1035Label])(
    '%# lets a prefix end in a dash, not a name',
    (rule) => {
      expect(rule('my-', true)).toEqual([]);
      expect(rule('my-', false)).toHaveLength(1);
      expect(rule('-', true)).toHaveLength(1);
    },
  );

  it('refuse a prefix whose character before the dash takes several bytes', () => {
    expect(nameIsDnsLabel('é-', true)).toHaveLength(1);
  });

  it('ignore a dot before the dash, which masking hides, as the reference does', () => {
    expect(nameIsDnsLabel('a.-', true)).toEqual([]);
  });

  it('allow a path segment prefix that looks like a parent folder', () => {
    expect(nameIsPathSegment('..', true)).toEqual([]);
    expect(nameIsPathSegment('..', false)).toEqual(["may not be '..'"]);
  });
});

describe('generateName', () => {
  const zero = (): number => 0;

  it('appends five characters chosen by the random numbers it is given', () => {
    let i = 0;
    expect(generateName('my-', (below) => (i++ * 7) % below)).toBe('my-bks4c');
  });

  it('asks for numbers within its alphabet, which has no vowels', () => {
    const bounds = new Set<number>();
    const name = generateName('', (below) => {
      bounds.add(below);
      return below - 1;
    });
    expect(name).toBe('99999');
    expect([...bounds]).toEqual([27]);
  });

  it('cuts the prefix so that the name has 63 bytes', () => {
    expect(generateName('p'.repeat(80), zero)).toBe(`${'p'.repeat(58)}bbbbb`);
    expect(generateName('p'.repeat(58), zero)).toHaveLength(63);
  });

  it('cuts between characters', () => {
    expect(generateName(`${'p'.repeat(57)}é`, zero)).toBe(`${'p'.repeat(57)}bbbbb`);
  });

  it('makes a valid name of every valid prefix', () => {
    const prefix = fc.string({ unit: fc.constantFrom(...'ab1-'), minLength: 1, maxLength: 70 });
    fc.assert(
      fc.property(prefix, fc.nat(26), (text, pick) => {
        fc.pre(/^[a-z0-9]/.test(text) && nameIsDnsLabel(text, true).length === 0);
        expect(
          nameIsDnsLabel(
            generateName(text, () => pick),
            false,
          ),
        ).toEqual([]);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});
