import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedMap } from './ordered-map.ts';

type Model<K> = { key: K; value: number }[];

function modelSet<K extends string | number>(model: Model<K>, key: K, value: number): Model<K> {
  return [...model.filter((entry) => entry.key !== key), { key, value }].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function entriesOf<K extends string | number>(map: OrderedMap<K, number>, start?: K, end?: K): Model<K> {
  const entries: Model<K> = [];
  map.forEachFrom(start, end, (value, key) => {
    entries.push({ key, value });
  });
  return entries;
}

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('run' as const), from: fc.nat(400), length: fc.nat(90) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('cut' as const), from: fc.nat(400), length: fc.nat(120) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('set' as const), from: fc.nat(500), length: fc.constant(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('snapshot' as const), from: fc.constant(0), length: fc.constant(0) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('swap' as const), from: fc.nat(9), length: fc.constant(0) }) },
);

function checkAgainstModel<K extends string | number>(keyOf: (index: number) => K): void {
  fc.assert(
    fc.property(
      fc.array(command, { maxLength: 40 }),
      fc.nat(500),
      fc.nat(500),
      fc.nat(20),
      (commands, low, high, limit) => {
        let current = { map: new OrderedMap<K, number>(), model: [] as Model<K> };
        const others: (typeof current)[] = [];
        let stamp = 0;
        for (const { type, from, length } of commands) {
          if (type === 'snapshot') others.push({ map: current.map.clone(), model: current.model });
          else if (type === 'swap' && others.length > 0) {
            const at = from % others.length;
            const taken = others[at]!;
            others[at] = current;
            current = taken;
          } else if (type === 'cut') {
            for (let i = from; i < from + length; i++) {
              const key = keyOf(i);
              const before = current.model.find((entry) => entry.key === key)?.value;
              expect(current.map.delete(key)).toBe(before);
              if (before !== undefined) current.model = current.model.filter((entry) => entry.key !== key);
            }
          } else {
            for (let i = from; i < from + length; i++) {
              const key = keyOf(i);
              const before = current.model.find((entry) => entry.key === key)?.value;
              expect(current.map.set(key, ++stamp)).toBe(before);
              current.model = modelSet(current.model, key, stamp);
            }
          }
        }
        for (const { map, model } of [current, ...others]) {
          expect(map.size).toBe(model.length);
          expect(entriesOf(map)).toEqual(model);
          const start = keyOf(low);
          const end = keyOf(high);
          const inRange = model.filter((entry) => entry.key >= start && entry.key < end);
          expect(entriesOf(map, start, end)).toEqual(inRange);
          expect([...map.entries(start, end)]).toEqual(inRange.map(({ key, value }) => [key, value]));
          expect(map.count(start, end)).toBe(inRange.length);
          expect(map.rank(start)).toBe(model.filter((entry) => entry.key < start).length);
          expect(map.floor(start)).toEqual(model.filter((entry) => entry.key <= start).at(-1));
          expect(map.floor()).toEqual(model.at(-1));
          expect(map.at(low)).toEqual(model[low]);
          const shown = limit === 0 ? inRange : inRange.slice(0, limit);
          expect(map.page(start, end, limit)).toEqual({
            values: shown.map((entry) => entry.value),
            next: inRange[shown.length]?.key,
            remaining: inRange.length - shown.length,
          });
          for (const { key, value } of model) expect(map.get(key)).toBe(value);
        }
      },
    ),
    { seed: 20300101, numRuns: 200 },
  );
}

describe('OrderedMap', () => {
  it('agrees with a sorted array, snapshots interleaved, with number keys in ascending runs', () => {
    checkAgainstModel((index) => index);
  });

  it('agrees with a sorted array with string keys in scattered order', () => {
    checkAgainstModel((index) => `k${(index * 7919) % 1009}`);
  });

  it('agrees with a sorted array with number keys in descending runs', () => {
    checkAgainstModel((index) => -index);
  });

  it('stops when the callback returns false', () => {
    const map = new OrderedMap<number, number>();
    for (let i = 0; i < 1000; i++) map.set(i, i);
    const seen: number[] = [];
    map.forEachFrom(100, undefined, (value) => {
      seen.push(value);
      return value < 300;
    });
    expect(seen).toHaveLength(201);
    expect(seen.at(-1)).toBe(300);
  });

  it('iterates the entries as they were when the iterator took its first step', () => {
    const map = new OrderedMap<number, number>();
    for (let i = 0; i < 500; i++) map.set(i, i);
    const seen: number[] = [];
    for (const [key] of map.entries()) {
      seen.push(key);
      map.delete(key + 1);
      map.set(1000 + key, key);
    }
    expect(seen).toEqual(Array.from({ length: 500 }, (_, i) => i));
  });

  it('keeps many clones of one map apart', () => {
    const map = new OrderedMap<number, object>();
    for (let i = 0; i < 10_000; i++) map.set(i, { i });
    const clones = Array.from({ length: 200 }, (_, i) => {
      const clone = map.clone();
      clone.set(i * 50, { clone: i });
      return clone;
    });
    for (const [i, clone] of clones.entries()) {
      expect(clone.get(i * 50)).toEqual({ clone: i });
      expect(clone.get(i * 50 + 1)).toBe(map.get(i * 50 + 1));
      expect(map.get(i * 50)).toEqual({ i: i * 50 });
    }
  });
});
