import { describe, expect, it } from 'vitest';
import { type Held, HeldList } from './held-list.ts';

interface Named extends Held {
  readonly name: string;
}

function named(list: HeldList<Named>, ...names: string[]): Named[] {
  const items = names.map((name): Named => ({ name }));
  for (const item of items) list.add(item);
  return items;
}

function namesIn(list: HeldList<Named>): string[] {
  const names: string[] = [];
  list.visitAll(({ name }) => names.push(name));
  return names.sort();
}

describe('a list of what is held', () => {
  it('holds each item once, until it is deleted', () => {
    const list = new HeldList<Named>();
    const [a, b, c] = named(list, 'a', 'b', 'c') as [Named, Named, Named];
    list.add(a);
    expect(namesIn(list)).toEqual(['a', 'b', 'c']);
    list.delete(a);
    list.delete(a);
    expect(namesIn(list)).toEqual(['b', 'c']);
    list.delete(c);
    list.delete(b);
    expect(list.size).toBe(0);
    list.add(a);
    expect(namesIn(list)).toEqual(['a']);
  });

  it.each([0, 1, 2, 3])('visits every other one when visiting number %i deletes one of the others', (culprit) => {
    for (let victim = 0; victim < 4; victim++) {
      const list = new HeldList<Named>();
      const items = named(list, '0', '1', '2', '3');
      const seen = new Set<string>();
      list.visitAll((item) => {
        seen.add(item.name);
        if (item === items[culprit]) list.delete(items[victim] as Named);
      });
      const others = ['0', '1', '2', '3'].filter((name) => name !== String(victim) || victim === culprit);
      expect([...seen]).toEqual(expect.arrayContaining(others));
      expect(list.size).toBe(3);
    }
  });

  it('does not visit what is added on the way', () => {
    const list = new HeldList<Named>();
    named(list, 'a', 'b');
    let visits = 0;
    list.visitAll(() => {
      visits++;
      named(list, 'new');
    });
    expect(visits).toBe(2);
    expect(list.size).toBe(4);
  });
});
