import { describe, expect, it } from 'vitest';
import { Deferred } from './deferred.ts';

describe('Deferred', () => {
  it('keeps the first outcome', async () => {
    const deferred = new Deferred<number>();
    expect(deferred.settled).toBe(false);
    deferred.resolve(1);
    deferred.reject(new Error('late'));
    expect(deferred.settled).toBe(true);
    expect(await deferred.promise).toBe(1);
  });
});
