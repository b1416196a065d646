import { describe, expect, it } from 'vitest';
import { Deferred } from './deferred.ts';
import { type ProcessQueueOptions, processQueue } from './process-queue.ts';
import { settle, VirtualClock } from './virtual-clock.ts';
import { WorkQueue } from './work-queue.ts';

function startWork(work: (key: string) => Promise<void>, more: Partial<ProcessQueueOptions<string>> = {}) {
  const clock = new VirtualClock();
  const failures: string[] = [];
  const queue = new WorkQueue({ clock });
  const processed = processQueue(queue, {
    work,
    onFailure: (key, { message }) => failures.push(`${key} ${message}`),
    ...more,
  });
  return { clock, failures, queue, processed };
}

describe('processQueue', () => {
  it('works on a key once however often it was added before', async () => {
    const seen: string[] = [];
    const { queue } = startWork(async (key) => void seen.push(key));
    for (const key of ['a', 'b', 'a']) queue.add(key);
    expect(seen).toEqual([]);
    await settle();
    expect(seen).toEqual(['a', 'b']);
  });

  it('works once more on a key that is added while it is worked on', async () => {
    const gate = new Deferred<void>();
    let runs = 0;
    const { queue } = startWork(async () => {
      if (++runs === 1) await gate.promise;
    });
    queue.add('a');
    await settle();
    queue.add('a');
    queue.add('a');
    await settle();
    expect(runs).toBe(1);
    gate.resolve(undefined);
    await settle();
    expect(runs).toBe(2);
  });

  it('retries a failed key after a growing delay, and at once if the key is added', async () => {
    const times: number[] = [];
    const { queue, clock, failures } = startWork(async () => {
      times.push(clock.monotonic());
      if (times.length < 4) throw new Error('no');
    });
    const start = clock.monotonic();
    queue.add('a');
    await settle();
    await clock.advance(15);
    queue.add('a');
    await settle();
    expect(times.map((time) => time - start)).toEqual([0, 5, 15, 15]);
    expect(failures).toEqual(['a no', 'a no', 'a no']);
    expect(queue.failures('a')).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('treats a synchronous throw as a failure', async () => {
    const { queue, failures } = startWork(() => {
      throw new Error('sync');
    });
    queue.add('a');
    await settle();
    expect(failures).toEqual(['a sync']);
    expect(queue.failures('a')).toBe(1);
  });

  it('works without delay on a failed key that was added meanwhile, and does not count that failure', async () => {
    const gates = [new Deferred<void>(), new Deferred<void>()];
    let runs = 0;
    const { queue, clock, failures } = startWork(() => gates[runs++]?.promise ?? Promise.resolve());
    queue.add('a');
    await settle();
    queue.add('a');
    gates[0]?.reject(new Error('no'));
    await settle();
    expect(runs).toBe(2);
    expect(failures).toEqual(['a no']);
    expect(queue.failures('a')).toBe(0);
    gates[1]?.resolve();
    await settle();
    expect(clock.pendingTimers).toBe(0);
  });

  it('works on no more keys at a time than its concurrency', async () => {
    const gates = new Map<string, Deferred<void>>();
    const { queue } = startWork(
      (key) => {
        const gate = new Deferred<void>();
        gates.set(key, gate);
        return gate.promise;
      },
      { concurrency: 2 },
    );
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await settle();
    expect([...gates.keys()]).toEqual(['a', 'b']);
    gates.get('b')?.resolve(undefined);
    await settle();
    expect([...gates.keys()]).toEqual(['a', 'b', 'c']);
  });

  it('waits at a stop for the keys in processing, begins no other, and reports no failure', async () => {
    const gate = new Deferred<void>();
    const seen: string[] = [];
    const { queue, clock, failures, processed } = startWork(async (key) => {
      seen.push(key);
      await gate.promise;
      throw new Error('no');
    });
    queue.add('a');
    await settle();
    let stopped = false;
    const stopping = queue.stop().then(() => {
      stopped = true;
    });
    queue.add('b');
    await settle();
    expect(stopped).toBe(false);
    gate.resolve(undefined);
    await Promise.all([stopping, processed]);
    await settle();
    expect(seen).toEqual(['a']);
    expect(failures).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('works at a drain on every key that was ready, then ends', async () => {
    const seen: string[] = [];
    const { queue, processed } = startWork(
      async (key) => {
        seen.push(key);
        await settle();
      },
      { concurrency: 1 },
    );
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await Promise.all([queue.drain(), processed]);
    expect(seen).toEqual(['a', 'b', 'c']);
  });
});
