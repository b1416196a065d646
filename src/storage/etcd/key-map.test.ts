import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkKey, escapeSegment } from '../keys.ts';
import { createKeyMap } from './key-map.ts';

const keys = createKeyMap('/registry', 'registry');
const name = fc
  .array(
    fc.oneof(
      fc.constantFrom('\0', '\u0001', '\u0003', '%', '\ud7ff', '\u{103ff}', '\uffff'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('').replaceAll('/', '.'));
const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('keys in etcd', () => {
  it.each(['a', 'größe', '名前', '🚢', '\ue000', '\uffff', 'a b%', '\u0001', '\ud7ff', 'a\0b'])(
    "have the bytes of kube-apiserver's for the name %j",
    (each) => {
      const key = `registry/clusterroles/${escapeSegment(each)}`;
      expect(keys.toEtcd(key)).toBe(`/registry/clusterroles/${each}`);
      expect(keys.fromEtcd(`/registry/clusterroles/${each}`)).toBe(key);
    },
  );

  it('are valid keys of the store in the same order', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        const [x, y] = [keys.fromEtcd(`/registry/r/${a}`), keys.fromEtcd(`/registry/r/${b}`)];
        checkKey(x);
        expect(keys.toEtcd(x)).toBe(`/registry/r/${a}`);
        expect(x < y ? -1 : x > y ? 1 : 0).toBe(bytewise(a, b));
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it('with a prefix are in its range, and others are not', () => {
    fc.assert(
      fc.property(name, name, (prefix, other) => {
        const range = keys.range(`registry/${escapeSegment(prefix)}`);
        const [start, end] = [range?.start ?? '', range?.end ?? ''];
        for (const each of [prefix, prefix + other, other]) {
          const key = `/registry/${each}`;
          const isIn = bytewise(key, start) >= 0 && bytewise(key, end) < 0;
          expect(isIn).toBe(each.startsWith(prefix));
        }
      }),
      { seed: 7, numRuns: 500 },
    );
    expect(keys.range(`registry/${escapeSegment('\ud7fe\u{10ffff}')}`)?.end).toBe('/registry/\ud7ff');
    expect(keys.range(`registry/${escapeSegment('\ud7ff')}`)?.end).toBe('/registry/\ue000');
    expect(createKeyMap('', '').range('')).toEqual({ start: '', end: '\0' });
  });

  it('of a segment with a slash are refused', () => {
    expect(() => keys.toEtcd(`registry/${escapeSegment('a/b')}`)).toThrow('cannot contain a slash');
    expect(keys.toEtcd(`registry/${escapeSegment('\0\u0003')}`)).toBe('/registry/\0\u0003');
  });
});
