import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeComponent, firstParam, NO_PARAMS, parseQuery } from './query.ts';

describe('queries', () => {
  it('keep every value in order', () => {
    const params = parseQuery('a=1&b=x%20y+z&a=2&c&=d&e=f=g');
    expect(params.get('a')).toEqual(['1', '2']);
    expect(firstParam(params, 'b')).toBe('x y z');
    expect(firstParam(params, 'c')).toBe('');
    expect(firstParam(params, '')).toBe('d');
    expect(firstParam(params, 'e')).toBe('f=g');
    expect(firstParam(params, 'missing')).toBeUndefined();
  });

  it('drop malformed pairs and keep the others', () => {
    const params = parseQuery('a=%zz&b=1;c=2&d=3&%=x&&e=%4');
    expect([...params]).toEqual([['d', ['3']]]);
  });

  it('cost nothing when empty and count as none when there are too many', () => {
    expect(parseQuery('')).toBe(NO_PARAMS);
    expect(parseQuery('a&'.repeat(10_000)).size).toBe(0);
    expect(parseQuery('a&'.repeat(9_999)).get('a')?.length).toBe(9_999);
  });

  it('replace malformed UTF-8', () => {
    expect(decodeComponent('%ff%C3%A9')).toBe('\ufffd\u00e9');
    expect(decodeComponent('%E2%82')).toBe('\ufffd');
  });

  it('read back what encodeURIComponent writes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))), (pairs) => {
        const text = pairs.map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v)}`).join('&');
        const flat = [...parseQuery(text)].flatMap(([k, values]) => values.map((v) => `${k}=${v}`));
        expect(flat.sort()).toEqual(pairs.map(([k, v]) => `${k}=${v}`).sort());
      }),
      { seed: 20244, numRuns: 200 },
    );
  });

  it('never fail, whatever they contain', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab%&=+;0fF\u00e9\ud800') }), (text) => {
        for (const values of parseQuery(text).values()) expect(values.length).toBeGreaterThan(0);
      }),
      { seed: 20245, numRuns: 300 },
    );
  });
});
