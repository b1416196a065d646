import { describe, expect, it } from 'vitest';
import { andThen, isPromise } from './maybe-promise.ts';

describe('andThen', () => {
  it('stays synchronous for a plain value and waits for a promise', async () => {
    expect(andThen(1, (n) => n + 1)).toBe(2);
    const later = andThen(Promise.resolve(1), (n) => n + 1);
    expect(isPromise(later)).toBe(true);
    expect(await later).toBe(2);
  });
});
