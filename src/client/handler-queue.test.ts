import { describe, expect, it } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import { settle } from '../base/virtual-clock.ts';
import { HandlerQueue } from './handler-queue.ts';
import type { StoreChange } from './indexed-store.ts';
import type { EventHandler } from './informer.ts';
import type { Stored } from './object-types.ts';
import type { Thing } from './simulated-source.fixtures.ts';

function state(name: string, rv: number): Stored<Thing> {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name, uid: name, resourceVersion: String(rv) },
  } as Stored<Thing>;
}
const add = (name: string, rv: number): StoreChange<Thing> => ({
  type: 'add',
  key: name,
  object: state(name, rv),
  isInitial: false,
});
const update = (name: string, from: number, to: number): StoreChange<Thing> => ({
  type: 'update',
  key: name,
  before: state(name, from),
  after: state(name, to),
});
const remove = (name: string, rv: number): StoreChange<Thing> => ({
  type: 'delete',
  key: name,
  object: state(name, rv),
  isFinal: true,
});

interface Recorded {
  readonly calls: string[];
  readonly failures: string[];
  readonly queue: HandlerQueue<Thing>;
}

/** A queue whose handler records its calls and returns the promise of `gate`, if there is one. */
function recorded(gate?: () => Promise<void> | undefined): Recorded {
  const calls: string[] = [];
  const failures: string[] = [];
  const record = (text: string): void | Promise<void> => {
    calls.push(text);
    return gate?.();
  };
  const handler: EventHandler<Thing> = {
    onAdd: ({ metadata }) => record(`add ${metadata.name}@${metadata.resourceVersion}`),
    onUpdate: (before, after) =>
      record(`update ${after.metadata.name}@${before.metadata.resourceVersion}-${after.metadata.resourceVersion}`),
    onDelete: ({ metadata }) => record(`delete ${metadata.name}@${metadata.resourceVersion}`),
  };
  const queue = new HandlerQueue(handler, {
    onFailure: (error) => failures.push(error.message),
    onRemove: () => undefined,
  });
  return { calls, failures, queue };
}

describe('the queue of a handler', () => {
  it('delivers every change in order', () => {
    const { calls, queue } = recorded();
    for (const change of [add('a', 1), update('a', 1, 2), remove('a', 3), add('a', 4)]) queue.push(change);
    queue.drain();
    expect(calls).toEqual(['add a@1', 'update a@1-2', 'delete a@3', 'add a@4']);
  });

  it('waits for the promise of a call before the next one', async () => {
    const gates: Deferred<void>[] = [];
    const { calls, queue } = recorded(() => {
      const gate = new Deferred<void>();
      gates.push(gate);
      return gate.promise;
    });
    queue.push(add('a', 1));
    queue.push(add('b', 2));
    queue.pushSynced();
    queue.drain();
    await settle();
    expect(calls).toEqual(['add a@1']);
    gates[0]?.resolve();
    await settle();
    expect(calls).toEqual(['add a@1', 'add b@2']);
    expect(queue.hasSynced).toBe(false);
    gates[1]?.resolve();
    await queue.synced;
  });

  it('reports calls that throw or reject, and goes on', async () => {
    let call = 0;
    const { calls, failures, queue } = recorded(() => {
      call++;
      if (call === 1) throw new TypeError('thrown');
      return call === 2 ? Promise.reject(new TypeError('rejected')) : undefined;
    });
    for (const name of ['a', 'b', 'c']) queue.push(add(name, 1));
    queue.drain();
    await settle();
    expect(calls).toHaveLength(3);
    expect(failures).toEqual(['thrown', 'rejected']);
  });

  it('merges the changes of one object once a handler is far behind', async () => {
    const gate = new Deferred<void>();
    const { calls, queue } = recorded(() => gate.promise);
    queue.push(add('first', 1));
    queue.drain();
    for (let i = 0; i < 1000; i++) queue.push(update('hot', i, i + 1));
    expect(queue.length).toBe(1000);
    for (let i = 1000; i < 50_000; i++) queue.push(update('hot', i, i + 1));
    queue.push(add('new', 1));
    queue.push(update('new', 1, 2));
    queue.push(add('short', 1));
    queue.push(remove('short', 2));
    queue.push(remove('hot', 60_000));
    for (let i = 0; i < 10_000; i++) {
      queue.push(add('hot', 70_000 + i));
      queue.push(remove('hot', 90_000 + i));
    }
    queue.push(add('hot', 100_000));
    expect(queue.length).toBe(1002);
    gate.resolve();
    await settle();
    expect(calls.filter((call) => call.includes('new'))).toEqual(['add new@2']);
    expect(calls.filter((call) => call.includes('short'))).toEqual([]);
    // The last update became the deletion.
    expect(calls.slice(-4)).toEqual(['update hot@998-999', 'delete hot@60000', 'add new@2', 'add hot@100000']);
  });

  it('begins no call after it was removed', async () => {
    const gate = new Deferred<void>();
    const { calls, queue } = recorded(() => gate.promise);
    queue.push(add('a', 1));
    queue.push(add('b', 1));
    queue.drain();
    queue.remove();
    queue.push(add('c', 1));
    queue.drain();
    gate.resolve();
    await settle();
    expect(calls).toEqual(['add a@1']);
    await expect(queue.synced).rejects.toThrow('the handler was removed');
  });
});
