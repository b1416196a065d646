import { describe, expect, it } from 'vitest';
import { processQueue } from './process-queue.ts';
import { createRandom } from './random.fixtures.ts';
import { settle, VirtualClock } from './virtual-clock.ts';
import { createQueue, takeAll } from './work-queue.fixtures.ts';
import { WorkQueue } from './work-queue.ts';

/** Notes the outcome of a promise, to tell whether it has settled. */
function outcomeOf<T>(promise: Promise<T>): { value?: T; settled: boolean } {
  const outcome: { value?: T; settled: boolean } = { settled: false };
  void promise.then((value) => Object.assign(outcome, { value, settled: true }));
  return outcome;
}

describe('WorkQueue.add', () => {
  it('keeps one entry per key and hands keys out in the order of their first add', async () => {
    const { queue } = createQueue();
    for (const key of ['b', 'a', 'b', 'c', 'a']) queue.add(key);
    expect(queue.length).toBe(3);
    expect(await takeAll(queue)).toEqual(['b', 'a', 'c']);
  });

  it('hands out a key that was added during its processing once more, only after it is done', async () => {
    const { queue } = createQueue();
    queue.add('a');
    expect(await queue.get()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.length).toBe(1);
    expect(await takeAll(queue)).toEqual(['a']);
    expect(queue.length).toBe(0);
  });

  it('puts a key that was added during its processing behind the keys that became ready before it was done', async () => {
    const { queue } = createQueue();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('b');
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['b', 'a']);
  });

  it('is one hand-out to a call that waits, however often it runs before that call continues', async () => {
    const { queue } = createQueue();
    const waiting = queue.get();
    queue.add('a');
    queue.add('a');
    expect(await waiting).toBe('a');
    queue.done('a');
    expect(queue.length).toBe(0);
  });

  it('replaces a delayed add', async () => {
    const { queue, clock } = createQueue();
    queue.addAfter('a', 1000);
    queue.add('a');
    expect(clock.pendingTimers).toBe(0);
    expect(await takeAll(queue)).toEqual(['a']);
  });

  it('replaces a delayed add of a key in processing', async () => {
    const { queue, clock } = createQueue();
    queue.add('a');
    await queue.get();
    queue.addAfter('a', 1000);
    queue.add('a');
    expect(clock.pendingTimers).toBe(0);
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
  });
});

describe('WorkQueue.addAfter', () => {
  it('makes the key ready when the delay has passed, not before', async () => {
    const { queue, clock } = createQueue();
    queue.addAfter('a', 100);
    await clock.advance(99);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(['a']);
  });

  it('adds at once for a delay of 0 or less', async () => {
    const { queue } = createQueue();
    queue.addAfter('a', 0);
    queue.addAfter('b', -1);
    expect(await takeAll(queue)).toEqual(['a', 'b']);
  });

  it('keeps the earlier of two delays, whichever was asked for first', async () => {
    const { queue, clock } = createQueue();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('b', 50);
    queue.addAfter('b', 100);
    expect(clock.pendingTimers).toBe(2);
    await clock.advance(50);
    expect(await takeAll(queue)).toEqual(['a', 'b']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does nothing for a key that is ready already', async () => {
    const { queue, clock } = createQueue();
    queue.add('a');
    queue.addAfter('a', 100);
    expect(clock.pendingTimers).toBe(0);
  });

  it('remembers a key whose delay ends during its processing until it is done', async () => {
    const { queue, clock } = createQueue();
    queue.add('a');
    await queue.get();
    queue.addAfter('a', 10);
    await clock.advance(10);
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
  });
});

describe('WorkQueue.addRateLimited', () => {
  it('delays a key longer after each failure until it is forgotten', async () => {
    const { queue, clock } = createQueue();
    const times: number[] = [];
    for (let i = 0; i < 4; i++) {
      if (i === 3) queue.forget('a');
      const asked = clock.now();
      queue.addRateLimited('a');
      await clock.advanceToNext();
      times.push(clock.now() - asked);
      await takeAll(queue);
    }
    expect(times).toEqual([5, 10, 20, 5]);
    expect(queue.failures('a')).toBe(1);
  });

  it('does not count the failure of a key that is handed out again anyway', async () => {
    const { queue, clock } = createQueue();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.addRateLimited('a');
    expect(queue.failures('a')).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('uses the rate limiter it was given', async () => {
    const clock = new VirtualClock();
    const calls: string[] = [];
    const queue = new WorkQueue<string>({
      clock,
      rateLimiter: { when: () => 42, forget: (key) => void calls.push(`forget ${key}`), failures: () => 7 },
    });
    queue.addRateLimited('a');
    await clock.advance(42);
    expect(await takeAll(queue)).toEqual(['a']);
    queue.forget('a');
    expect(calls).toEqual(['forget a']);
    expect(queue.failures('a')).toBe(7);
  });
});

describe('WorkQueue.get', () => {
  it('waits for a key, and serves concurrent calls in order of arrival', async () => {
    const { queue } = createQueue();
    const first = outcomeOf(queue.get());
    const second = outcomeOf(queue.get());
    await settle();
    expect([first.settled, second.settled]).toEqual([false, false]);
    queue.add('a');
    expect(first.settled).toBe(false);
    await settle();
    expect([first.value, second.settled]).toEqual(['a', false]);
    queue.add('b');
    await settle();
    expect(second.value).toBe('b');
  });

  it('does not hand a key in processing to a call that waits', async () => {
    const { queue } = createQueue();
    queue.add('a');
    await queue.get();
    const waiting = outcomeOf(queue.get());
    queue.add('a');
    await settle();
    expect(waiting.settled).toBe(false);
    queue.done('a');
    await settle();
    expect(waiting.value).toBe('a');
  });

  it('rejects with the reason of its signal and leaves the keys to the other calls', async () => {
    const { queue } = createQueue();
    const abort = new AbortController();
    const impatient = queue.get({ signal: abort.signal });
    const patient = queue.get();
    abort.abort(new Error('enough'));
    queue.add('a');
    await expect(impatient).rejects.toThrow('enough');
    expect(await patient).toBe('a');
    await expect(queue.get({ signal: abort.signal })).rejects.toThrow('enough');
  });

  it('keeps a key that was handed out before the signal aborted', async () => {
    const { queue } = createQueue();
    const abort = new AbortController();
    const getting = queue.get({ signal: abort.signal });
    queue.add('a');
    await Promise.resolve();
    abort.abort(new Error('late'));
    expect(await getting).toBe('a');
  });
});

describe('WorkQueue.done', () => {
  it('refuses a key that was not handed out, or is done already', async () => {
    const { queue } = createQueue();
    expect(() => queue.done('a')).toThrow('did not hand out a');
    queue.add('a');
    await queue.get();
    queue.done('a');
    expect(() => queue.done('a')).toThrow('did not hand out a');
  });
});

describe('WorkQueue.drain', () => {
  it('hands out what is ready or was added again, refuses the rest, and resolves after the last is done', async () => {
    const { queue, clock } = createQueue();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    const drained = outcomeOf(queue.drain());
    for (const add of ['add', 'addRateLimited'] as const) queue[add]('d');
    queue.addAfter('d', 1);
    expect(clock.pendingTimers).toBe(0);
    expect(await queue.get()).toBe('b');
    const last = outcomeOf(queue.get());
    queue.done('b');
    await settle();
    expect(last.settled).toBe(false);
    queue.done('a');
    await settle();
    expect(last.value).toBe('a');
    expect(await queue.get()).toBeUndefined();
    expect(drained.settled).toBe(false);
    queue.done('a');
    await settle();
    expect(drained.settled).toBe(true);
    expect(queue.failures('d')).toBe(0);
  });

  it('ends the calls that wait when nothing is left', async () => {
    const { queue } = createQueue();
    const waiting = [queue.get(), queue.get()];
    await queue.drain();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  it('ends the calls that wait for more keys than are left', async () => {
    const { queue } = createQueue();
    const waiting = [queue.get(), queue.get()];
    queue.add('a');
    void queue.drain();
    expect(await Promise.all(waiting)).toEqual(['a', undefined]);
  });

  it('can be cut short by a stop', async () => {
    const { queue } = createQueue();
    queue.add('a');
    const drained = outcomeOf(queue.drain());
    await settle();
    expect(drained.settled).toBe(false);
    await queue.stop();
    await settle();
    expect(drained.settled).toBe(true);
  });
});

describe('WorkQueue.stop', () => {
  it('discards what waits and resolves when the keys in processing are done', async () => {
    const { queue, clock } = createQueue();
    for (const key of ['a', 'b']) queue.add(key);
    await queue.get();
    queue.add('a');
    queue.addAfter('c', 10);
    const stopped = outcomeOf(queue.stop());
    expect(queue.stopped).toBe(true);
    expect(queue.length).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(await queue.get()).toBeUndefined();
    await settle();
    expect(stopped.settled).toBe(false);
    queue.done('a');
    await settle();
    expect(stopped.settled).toBe(true);
    expect(queue.stop()).toBe(queue.stop());
  });
});

describe('WorkQueue under random load', () => {
  it('never processes a key twice at once, and processes each key after its last add', async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const random = createRandom(seed);
      const { queue, clock } = createQueue();
      const running = new Set<string>();
      const lastAdd = new Map<string, number>();
      const lastStart = new Map<string, number>();
      let order = 0;
      const processed = processQueue(queue, {
        concurrency: 1 + random.int(4),
        work: async (key) => {
          expect(running.has(key)).toBe(false);
          running.add(key);
          lastStart.set(key, order++);
          await new Promise<void>((resolve) => clock.setTimer(random.int(20), resolve));
          running.delete(key);
          if (random.next() < 0.3) throw new Error('no');
        },
        onFailure: () => undefined,
      });
      for (let i = 0; i < 100; i++) {
        const key = random.pick(['a', 'b', 'c', 'd', 'e']);
        lastAdd.set(key, order++);
        if (random.next() < 0.7) queue.add(key);
        else queue.addAfter(key, random.int(50));
        if (random.next() < 0.5) await clock.advance(random.int(10));
      }
      while (await clock.advanceToNext());
      for (const [key, at] of lastAdd) expect(lastStart.get(key)).toBeGreaterThan(at);
      expect(running.size).toBe(0);
      await Promise.all([queue.drain(), processed]);
    }
  });
});
