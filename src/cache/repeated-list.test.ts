import { describe, expect, it } from 'vitest';
import type { CacheList } from './cache.ts';
import { RepeatedList } from './repeated-list.ts';

const list: CacheList = { revision: 7, items: [new Uint8Array(1)], next: undefined, remaining: 0 };
const range = { prefix: '/things/' };

describe('the repeated list', () => {
  it('is returned for the same range, start and limit only', () => {
    const repeated = new RepeatedList();
    repeated.put(range, { limit: 0 }, list);
    expect(repeated.get(range, {})).toBe(list);
    expect(repeated.get({ prefix: '/others/' }, {})).toBeUndefined();
    expect(repeated.get({ key: '/things/' }, {})).toBeUndefined();
    expect(repeated.get(range, { limit: 5 })).toBeUndefined();
    expect(repeated.get(range, { start: '/things/b' })).toBeUndefined();
    repeated.put(range, { limit: 5, start: '/things/b' }, list);
    expect(repeated.get(range, { limit: 5, start: '/things/b' })).toBe(list);
    expect(repeated.get(range, {})).toBeUndefined();
  });

  it('is neither kept nor returned for a filter or a form', () => {
    const repeated = new RepeatedList();
    const filter = { text: 'all', matches: () => true };
    repeated.put(range, { filter }, list);
    repeated.put(range, { form: 'other' }, list);
    expect(repeated.get(range, {})).toBeUndefined();
    repeated.put(range, {}, list);
    expect(repeated.get(range, { filter })).toBeUndefined();
    expect(repeated.get(range, { form: 'other' })).toBeUndefined();
    expect(repeated.get(range, {})).toBe(list);
  });

  it('is dropped by a change, and if it is not used between two ticks', () => {
    const repeated = new RepeatedList();
    repeated.put(range, {}, list);
    repeated.clear();
    expect(repeated.get(range, {})).toBeUndefined();
    repeated.put(range, {}, list);
    repeated.tick();
    expect(repeated.get(range, {})).toBe(list);
    repeated.tick();
    repeated.tick();
    expect(repeated.get(range, {})).toBeUndefined();
  });
});
