import { describe, expect, it } from 'vitest';
import { sleep, systemClock } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('VirtualClock', () => {
  it('fires timers in order of their due time, those set on the way included', async () => {
    const clock = new VirtualClock(0);
    const fired: string[] = [];
    clock.setTimer(20, () => fired.push(`b@${clock.now()}`));
    clock.setTimer(10, () => {
      fired.push(`a@${clock.now()}`);
      clock.setTimer(5, () => fired.push(`nested@${clock.now()}`));
    });
    clock.setTimer(10, () => fired.push(`a2@${clock.now()}`));
    await clock.advance(20);
    expect(fired).toEqual(['a@10', 'a2@10', 'nested@15', 'b@20']);
    expect(clock.now()).toBe(20);
    expect(clock.pendingTimers).toBe(0);
  });

  it('runs pending sleeps between timers', async () => {
    const clock = new VirtualClock(0);
    const log: string[] = [];
    const sleeper = (async () => {
      for (let i = 0; i < 3; i++) {
        await sleep(clock, 100);
        log.push(`${i}@${clock.now()}`);
      }
    })();
    await clock.advance(1000);
    await sleeper;
    expect(log).toEqual(['0@100', '1@200', '2@300']);
  });

  it('sets the wall clock without moving time', async () => {
    const clock = new VirtualClock(0);
    let fired = 0;
    clock.setTimer(10, () => fired++);
    clock.setWallClock(1000);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([1000, 0, 0]);
    await clock.advance(10);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([1010, 10, 1]);
  });

  it('moves to the next timer on request', async () => {
    const clock = new VirtualClock(0);
    let fired = 0;
    clock.setTimer(12345, () => fired++);
    expect(await clock.advanceToNext()).toBe(true);
    expect([fired, clock.monotonic()]).toEqual([1, 12345]);
    expect(await clock.advanceToNext()).toBe(false);
  });

  it('forgets a cancelled timer', async () => {
    const clock = new VirtualClock(0);
    let fired = false;
    clock
      .setTimer(1, () => {
        fired = true;
      })
      .cancel();
    await clock.advance(10);
    expect(fired).toBe(false);
  });
});

describe('sleep', () => {
  it('rejects with the reason and leaves no timer when aborted', async () => {
    const clock = new VirtualClock(0);
    const abort = new AbortController();
    const sleeping = sleep(clock, 1000, { signal: abort.signal });
    expect(clock.pendingTimers).toBe(1);
    abort.abort(new Error('woken'));
    await expect(sleeping).rejects.toThrow('woken');
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('systemClock', () => {
  it('does not fire a timer of more than 2^31 ms at once, and cancels it', async () => {
    let fired = false;
    const timer = systemClock.setTimer(
      2 ** 40,
      () => {
        fired = true;
      },
      { background: true },
    );
    const short = new Promise<void>((resolve) => systemClock.setTimer(0, resolve));
    await short;
    expect(fired).toBe(false);
    timer.cancel();
    expect(systemClock.monotonic()).toBeGreaterThan(0);
  });
});
