import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkKey, escapeSegment, MAX_KEY_BYTES, prefixEnd, unescapeSegment } from './keys.ts';

const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 });

describe('key segments', () => {
  it('escape any text into a valid segment, reversibly and without collisions', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const escaped = escapeSegment(a);
        checkKey(`scope/${escaped}`);
        expect(escaped).not.toContain('/');
        expect(unescapeSegment(escaped)).toBe(a);
        expect(escapeSegment(a) === escapeSegment(b)).toBe(a === b);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it('leave ordinary names unchanged', () => {
    for (const name of ['default', 'system:node', 'größe', '名前']) expect(escapeSegment(name)).toBe(name);
    expect(escapeSegment('🚢')).toBe('\ud7ff01f6a2');
    expect(escapeSegment('\ud83d')).toBe(escapeSegment('\ufffd'));
  });

  it('keep the order of UTF-8 bytes, of the text and of the segment', () => {
    fc.assert(
      fc.property(anyText, anyText, (...texts) => {
        const [a, b] = texts.map((text) => text.replaceAll('/', '')) as [string, string];
        const [x, y] = [escapeSegment(a), escapeSegment(b)];
        const order = x < y ? -1 : x > y ? 1 : 0;
        expect(Math.sign(Buffer.compare(Buffer.from(x), Buffer.from(y)))).toBe(order);
        expect(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))).toBe(order);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

describe('keys', () => {
  it('are refused when they are empty, too long or not escaped', () => {
    for (const bad of [
      '',
      'a\u0000',
      'a/🚢',
      'a/\uffff',
      'a/\u0001',
      'a/\u0001b',
      'a/\ud7ff',
      'a/\ud7ff000041',
      'a/\ud7ff00d800',
      'x'.repeat(MAX_KEY_BYTES + 1),
      'é'.repeat(MAX_KEY_BYTES / 2 + 1),
    ]) {
      expect(() => checkKey(bad)).toThrow('is empty, longer than');
    }
    for (const good of ['a', 'x'.repeat(MAX_KEY_BYTES), 'é'.repeat(MAX_KEY_BYTES / 2)])
      expect(() => checkKey(good)).not.toThrow();
  });

  it('with a prefix lie below its end', () => {
    expect(prefixEnd('a/b')).toBe('a/c');
    expect(prefixEnd('a/b/')).toBe('a/b0');
    expect(prefixEnd('')).toBeUndefined();
  });
});
