import { describe, expect, it } from 'vitest';
import { abortable, onAbort } from './abort.ts';
import { Channel } from './channel.ts';
import { Deferred } from './deferred.ts';
import { andThen, isPromise } from './maybe-promise.ts';
import { Mutex } from './mutex.ts';
import { settle } from './virtual-clock.ts';

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

describe('andThen', () => {
  it('stays synchronous for a plain value and waits for a promise', async () => {
    expect(andThen(1, (n) => n + 1)).toBe(2);
    const later = andThen(Promise.resolve(1), (n) => n + 1);
    expect(isPromise(later)).toBe(true);
    expect(await later).toBe(2);
  });
});

describe('Mutex', () => {
  it('admits one at a time, in arrival order, and releases once', async () => {
    const mutex = new Mutex();
    const order: string[] = [];
    const release = await mutex.acquire();
    const tasks = ['a', 'b', 'c'].map((name) =>
      mutex.run(() => {
        order.push(name);
      }),
    );
    await settle();
    expect(order).toEqual([]);
    release();
    release();
    await Promise.all(tasks);
    expect(order).toEqual(['a', 'b', 'c']);
    expect(mutex.locked).toBe(false);
  });

  it('lets a waiter give up without losing the lock for the others', async () => {
    const mutex = new Mutex();
    const release = await mutex.acquire();
    const abort = new AbortController();
    const impatient = mutex.acquire({ signal: abort.signal });
    const patient = mutex.acquire();
    abort.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    release();
    (await patient)();
    expect(mutex.locked).toBe(false);
  });

  it('releases when the task throws', async () => {
    const mutex = new Mutex();
    await expect(
      mutex.run(() => {
        throw new Error('x');
      }),
    ).rejects.toThrow('x');
    expect(mutex.locked).toBe(false);
  });
});

describe('Channel', () => {
  it('refuses, drops the oldest or makes the sender wait, as it was told', async () => {
    const refusing = new Channel<number>({ capacity: 1, whenFull: 'refuse' });
    expect([refusing.offer(1), refusing.offer(2)]).toEqual(['accepted', 'refused']);

    const dropping = new Channel<number>({ capacity: 2, whenFull: 'drop-oldest' });
    expect([dropping.offer(1), dropping.offer(2), dropping.offer(3)]).toEqual([
      'accepted',
      'accepted',
      'dropped-oldest',
    ]);
    expect((await dropping.receive())?.value).toBe(2);

    const waiting = new Channel<number>({ capacity: 1, whenFull: 'wait' });
    await waiting.send(1);
    let sent = false;
    const second = waiting.send(2).then((outcome) => {
      sent = true;
      return outcome;
    });
    await settle();
    expect(sent).toBe(false);
    expect((await waiting.receive())?.value).toBe(1);
    expect(await second).toBe('accepted');
    expect(waiting.size).toBe(1);
  });

  it('delivers what waits before it ends, with its failure if there is one', async () => {
    const channel = new Channel<number>({ capacity: 5, whenFull: 'refuse' });
    channel.offer(1);
    channel.offer(2);
    channel.close(new Error('gone'));
    expect(channel.offer(3)).toBe('closed');
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const value of channel) seen.push(value);
      })(),
    ).rejects.toThrow('gone');
    expect(seen).toEqual([1, 2]);
  });

  it('keeps order and loses nothing with many waiting senders', async () => {
    const channel = new Channel<number>({ capacity: 3, whenFull: 'wait' });
    const senders = Array.from({ length: 3000 }, (_, i) => channel.send(i));
    void Promise.all(senders).then(() => channel.close());
    const seen: number[] = [];
    for await (const value of channel) seen.push(value);
    expect(seen).toEqual(Array.from({ length: 3000 }, (_, i) => i));
  });

  it('gives up waiting when the signal aborts, on both sides', async () => {
    const channel = new Channel<number>({ capacity: 1, whenFull: 'wait' });
    const abort = new AbortController();
    const receiving = channel.receive({ signal: abort.signal });
    abort.abort(new Error('stop'));
    await expect(receiving).rejects.toThrow('stop');
    await channel.send(1);
    const abortSend = new AbortController();
    const sending = channel.send(2, { signal: abortSend.signal });
    abortSend.abort(new Error('stop'));
    await expect(sending).rejects.toThrow('stop');
    expect((await channel.receive())?.value).toBe(1);
    expect(channel.size).toBe(0);
  });

  it('ends senders that wait when it is closed', async () => {
    const channel = new Channel<number>({ capacity: 1, whenFull: 'wait' });
    channel.offer(1);
    const sending = channel.send(2);
    channel.close();
    expect(await sending).toBe('closed');
  });

  it('closes when its reader leaves early', async () => {
    const channel = new Channel<number>({ capacity: 5, whenFull: 'refuse' });
    channel.offer(1);
    for await (const _ of channel) break;
    expect(channel.closed).toBe(true);
  });

  it('refuses a capacity below one', () => {
    expect(() => new Channel({ capacity: 0, whenFull: 'refuse' })).toThrow('capacity');
  });
});

describe('abort helpers', () => {
  it('leave no listener behind', async () => {
    const abort = new AbortController();
    let added = 0;
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      added++;
      add(...args);
    }) as typeof signal.addEventListener;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      added--;
      remove(...args);
    }) as typeof signal.removeEventListener;
    expect(await abortable(Promise.resolve(7), signal)).toBe(7);
    expect(added).toBe(0);
  });

  it('call back at once on a signal that is aborted already, with an Error as the reason', () => {
    const reasons: Error[] = [];
    onAbort(AbortSignal.abort('just text'), (reason) => reasons.push(reason));
    expect(reasons[0]).toBeInstanceOf(Error);
    expect(reasons[0]?.message).toBe('just text');
  });

  it('reject with the reason when the signal comes first', async () => {
    const abort = new AbortController();
    const waiting = abortable(new Promise(() => {}), abort.signal);
    abort.abort(new Error('first'));
    await expect(waiting).rejects.toThrow('first');
  });
});
