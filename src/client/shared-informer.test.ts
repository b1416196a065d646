import { describe, expect, it } from 'vitest';
import { Deferred } from '../base/deferred.ts';
import { settle, VirtualClock } from '../base/virtual-clock.ts';
import type { EventHandler } from './informer.ts';
import { SharedInformer, type SharedInformerOptions } from './shared-informer.ts';
import { connectionReset, EXPIRED, SimulatedSource, THING, type Thing } from './simulated-source.fixtures.ts';

interface Setup {
  readonly source: SimulatedSource;
  readonly clock: VirtualClock;
  readonly informer: SharedInformer<Thing>;
  readonly failures: string[];
}

function setup(options: Partial<SharedInformerOptions<Thing>> = {}): Setup {
  const source = new SimulatedSource();
  const clock = new VirtualClock();
  const failures: string[] = [];
  const informer = new SharedInformer<Thing>({
    kind: THING,
    source,
    clock,
    random: () => 0,
    onFailure: (error, from) => failures.push(`${from}: ${error.message}`),
    ...options,
  });
  return { source, clock, informer, failures };
}

function recorder(): { readonly calls: string[]; readonly handler: EventHandler<Thing> } {
  const calls: string[] = [];
  return {
    calls,
    handler: {
      onAdd: (object, { isInInitialList }) => {
        calls.push(`add ${object.metadata.name}=${object.value}${isInInitialList ? ' initial' : ''}`);
      },
      onUpdate: (before, after) => {
        calls.push(`update ${after.metadata.name}=${before.value}-${after.value}`);
      },
      onDelete: (object, { isFinalStateKnown }) => {
        calls.push(`delete ${object.metadata.name}=${object.value}${isFinalStateKnown ? '' : ' unknown'}`);
      },
    },
  };
}

describe('an informer', () => {
  it('notifies of the first list and of changes', async () => {
    const { source, informer } = setup();
    const { calls, handler } = recorder();
    source.write('a', 1);
    const registration = informer.addHandler(handler);
    expect([informer.hasSynced, registration.hasSynced]).toEqual([false, false]);
    informer.start();
    await informer.synced;
    await registration.synced;
    expect([informer.hasSynced, registration.hasSynced]).toEqual([true, true]);
    source.write('b', 2);
    source.write('a', 3);
    source.delete('b');
    source.send();
    expect(calls).toEqual(['add a=1 initial', 'add b=2', 'update a=1-3', 'delete b=2']);
    expect(informer.store.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  it('has the changes of a batch in the store before it notifies', async () => {
    const { source, informer } = setup();
    const sizes: number[] = [];
    informer.addHandler({ onAdd: () => void sizes.push(informer.store.size) });
    informer.start();
    await informer.synced;
    source.write('a');
    source.write('b');
    source.send();
    expect(sizes).toEqual([2, 2]);
  });

  it('notifies of the differences that a new list shows', async () => {
    const { source, clock, informer } = setup();
    const { calls, handler } = recorder();
    for (const name of ['same', 'changed', 'gone', 'again']) source.write(name, 1);
    informer.addHandler(handler);
    informer.start();
    await informer.synced;
    const same = informer.store.get('same', 'default');
    calls.length = 0;
    source.write('changed', 2);
    source.delete('gone');
    source.delete('again');
    source.write('again', 5);
    source.compact();
    source.sendError(EXPIRED);
    await clock.advance(1000);
    expect(calls).toEqual(['delete gone=1 unknown', 'delete again=1 unknown', 'update changed=1-2', 'add again=5']);
    expect(informer.store.get('same', 'default')).toBe(same);
  });

  it('gives a late handler the present objects as adds', async () => {
    const { source, informer } = setup();
    source.write('a', 1);
    informer.start();
    await informer.synced;
    const { calls, handler } = recorder();
    const registration = informer.addHandler(handler);
    source.write('b', 2);
    source.send();
    await registration.synced;
    expect(calls).toEqual(['add a=1 initial', 'add b=2']);
  });

  it('is not delayed by a handler that is slow, and reports one that throws', async () => {
    const { source, informer, failures } = setup();
    const gate = new Deferred<void>();
    const { calls, handler } = recorder();
    const slow = informer.addHandler({ onAdd: () => gate.promise });
    informer.addHandler({
      onAdd: () => {
        throw new TypeError('bad handler');
      },
    });
    informer.addHandler(handler);
    source.write('a', 1);
    informer.start();
    await informer.synced;
    source.write('b', 2);
    source.send();
    await settle();
    expect(calls).toEqual(['add a=1 initial', 'add b=2']);
    expect(failures).toEqual(['handler: bad handler', 'handler: bad handler']);
    expect(slow.hasSynced).toBe(false);
    gate.resolve();
    await slow.synced;
  });

  it('resyncs on its clock, per handler', async () => {
    const { source, clock, informer } = setup({ resyncMs: 1000 });
    const [often, seldom, never] = [recorder(), recorder(), recorder()];
    informer.addHandler(often.handler);
    informer.addHandler(seldom.handler, { resyncMs: 2500 });
    const removed = informer.addHandler(never.handler, { resyncMs: 0 });
    source.write('a', 1);
    informer.start();
    await informer.synced;
    await clock.advance(3000);
    expect(often.calls).toEqual(['add a=1 initial', 'update a=1-1', 'update a=1-1', 'update a=1-1']);
    expect(seldom.calls).toEqual(['add a=1 initial', 'update a=1-1']);
    expect(never.calls).toEqual(['add a=1 initial']);
    removed.remove();
    source.write('b', 2);
    source.send();
    expect(never.calls).toEqual(['add a=1 initial']);
    await informer.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('skips a resync for a handler that is behind', async () => {
    const { source, clock, informer } = setup();
    const gate = new Deferred<void>();
    const updates: string[] = [];
    for (const name of ['a', 'b']) source.write(name);
    informer.addHandler(
      {
        onUpdate: ({ metadata }) => {
          updates.push(metadata.name);
          return gate.promise;
        },
      },
      { resyncMs: 100 },
    );
    informer.start();
    await informer.synced;
    await clock.advance(1000);
    expect(updates).toEqual(['a']);
    gate.resolve();
    await settle();
    expect(updates).toEqual(['a', 'b']);
    await informer.stop();
  });

  it('stores what the transform returns, and the object itself if the transform throws', async () => {
    const { source, informer, failures } = setup({
      transform: (object) => {
        if (object.value === 13) throw new TypeError('unlucky');
        if (object.value === 14) return undefined as unknown as Thing;
        object.value = 7;
        return object;
      },
    });
    for (const [name, value] of [
      ['a', 1],
      ['b', 13],
      ['c', 14],
    ] as const)
      source.write(name, value);
    informer.start();
    await informer.synced;
    expect(informer.store.list().map(({ value }) => value)).toEqual([7, 13, 14]);
    expect(failures).toEqual(['transform: unlucky', 'transform: the transform returned no object']);
    source.write('a', 2);
    source.send();
    expect(informer.store.get('a', 'default')?.value).toBe(7);
  });

  it('waits for revisions', async () => {
    const { source, informer } = setup();
    informer.start();
    await informer.waitFor('');
    await informer.waitFor('100');
    let done = 0;
    const controller = new AbortController();
    const first = informer.waitFor('101').then(() => done++);
    const second = informer.waitFor('102').then(() => done++);
    const aborted = informer.waitFor('9999', { signal: controller.signal });
    source.write('a');
    source.send();
    await first;
    expect(done).toBe(1);
    source.write('b');
    source.send();
    await second;
    controller.abort(new DOMException('too long', 'TimeoutError'));
    await expect(aborted).rejects.toThrow('too long');
    const stopped = informer.waitFor('9999');
    const rejected = expect(stopped).rejects.toThrow('the informer of things has stopped');
    await informer.stop();
    await rejected;
    await expect(informer.waitFor('9999')).rejects.toThrow('the informer of things has stopped');
    await expect(informer.waitFor('x')).rejects.toThrow('"x" is not a resourceVersion');
  });

  it('waits for revisions of bookmarks', async () => {
    const { source, informer } = setup();
    informer.start();
    await informer.synced;
    source.write('a');
    source.send(0);
    const waiting = informer.waitFor('101');
    source.send();
    source.sendBookmarks();
    await waiting;
  });

  it('stops: no call begins, running calls are waited for, promises reject', async () => {
    const { source, clock, informer } = setup();
    const gate = new Deferred<void>();
    const calls: string[] = [];
    informer.addHandler({
      onAdd: ({ metadata }) => {
        calls.push(metadata.name);
        return gate.promise;
      },
    });
    for (const name of ['a', 'b']) source.write(name);
    informer.start();
    await informer.synced;
    let stopped = false;
    const stopping = informer.stop().then(() => {
      stopped = true;
    });
    await settle();
    expect(stopped).toBe(false);
    gate.resolve();
    await stopping;
    await settle();
    expect(calls).toEqual(['a']);
    expect(source.openWatches).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    expect(() => informer.addHandler({})).toThrow('the informer of things has stopped');
  });

  it('rejects its signals if it stops before the first list', async () => {
    const { source, informer } = setup();
    source.failures.push(connectionReset());
    const registration = informer.addHandler({});
    informer.start();
    await settle();
    expect(informer.lastFailure?.message).toBe('connection reset');
    await informer.stop();
    await expect(informer.synced).rejects.toThrow('has stopped');
    await expect(registration.synced).rejects.toThrow('has stopped');
  });

  it('goes on after a server was silent, and shows the failure meanwhile', async () => {
    const { source, clock, informer, failures } = setup();
    informer.start();
    await informer.synced;
    source.die();
    source.write('a');
    await clock.advance(331_000);
    expect(failures).toEqual(['reflector: the server has sent nothing for 330 s']);
    source.send();
    expect(informer.store.size).toBe(1);
    expect(informer.lastFailure).toBeUndefined();
  });
});
