import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUtf8, countCodePoints, sortByName, sortUtf8 } from './utf8.ts';

describe('compareUtf8', () => {
  it('has the order of the encoded bytes', () => {
    const char = fc.constantFrom('a', 'b', '\u00e9', '\ud7ff', '\ue000', '\uffee', '\u{10000}', '\u{10ffff}');
    const text = fc.oneof(fc.string({ unit: char, maxLength: 4 }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe('sortUtf8', () => {
  it('has the order of compareUtf8 and tells whether it changed, for few and many texts', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('\u{10000}', '\uffee', '\ud7ff'));
    fc.assert(
      fc.property(fc.oneof(fc.array(text), fc.array(text, { minLength: 33, maxLength: 60 })), (texts) => {
        const expected = [...texts].sort(compareUtf8);
        const sorted = [...texts];
        expect(sortUtf8(sorted)).toBe(expected.some((each, i) => each !== texts[i]));
        expect(sorted).toEqual(expected);
        expect(sortUtf8(sorted)).toBe(false);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

describe('sortByName', () => {
  it('has the order of compareUtf8, whatever the names hold', () => {
    const name = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('\u{10000}', '\uffee', '\ud7ff'));
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const items = names.map((text) => ({ text }));
        const sorted = sortByName([...items], ({ text }) => text).map(({ text }) => text);
        expect(sorted).toEqual([...names].sort(compareUtf8));
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('puts U+FFEE before U+10000, which UTF-16 does not', () => {
    expect(sortByName(['\u{10000}', '\uffee', 'a'], (text) => text)).toEqual(['a', '\uffee', '\u{10000}']);
  });
});

describe('countCodePoints', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['a\u{1f600}b', 3],
    ['\ud800', 1],
    ['\ud800\ud800\udc00', 2],
    ['\udc00\ud800', 2],
  ])('counts %j as %d', (text, count) => {
    expect(countCodePoints(text)).toBe(count);
  });
});
