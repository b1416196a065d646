import { describe, expect, it } from 'vitest';
import { Lifetime } from './lifetime.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('Lifetime', () => {
  it('stops what it holds in reverse order, once', async () => {
    const log: string[] = [];
    const lifetime = new Lifetime('server');
    lifetime.add('store', () => void log.push('store'));
    lifetime.add('listener', async () => void log.push('listener'));
    expect(lifetime.open()).toEqual(['store', 'listener']);
    const first = lifetime.stop();
    expect(lifetime.stop()).toBe(first);
    await first;
    expect(log).toEqual(['listener', 'store']);
    expect(lifetime.open()).toEqual([]);
  });

  it('stops the rest when one fails, reports the failure, and names what is still open', async () => {
    const lifetime = new Lifetime('server');
    let stopped = false;
    lifetime.add('good', () => {
      stopped = true;
    });
    lifetime.add('bad', () => {
      throw new Error('stuck');
    });
    await expect(lifetime.stop()).rejects.toThrow('stuck');
    expect(stopped).toBe(true);
    expect(lifetime.open()).toEqual(['bad']);
  });

  it('gathers several failures', async () => {
    const lifetime = new Lifetime('server');
    for (const name of ['a', 'b']) lifetime.add(name, () => Promise.reject(new Error(name)));
    await expect(lifetime.stop()).rejects.toThrow('2 resources');
  });

  it('refuses new resources once it is stopped', async () => {
    const lifetime = new Lifetime('server');
    await lifetime.stop();
    expect(() => lifetime.add('late', () => {})).toThrow('server is stopped and cannot hold late');
  });

  it('lets a child end early or with its parent', async () => {
    const parent = new Lifetime('server');
    const early = parent.child('early');
    const late = parent.child('late');
    let lateStopped = 0;
    late.add('timer', () => {
      lateStopped++;
    });
    await early.stop();
    expect(parent.open()).toEqual(['late']);
    await parent.stop();
    expect(lateStopped).toBe(1);
    expect(late.stopped).toBe(true);
  });

  it('shows that no timer is left', async () => {
    const clock = new VirtualClock();
    const lifetime = new Lifetime('loop');
    const timer = clock.setTimer(1000, () => {});
    lifetime.add('timer', () => timer.cancel());
    expect(clock.pendingTimers).toBe(1);
    await lifetime[Symbol.asyncDispose]();
    expect(clock.pendingTimers).toBe(0);
  });
});
