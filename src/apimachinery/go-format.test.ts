import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUtf8, utf8Length } from '../base/utf8.ts';
import { formatAggregate, formatJson, formatNumber, isPrintable, quote } from './go-format.ts';

/** Any character; surrogates are left out, because two of them may meet and join. */
const character = fc
  .nat(0x10ffff)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

const seeded = { seed: 20, numRuns: 300 };

describe('quote', () => {
  it.each([
    ['plain text', '"plain text"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\u0007\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\u0000\u007f', '"\\x00\\x7f"'],
    ['é😀', '"é😀"'],
    ['\u00a0\u00ad\u2028', '"\\u00a0\\u00ad\\u2028"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ])('prints %j as %s', (text, expected) => {
    expect(quote(text)).toBe(expected);
  });

  it('shows a lone surrogate as the replacement character', () => {
    expect(quote('a\ud800')).toBe('"a\ufffd"');
  });
});

describe('formatNumber', () => {
  it.each<[number | bigint, string]>([
    [0, '0'],
    [1_000_000, '1000000'],
    [-9223372036854775808n, '-9223372036854775808'],
    [1234567.5, '1.2345675e+06'],
    [123456.25, '123456.25'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-2.5e-5, '-2.5e-05'],
    [1.5e300, '1.5e+300'],
    [2 ** 64, '1.8446744073709552e+19'],
  ])('prints %s as %s', (value, expected) => {
    expect(formatNumber(value)).toBe(expected);
  });

  it('prints a text that reads back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(formatNumber(value))).toBe(value === 0 ? 0 : value);
      }),
      seeded,
    );
  });
});

describe('formatJson', () => {
  it('sorts keys by code point and escapes what could be HTML', () => {
    expect(formatJson({ '😀': 1, '\uffee': 2, b: '<&>\u2028', a: [null, true, 5n] })).toBe(
      '{"a":[null,true,5],"b":"\\u003c\\u0026\\u003e\\u2028","\uffee":2,"😀":1}',
    );
  });

  it('keeps the order of keys of a declared type, at every depth', () => {
    expect(formatJson({ b: { d: 1, c: 2 }, a: [{ z: 1, y: 2 }] }, true)).toBe(
      '{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}',
    );
  });

  it('prints fields that objects would inherit', () => {
    expect(formatJson(JSON.parse('{"__proto__":1,"constructor":2}'))).toBe('{"__proto__":1,"constructor":2}');
  });
});

describe('UTF-8', () => {
  it('counts the bytes that an encoder makes', () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
      seeded,
    );
  });

  it('orders texts as their bytes', () => {
    const bytes = (text: string): string =>
      [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join('');
    fc.assert(
      fc.property(
        fc.string({ unit: character, maxLength: 4 }),
        fc.string({ unit: character, maxLength: 4 }),
        (a, b) => {
          const expected = bytes(a) < bytes(b) ? -1 : bytes(a) > bytes(b) ? 1 : 0;
          expect(Math.sign(compareUtf8(a, b))).toBe(expected);
        },
      ),
      seeded,
    );
  });

  it('takes the plain space, and no other, for printable', () => {
    expect([' ', 'a', 'é', '\u00a0', '\t'].map(isPrintable)).toEqual([true, true, true, false, false]);
  });
});

describe('formatAggregate', () => {
  it('prints one message as it is, and several distinct ones in brackets', () => {
    expect(formatAggregate([])).toBe('');
    expect(formatAggregate(['a'])).toBe('a');
    expect(formatAggregate(['a', 'a'])).toBe('a');
    expect(formatAggregate(['invalid bearer token', 'b', 'b'])).toBe('[invalid bearer token, b]');
  });
});
