import { describe, expect, it } from 'vitest';
import { Deferred } from './deferred.ts';
import { settleAll } from './settle-all.ts';

describe('settleAll', () => {
  it('returns the values in the order of the list', async () => {
    expect(await settleAll([Promise.resolve(1), undefined, Promise.resolve('b')])).toEqual([1, undefined, 'b']);
  });

  it('throws the first reason of the list, once every promise has settled', async () => {
    const slow = new Deferred<string>();
    let threw: unknown;
    const all = settleAll([slow.promise, Promise.reject('second'), Promise.reject('third')]).catch(
      (reason: unknown) => {
        threw = reason;
      },
    );
    await Promise.resolve();
    expect(threw).toBeUndefined();
    slow.resolve('late');
    await all;
    expect(threw).toBe('second');
  });
});
