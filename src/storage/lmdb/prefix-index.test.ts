import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PrefixIndex } from './prefix-index.ts';

const PREFIXES = ['', 'a/', 'a/b/', 'a/b', 'b/', 'b/a/', 'a', 'c/'];
const KEYS = ['a', 'a/b', 'a/b/c', 'a/b/d', 'a/bc', 'a/c/d', 'b/a', 'b/a/c', 'c', 'c/', 'd/e/f', ''];

it('finds the members of all prefixes of a key, whatever was added, removed and looked up before', () => {
  const step = fc.record({
    add: fc.boolean(),
    prefix: fc.constantFrom(...PREFIXES),
    member: fc.nat({ max: 2 }),
    keys: fc.subarray(KEYS),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const index = new PrefixIndex<string>();
      const model = new Set<string>();
      for (const { add, prefix, member, keys } of steps) {
        const name = `${prefix} ${member}`;
        if (add) index.add(prefix, name);
        else index.remove(prefix, name);
        if (add) model.add(name);
        else model.delete(name);
        for (const key of keys) {
          const expected = [...model].filter((each) => key.startsWith(each.slice(0, -2)));
          const found = index.find(key);
          expect([...found].sort()).toEqual(expected.sort());
          const lengths = found.map((each) => each.length);
          expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
        }
        expect(index.isEmpty).toBe(model.size === 0);
      }
    }),
  );
});

it('remembers a bounded number of folders', () => {
  const index = new PrefixIndex<number>();
  index.add('a/', 1);
  for (let i = 0; i < 10_000; i++) expect(index.find(`a/${i}/x`)).toEqual([1]);
});
