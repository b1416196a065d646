import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { PlainMatcher } from './plain-matcher.ts';
import { readPlainPattern } from './plain-pattern.ts';

function plain(pattern: string): PlainMatcher | undefined {
  const read = readPlainPattern(pattern);
  return read === undefined ? undefined : new PlainMatcher(read);
}

const texts: fc.Arbitrary<string> = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'b', 'c', '-', '.', '0', '9', 'Z', '_', ' ', '\n', 'é', '😀', '\u2028'),
    maxLength: 12,
  }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

const atoms: fc.Arbitrary<string> = fc.constantFrom(
  'a',
  'b',
  '-',
  '.',
  '\\.',
  '\\-',
  '\\d',
  '\\W',
  '\\s',
  '\\S',
  '\\w',
  '[a-c]',
  '[^a-c]',
  '[-a-z0-9]',
  '[a-z0-9]',
  '[a\\d_-]',
  '[.+*]',
  '[^\\s]',
  '0',
  '_',
  ' ',
  '[A-Za-z]',
);
const quantifiers: fc.Arbitrary<string> = fc.constantFrom(
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '{2}',
  '{0,2}',
  '{1,}',
  '{0}',
  '{1,3}',
);

const { pattern: bodies } = fc.letrec<{ pattern: string; sequence: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atoms,
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
  sequence: fc
    .array(fc.tuple(tie('atom'), quantifiers), { maxLength: 4 })
    .map((parts) => parts.map(([atom, quantifier]) => atom + quantifier).join('')),
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((parts) => parts.join('|')),
}));

const patterns = fc
  .tuple(fc.constantFrom('', '^'), bodies, fc.constantFrom('', '$'))
  .map(([start, body, end]) => start + body + end);

describe('plain patterns', () => {
  it('match exactly what RE2 matches', () => {
    let compared = 0;
    fc.assert(
      fc.property(patterns, fc.array(texts, { minLength: 1, maxLength: 6 }), (pattern, inputs) => {
        const matcher = plain(pattern);
        if (matcher === undefined) return;
        const re2 = RE2JS.compile(pattern);
        for (const input of inputs) {
          const found = matcher.test(input);
          if (found === undefined) continue;
          compared++;
          expect([pattern, input, found]).toEqual([pattern, input, re2.test(input)]);
        }
      }),
      { numRuns: 600 },
    );
    expect(compared).toBeGreaterThan(500);
  });

  it('are parsed only if RE2 accepts them', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'ab01^$.[]|()*+?{},\\-:dDwWsnpQE_ é'), maxLength: 10 });
    fc.assert(
      fc.property(noise, (pattern) => {
        if (readPlainPattern(pattern) !== undefined) expect(() => RE2JS.compile(pattern)).not.toThrow();
      }),
      { numRuns: 1500 },
    );
  });

  it.each([
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    '^(\\d+)\\.(\\d+)\\.(\\d+)$',
    '^(0|[1-9][0-9]*)(m|Ki|Mi)?$',
    'a|b',
  ])('%s is one', (pattern) => {
    expect(readPlainPattern(pattern)).toBeDefined();
  });

  it.each([
    '(?i)a',
    '\\bword',
    'a*?',
    '^a|b$',
    '(^a)',
    '[[:alpha:]]',
    '\\pL',
    'é',
    '(a',
    'a**',
    '(a{100}){100}',
    '('.repeat(10_000),
  ])('%.20s is left to RE2', (pattern) => {
    expect(readPlainPattern(pattern)).toBeUndefined();
  });

  it('give up if they need too many states, in time linear in the text', () => {
    const matcher = plain('(a|b)*a(a|b){12}c') as PlainMatcher;
    let random = 1;
    const letter = (): string => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
      return random & 0x10000 ? 'a' : 'b';
    };
    const text = Array.from({ length: 20_000 }, letter).join('');
    expect(matcher.test(text)).toBeUndefined();
    expect(matcher.test(text.slice(0, 5))).toBe(false);
  });
});
