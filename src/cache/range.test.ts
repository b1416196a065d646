import { describe, expect, it } from 'vitest';
import type { CacheRange } from './cache.ts';
import { boundsOf, inRange, RangeIndex, rangeText } from './range.ts';

const found = (index: RangeIndex<string>, key: string): string[] => {
  const values: string[] = [];
  index.forEach(key, (value) => void values.push(value));
  return values.sort();
};

describe('ranges', () => {
  it('cover exactly the keys between their bounds', () => {
    const ranges: CacheRange[] = [{ prefix: '' }, { prefix: 'a/' }, { prefix: 'a/b/' }, { key: 'a/b' }, { key: 'a' }];
    const keys = ['a', 'a/', 'a/b', 'a/b/', 'a/b/c', 'a/ba', 'a0', 'b', 'a/b-c'];
    for (const range of ranges) {
      const { start, end } = boundsOf(range);
      for (const key of keys) expect(key >= start && (end === undefined || key < end)).toBe(inRange(range, key));
    }
    expect(boundsOf({ prefix: 'a/' }, 'a/x').start).toBe('a/x');
    expect(boundsOf({ prefix: 'b/' }, 'a/x').start).toBe('b/');
    expect(new Set(ranges.map(rangeText)).size).toBe(ranges.length);
  });

  it('are found by the prefixes of a key at segment boundaries, and by the key itself', () => {
    const index = new RangeIndex<string>();
    const ranges: CacheRange[] = [
      { prefix: '' },
      { prefix: 'a/' },
      { prefix: 'b/' },
      { prefix: 'a/b/' },
      { key: 'a/b' },
    ];
    for (const range of ranges) index.add(range, rangeText(range));
    index.add({ prefix: 'a/' }, 'again');
    for (const key of ['a/b', 'a/b/c', 'a', 'b/a', 'ab/c', 'a/bc']) {
      const expected = ranges.filter((range) => inRange(range, key)).map(rangeText);
      if (inRange({ prefix: 'a/' }, key)) expected.push('again');
      expect(found(index, key)).toEqual(expected.sort());
    }
    index.remove({ prefix: 'a/' }, '/a/');
    expect(found(index, 'a/x')).toEqual(['/', 'again']);
    index.remove({ prefix: 'a/' }, 'again');
    index.remove({ prefix: 'a/' }, 'never there');
    index.remove({ key: 'a/b' }, '=a/b');
    expect(found(index, 'a/b')).toEqual(['/']);
  });

  it('of other keys cost nothing: a lookup does not visit a thousand watchers of single objects', () => {
    const index = new RangeIndex<string>();
    for (let i = 0; i < 1000; i++) index.add({ key: `a/${i}` }, String(i));
    let asked = 0;
    index.forEach('a/7', () => void asked++);
    expect(asked).toBe(1);
  });
});
