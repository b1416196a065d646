import { describe, expect, it } from 'vitest';
import { LruMap } from './lru-map.ts';
import { createRandom } from './random.fixtures.ts';

describe('an LruMap', () => {
  it('drops the entry that was used least recently, by get or set', () => {
    const map = new LruMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect(map.get('a')).toBe(1);
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
    map.set('a', 4);
    map.set('d', 5);
    expect([map.get('a'), map.get('c'), map.get('d')]).toEqual([4, undefined, 5]);
  });

  it('agrees with a Map in the order of use over random operations', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = createRandom(seed);
      const limit = seed % 8;
      const map = new LruMap<number, number>(limit);
      /** The least recently used first. */
      const model = new Map<number, number>();
      for (let step = 0; step < 400; step++) {
        const key = random.int(10);
        const known = model.get(key);
        model.delete(key);
        switch (random.int(3)) {
          case 0:
            expect(map.take(key)).toBe(known);
            break;
          case 1:
            expect(map.get(key)).toBe(known);
            if (known !== undefined) model.set(key, known);
            break;
          default:
            map.set(key, step);
            model.set(key, step);
            if (model.size > limit) model.delete(model.keys().next().value!);
        }
        expect(map.size).toBe(model.size);
      }
    }
  });
});
