import { describe, expect, it } from 'vitest';
import { Deferred } from './deferred.ts';
import { SharedRead } from './shared-read.ts';

describe('a shared read', () => {
  it('serves callers that arrive meanwhile by one more read, which begins after them', async () => {
    const reads: Deferred<number>[] = [];
    const shared = new SharedRead(() => {
      const read = new Deferred<number>();
      reads.push(read);
      return read.promise;
    });
    const first = shared.get();
    const [second, third] = [shared.get(), shared.get()];
    expect(reads).toHaveLength(1);
    reads[0]!.resolve(1);
    expect(await first).toBe(1);
    await Promise.resolve();
    await Promise.resolve();
    expect(reads).toHaveLength(2);
    reads[1]!.resolve(2);
    expect([await second, await third]).toEqual([2, 2]);
  });

  it('fails the callers of a failed read only', async () => {
    let count = 0;
    const shared = new SharedRead(async () => {
      if (count++ === 0) throw new Error('lost');
      return count;
    });
    const [first, second] = [shared.get(), shared.get()];
    await expect(first).rejects.toThrow('lost');
    expect(await second).toBe(2);
  });
});
