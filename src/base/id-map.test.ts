import { describe, expect, it } from 'vitest';
import { IdMap } from './id-map.ts';
import { createRandom } from './random.fixtures.ts';

describe('an IdMap', () => {
  it('sets, replaces, finds and deletes values', () => {
    const map = new IdMap<string>();
    map.set(1, 'a');
    map.set(2 ** 31 - 1, 'b');
    map.set(1, 'c');
    expect([map.get(1), map.get(2 ** 31 - 1), map.get(3), map.size]).toEqual(['c', 'b', undefined, 2]);
    expect([map.delete(1), map.delete(1), map.get(1), map.size]).toEqual([true, false, undefined, 1]);
    expect(map.values()).toEqual(['b']);
  });

  it('agrees with a Map over random operations', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = createRandom(seed);
      const map = new IdMap<number>();
      const model = new Map<number, number>();
      for (let step = 0; step < 400; step++) {
        // Few distinct ids, so that they collide, are deleted and return.
        const id = 1 + 2 * random.int(seed * 4);
        if (random.int(5) < 3) {
          map.set(id, step);
          model.set(id, step);
        } else expect(map.delete(id)).toBe(model.delete(id));
        expect([map.size, map.get(id)]).toEqual([model.size, model.get(id)]);
      }
      const ids = [...model.keys()].sort((a, b) => a - b);
      expect(map.values()).toEqual(ids.map((id) => model.get(id)));
      for (const [id, value] of model) expect(map.get(id)).toBe(value);
    }
  });
});
