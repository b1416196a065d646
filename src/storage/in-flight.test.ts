import { expect, test } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import { InFlight } from './in-flight.ts';

test('a store without writes is idle at once', async () => {
  await new InFlight().idle();
});

test('idle waits for every write, whether it succeeds or fails', async () => {
  const writes = new InFlight();
  const first = new Deferred<number>();
  const second = new Deferred<number>();
  const results = Promise.allSettled([writes.run(() => first.promise), writes.run(() => second.promise)]);
  const order: string[] = [];
  const idle = writes.idle().then(() => order.push('idle'));
  second.reject(new Error('refused'));
  await second.promise.catch(() => order.push('failed'));
  expect(order).toEqual(['failed']);
  first.resolve(7);
  await idle;
  expect(order).toEqual(['failed', 'idle']);
  expect(await results).toEqual([
    { status: 'fulfilled', value: 7 },
    { status: 'rejected', reason: new Error('refused') },
  ]);
});

test('a write that throws before it starts is a rejection and is not counted', async () => {
  const writes = new InFlight();
  const failure = writes.run(() => {
    throw new Error('closed');
  });
  await expect(failure).rejects.toThrow('closed');
  await writes.idle();
});
