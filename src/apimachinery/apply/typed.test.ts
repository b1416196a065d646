import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, equalJson, type JsonValue } from '../../base/json-value.ts';
import { equalSets, fieldSetOf } from '../field-set/field-set.ts';
import { formatPath, keyElement, ValueElement } from '../field-set/path-element.ts';
import { TYPE, typedObject } from './apply.fixtures.ts';
import { compareTyped, isSame } from './comparison.ts';
import { mergeTyped } from './merge-typed.ts';
import { ensureNamedFieldsAreMembers } from './named-fields.ts';
import { reconcileFieldSet } from './reconcile-field-set.ts';
import { extractItems, removeItems } from './remove-items.ts';
import { toFieldSet } from './to-field-set.ts';
import { formatTypedIssues } from './typed-issue.ts';
import { MAX_TYPED_DEPTH, validateTyped } from './validate-typed.ts';

describe('validation', () => {
  it('accepts what the type allows', () => {
    fc.assert(fc.property(typedObject, (value) => validateTyped(value, TYPE) === undefined));
  });

  it.each<[string, JsonValue, string]>([
    ['an undeclared field', { inner: { other: 1 } }, '.inner.other: field not declared in schema'],
    ['a wrong scalar', { text: 5 }, '.text: expected string, got 5'],
    ['a scalar instead of a map', { map: 'x' }, '.map: expected map, got "x"'],
    ['a map instead of a list', { set: {} }, '.set: expected list, got {}'],
    ['an item of a wrong type', { list: ['a', 1] }, '.list[1]: expected string, got 1'],
    ['a duplicate item', { set: ['a', 'b', 'a'] }, '.set: duplicate entries for key [="a"]'],
    [
      'items that differ only in a default key',
      { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      '.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      'an item without its key',
      { items: [{ value: 1 }] },
      '.items: element 0: associative list with keys has an element that omits all key fields ["name"] ' +
        "(and doesn't have default values for any key fields)",
    ],
    ['a null item', { items: [null] }, '.items: element 0: associative list with keys may not have a null element'],
    [
      'a null in a set',
      { set: [null] },
      ".set: element 0: associative list without keys has an element that's an explicit null",
    ],
    ['a field of an item', { items: [{ name: 'a', x: 1 }] }, '.items[name="a"].x: field not declared in schema'],
  ])('refuses %s', (_, value, message) => {
    expect(formatTypedIssues(validateTyped(value, TYPE) ?? [])).toBe(message);
  });

  it('reports every field that is wrong', () => {
    const issues = validateTyped({ text: 1, number: 'x' }, TYPE) ?? [];
    expect(formatTypedIssues(issues)).toBe(
      'errors:\n  .text: expected string, got 1\n  .number: expected numeric (int or float), got "x"',
    );
  });

  it('allows duplicates with the option allowDuplicates', () => {
    expect(validateTyped({ set: ['a', 'a'] }, TYPE, { allowDuplicates: true })).toBeUndefined();
  });

  it('bounds the depth of deduced objects', () => {
    let deep: JsonValue = 1;
    for (let i = 0; i < 9000; i++) deep = { a: deep };
    expect(validateTyped({ deduced: deep }, TYPE)?.[0]?.message).toBe(
      `nested more than ${MAX_TYPED_DEPTH} levels deep`,
    );
  });
});

describe('a field set of a value', () => {
  it('has leaves, items and map keys, but no struct fields on the way', () => {
    const value = {
      text: 'a',
      inner: { text: 'a' },
      map: { k: 'v' },
      whole: { k: 'v' },
      list: ['a'],
      set: ['a'],
      items: [{ name: 'a', value: 1 }],
      ports: [{ port: 1 }],
      deduced: { a: { b: 1 } },
    };
    const set = toFieldSet(value, TYPE);
    expect(Array.from(set.paths(), (path) => formatPath(path)).sort()).toEqual([
      '.deduced.a',
      '.deduced.a.b',
      '.inner.text',
      '.items[name="a"]',
      '.items[name="a"].name',
      '.items[name="a"].value',
      '.list',
      '.map.k',
      '.ports[port=1,protocol="TCP"]',
      '.ports[port=1,protocol="TCP"].port',
      '.set[="a"]',
      '.text',
      '.whole',
    ]);
  });

  it('has null and empty objects, but no empty associative lists', () => {
    const set = toFieldSet({ text: null, inner: {}, map: null, set: [], items: [], list: [] }, TYPE);
    expect(equalSets(set, fieldSetOf(['text'], ['inner'], ['map'], ['list']))).toBe(true);
  });

  it('has one element for items that share a key, and nothing below it', () => {
    const set = toFieldSet({ items: [{ name: 'a' }, { name: 'b' }, { name: 'a' }, { name: 'a' }] }, TYPE);
    const [a, b] = [keyElement({ name: 'a' }), keyElement({ name: 'b' })];
    expect(equalSets(set, fieldSetOf(['items', a], ['items', b], ['items', b, 'name']))).toBe(true);
  });
});

describe('a comparison', () => {
  it('finds nothing between equal values and something between others', () => {
    fc.assert(
      fc.property(typedObject, typedObject, (a, b) => {
        expect(isSame(compareTyped(a, cloneJson(a), TYPE))).toBe(true);
        expect(isSame(compareTyped(a, b, TYPE)) && !equalJson(sorted(a), sorted(b))).toBe(false);
      }),
    );
  });

  it('turns around with its operands', () => {
    fc.assert(
      fc.property(typedObject, typedObject, (a, b) => {
        const [there, back] = [compareTyped(a, b, TYPE), compareTyped(b, a, TYPE)];
        return (
          equalSets(there.added, back.removed) &&
          equalSets(there.removed, back.added) &&
          equalSets(there.modified, back.modified)
        );
      }),
    );
  });

  it('takes items that share a key as one value', () => {
    const twice = [{ name: 'a' }, { name: 'a', value: 1 }];
    const element = keyElement({ name: 'a' });
    const { added, removed } = compareTyped({ items: twice }, { items: [{ name: 'a' }] }, TYPE);
    expect(equalSets(removed, fieldSetOf(['items', element]))).toBe(true);
    expect(equalSets(added, fieldSetOf(['items', element], ['items', element, 'name']))).toBe(true);
  });
});

describe('long lists of duplicates', () => {
  const items = Array.from({ length: 40_000 }, (_, i) => ({ name: `n${i % 20_000}`, value: i }));

  it('are validated, compared and merged in bounded time', () => {
    expect(validateTyped({ items }, TYPE)).toHaveLength(20_000);
    expect(compareTyped({ items }, { items: items.toReversed() }, TYPE).modified.size).toBe(20_000);
    expect(toFieldSet({ items }, TYPE).size).toBe(20_000);
    const merged = mergeTyped({ items }, { items: items.slice(0, 20_000) }, TYPE) as { items: JsonValue[] };
    expect(merged.items).toHaveLength(20_000);
  });
});

/** Associative lists in the order of their keys: a comparison ignores their order. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(
    keys.map((key) => [key, key === 'list' ? (value[key] as JsonValue) : sorted(value[key] as JsonValue)]),
  );
}

describe('a merge', () => {
  it('is the object itself if the configuration changes nothing', () => {
    fc.assert(
      fc.property(typedObject, typedObject, (object, config) => {
        const merged = mergeTyped(object, config, TYPE);
        return mergeTyped(merged, cloneJson(config), TYPE) === merged;
      }),
    );
  });

  it('removes nothing and changes neither operand', () => {
    fc.assert(
      fc.property(typedObject, typedObject, (object, config) => {
        const copies = [cloneJson(object), cloneJson(config)];
        const merged = mergeTyped(object, config, TYPE);
        expect([object, config]).toEqual(copies);
        // A value that changes its kind, or a list that becomes null, loses what it held.
        for (const path of compareTyped(object, merged, TYPE).removed.paths())
          expect(['.deduced', '.untyped', '.number'].some((prefix) => formatPath(path).startsWith(prefix))).toBe(true);
      }),
    );
  });

  it('is valid again', () => {
    fc.assert(
      fc.property(
        typedObject,
        typedObject,
        (object, config) => validateTyped(mergeTyped(object, config, TYPE), TYPE) === undefined,
      ),
    );
  });

  it.each<[string, string[], string[], string[]]>([
    ['appends new items', ['a', 'b'], ['c'], ['a', 'b', 'c']],
    ['takes the order of the configuration', ['a', 'b', 'c'], ['c', 'a'], ['b', 'c', 'a']],
    ['keeps items behind those that precede them', ['a', 'x', 'b'], ['a', 'b'], ['a', 'x', 'b']],
    ['puts new items where the configuration has them', ['a', 'b'], ['a', 'n', 'b'], ['a', 'n', 'b']],
    ['makes one of items that share a key', ['a', 'b', 'a'], ['a'], ['a', 'b']],
  ])('of a set %s', (_, before, config, merged) => {
    expect(mergeTyped({ set: before }, { set: config }, TYPE)).toEqual({ set: merged });
  });

  it('finds items of long lists', () => {
    const items = Array.from({ length: 2000 }, (_, i) => ({ name: `n${i}` }));
    const config = {
      items: [
        { name: 'n1999', value: 1 },
        { name: 'n0', value: 2 },
      ],
    };
    const merged = mergeTyped({ items }, config, TYPE) as { items: JsonValue[] };
    expect(merged.items).toHaveLength(2000);
    expect(merged.items.slice(-2)).toEqual([
      { name: 'n1999', value: 1 },
      { name: 'n0', value: 2 },
    ]);
  });

  it('ignores null for an object that has entries and takes it for one that has none', () => {
    expect(mergeTyped({ map: { a: 'x' } }, { map: null }, TYPE)).toEqual({ map: { a: 'x' } });
    expect(mergeTyped({ map: {} }, { map: null }, TYPE)).toEqual({ map: null });
  });
});

describe('removal and extraction', () => {
  it('of all fields of a value leave nothing and everything', () => {
    fc.assert(
      fc.property(typedObject, (value) => {
        const set = ensureNamedFieldsAreMembers(toFieldSet(value, TYPE), TYPE);
        const rest = removeItems(value, set, TYPE);
        return toFieldSet(rest, TYPE).isEmpty;
      }),
    );
  });

  it('leave null where nothing is left', () => {
    const set = fieldSetOf(['map', 'a'], ['set', new ValueElement('a')]);
    expect(removeItems({ map: { a: 'x' }, set: ['a'], text: 'b' }, set, TYPE)).toEqual({
      map: null,
      set: null,
      text: 'b',
    });
    expect(extractItems({ map: { a: 'x', b: 'y' }, set: ['a', 'b'] }, set, TYPE)).toEqual({
      map: { a: 'x' },
      set: ['a'],
    });
  });

  it('return the value itself if the set names nothing in it', () => {
    const value = { items: [{ name: 'a' }] };
    expect(removeItems(value, fieldSetOf(['items', keyElement({ name: 'b' })], ['text']), TYPE)).toBe(value);
  });
});

describe('a set from an earlier schema', () => {
  it('contains a value that has become atomic as a whole', () => {
    const set = fieldSetOf(['point', 'x'], ['list', new ValueElement('a')], ['inner', 'text'], ['gone', 'field']);
    const expected = fieldSetOf(['point'], ['list'], ['inner', 'text'], ['gone', 'field']);
    expect(equalSets(reconcileFieldSet(set, TYPE), expected)).toBe(true);
  });

  it('stays itself if nothing has become atomic', () => {
    fc.assert(
      fc.property(typedObject, (value) => {
        const set = toFieldSet(value, TYPE);
        return reconcileFieldSet(set, TYPE) === set;
      }),
    );
  });
});
