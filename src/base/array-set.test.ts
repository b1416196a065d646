import { describe, expect, it } from 'vitest';
import { ArraySet, type ArraySetItem } from './array-set.ts';

interface Named extends ArraySetItem {
  readonly name: string;
}

function named(set: ArraySet<Named>, ...names: string[]): Named[] {
  const items = names.map((name): Named => ({ name }));
  for (const item of items) set.add(item);
  return items;
}

function namesIn(set: ArraySet<Named>): string[] {
  const names: string[] = [];
  set.visitAll(({ name }) => names.push(name));
  return names.sort();
}

describe('ArraySet', () => {
  it('has each item once, until it is deleted', () => {
    const set = new ArraySet<Named>();
    const [a, b, c] = named(set, 'a', 'b', 'c') as [Named, Named, Named];
    set.add(a);
    expect(namesIn(set)).toEqual(['a', 'b', 'c']);
    set.delete(a);
    set.delete(a);
    expect(namesIn(set)).toEqual(['b', 'c']);
    set.delete(c);
    set.delete(b);
    expect(set.size).toBe(0);
    set.add(a);
    expect(namesIn(set)).toEqual(['a']);
  });

  it.each([0, 1, 2, 3])('visits all other items when the visit of item %i deletes one', (culprit) => {
    for (let victim = 0; victim < 4; victim++) {
      const set = new ArraySet<Named>();
      const items = named(set, '0', '1', '2', '3');
      const seen = new Set<string>();
      set.visitAll((item) => {
        seen.add(item.name);
        if (item === items[culprit]) set.delete(items[victim] as Named);
      });
      const others = ['0', '1', '2', '3'].filter((name) => name !== String(victim) || victim === culprit);
      expect([...seen]).toEqual(expect.arrayContaining(others));
      expect(set.size).toBe(3);
    }
  });

  it('does not visit items that a visit adds', () => {
    const set = new ArraySet<Named>();
    named(set, 'a', 'b');
    let visits = 0;
    set.visitAll(() => {
      visits++;
      named(set, 'new');
    });
    expect(visits).toBe(2);
    expect(set.size).toBe(4);
  });
});
