import { describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

function queueOf(work: (key: string) => Promise<void>, more: Partial<WorkQueueOptions> = {}) {
  const clock = new VirtualClock();
  const failures: string[] = [];
  const queue = new WorkQueue({
    clock,
    work,
    onFailure: (key, { message }) => failures.push(`${key} ${message}`),
    ...more,
  });
  return { clock, failures, queue };
}

describe('a queue', () => {
  it('works on a key once however often it was added before', async () => {
    const seen: string[] = [];
    const { queue } = queueOf(async (key) => void seen.push(key));
    for (const key of ['a', 'b', 'a']) queue.add(key);
    expect(seen).toEqual([]);
    await settle();
    expect(seen).toEqual(['a', 'b']);
  });

  it('works once more on a key that is added while it is worked on', async () => {
    const gate = new Deferred<void>();
    let runs = 0;
    const { queue } = queueOf(async () => {
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

  it('tries again after a failure, later each time, and at once if it is added', async () => {
    const times: number[] = [];
    const { queue, clock, failures } = queueOf(async () => {
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
    expect(clock.pendingTimers).toBe(0);
  });

  it('works on no more keys at a time than it may', async () => {
    const gates = new Map<string, Deferred<void>>();
    const { queue } = queueOf(
      (key) => {
        const gate = new Deferred<void>();
        gates.set(key, gate);
        return gate.promise;
      },
      { atOnce: 2 },
    );
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await settle();
    expect([...gates.keys()]).toEqual(['a', 'b']);
    gates.get('b')?.resolve(undefined);
    await settle();
    expect([...gates.keys()]).toEqual(['a', 'b', 'c']);
  });

  it('waits when it is stopped for what it works on, and begins nothing more', async () => {
    const gate = new Deferred<void>();
    const seen: string[] = [];
    const { queue, clock } = queueOf(async (key) => {
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
    await stopping;
    await settle();
    expect(seen).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
  });
});
