import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { element, fieldSet, path, wideSet } from './field-set.fixtures.ts';
import { equalSets, type FieldSet, fieldSetOf } from './field-set.ts';
import { compareElements, equalElements, formatPath, IndexElement, keyElement, ValueElement } from './path-element.ts';
import { difference, intersection, leaves, recursiveDifference, union, unionOf } from './set-algebra.ts';

const texts = (set: FieldSet): string[] => Array.from(set.paths(), (member) => formatPath(member));

describe('a path', () => {
  it('prints fields, keys, values and indexes', () => {
    const parts = ['spec', keyElement({ port: 80, name: 'a"b' }), new ValueElement('x'), new IndexElement(3), 'image'];
    expect(formatPath(parts)).toBe('.spec[name="a\\"b",port=80][="x"][3].image');
  });

  it('prints large numbers as doubles where it was read from FieldsV1', () => {
    expect(formatPath([keyElement({ id: 1000000 })])).toBe('[id=1000000]');
    expect(formatPath([keyElement({ id: 1000000 })], 'double')).toBe('[id=1e+06]');
    expect(formatPath([new ValueElement(1234567)], 'double')).toBe('[=1.234567e+06]');
  });
});

describe('the order of path elements', () => {
  it('puts names before keys, values and indexes', () => {
    const sorted = [
      'a',
      'b',
      keyElement({ name: 'a' }),
      keyElement({ name: 'a', port: 1 }),
      keyElement({ name: 'b' }),
      new ValueElement(9),
      new ValueElement(10),
      new ValueElement('a'),
      new ValueElement(false),
      new ValueElement(true),
      new ValueElement([]),
      new ValueElement({}),
      new ValueElement(null),
      new IndexElement(9),
      new IndexElement(10),
    ];
    expect(sorted.toReversed().sort(compareElements)).toEqual(sorted);
  });

  it('is total and agrees with equality', () => {
    fc.assert(
      fc.property(element, element, element, (a, b, c) => {
        expect(Math.sign(compareElements(a, b))).toBe(-Math.sign(compareElements(b, a)) + 0);
        expect(compareElements(a, b) === 0).toBe(equalElements(a, b));
        if (compareElements(a, b) <= 0 && compareElements(b, c) <= 0)
          expect(compareElements(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('a field set', () => {
  it('has the paths it was made of and no others', () => {
    fc.assert(
      fc.property(fc.array(path), path, (paths, other) => {
        const set = fieldSetOf(...paths);
        const given = new Set(paths.map((item) => formatPath(item)));
        expect(new Set(texts(set))).toEqual(given);
        expect(set.size).toBe(given.size);
        expect(set.has(other)).toBe(given.has(formatPath(other)));
      }),
    );
  });

  it('does not depend on the order in which paths are given', () => {
    fc.assert(
      fc.property(fc.array(path), (paths) => equalSets(fieldSetOf(...paths), fieldSetOf(...paths.toReversed()))),
    );
  });

  it('ignores the empty path', () => {
    expect(fieldSetOf([]).isEmpty).toBe(true);
    expect(fieldSetOf(['a']).has([])).toBe(false);
  });

  it('lists the members of a level before those below it', () => {
    expect(texts(fieldSetOf(['a', 'b'], ['c'], ['a']))).toEqual(['.a', '.c', '.a.b']);
  });
});

describe('set algebra', () => {
  const both = (check: (a: FieldSet, b: FieldSet) => boolean): void =>
    fc.assert(fc.property(fieldSet, fieldSet, check));
  const all = (check: (a: FieldSet, b: FieldSet, c: FieldSet) => boolean): void =>
    fc.assert(fc.property(fieldSet, fieldSet, fieldSet, check));

  it('agrees with sets of texts', () => {
    const uneven = fc.oneof(fieldSet, wideSet);
    const check = (a: FieldSet, b: FieldSet): boolean => {
      const [x, y] = [new Set(texts(a)), new Set(texts(b))];
      expect(new Set(texts(union(a, b)))).toEqual(new Set([...x, ...y]));
      expect(new Set(texts(intersection(a, b)))).toEqual(new Set([...x].filter((item) => y.has(item))));
      expect(new Set(texts(difference(a, b)))).toEqual(new Set([...x].filter((item) => !y.has(item))));
      return true;
    };
    fc.assert(fc.property(uneven, uneven, check));
    // One element of three hundred, and the other way round.
    const narrow = fieldSetOf(['w7'], ['w9', 'a'], ['other']);
    fc.assert(fc.property(wideSet, (wide) => check(wide, narrow) && check(narrow, wide)));
  });

  it('joins many sets into one', () => {
    fc.assert(fc.property(fc.array(fieldSet), (sets) => equalSets(unionOf(sets), sets.reduce(union, fieldSetOf()))));
  });

  it('has a commutative and associative union and intersection', () => {
    all((a, b, c) => equalSets(union(a, union(b, c)), union(union(a, b), c)) && equalSets(union(a, b), union(b, a)));
    all((a, b, c) => equalSets(intersection(a, intersection(b, c)), intersection(intersection(a, b), c)));
    both((a, b) => equalSets(intersection(a, b), intersection(b, a)));
  });

  it('distributes intersection over union and difference over both', () => {
    all((a, b, c) => equalSets(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c))));
    all((a, b, c) => equalSets(difference(a, union(b, c)), intersection(difference(a, b), difference(a, c))));
    both((a, b) => equalSets(union(difference(a, b), intersection(a, b)), a));
  });

  it('returns an operand itself where the result equals it', () => {
    both((a, b) => {
      const both = union(a, b);
      return union(both, a) === both && intersection(both, both) === both && difference(a, difference(b, a)) === a;
    });
  });

  it('removes whole subtrees in a recursive difference', () => {
    both((a, b) => {
      const rest = recursiveDifference(a, b);
      for (const member of a.paths()) {
        const isCovered = member.some((_, i) => b.has(member.slice(0, i + 1)));
        expect(rest.has(member)).toBe(!isCovered);
      }
      return equalSets(intersection(rest, a), rest);
    });
  });

  it('keeps the members without members below as leaves', () => {
    fc.assert(
      fc.property(fieldSet, (set) => {
        const kept = leaves(set);
        for (const member of set.paths()) {
          const below = Array.from(set.paths()).some(
            (other) => other.length > member.length && member.every((step, i) => equalElements(step, other[i] ?? '')),
          );
          expect(kept.has(member)).toBe(!below);
        }
        expect(equalSets(leaves(kept), kept)).toBe(true);
      }),
    );
  });
});
