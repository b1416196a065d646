import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../base/virtual-clock.ts';
import { DeadlineWheel, NEVER, type Timed } from './deadline-wheel.ts';

function timed(wheel: DeadlineWheel, fired: number[], clock: VirtualClock): Timed {
  const one: Timed = {
    deadline: NEVER,
    expire() {
      fired.push(clock.monotonic());
      wheel.delete(one);
    },
  };
  return one;
}

describe('the wheel', () => {
  it('fires never early and at most two ticks late, even after it has slept', async () => {
    const clock = new VirtualClock();
    const wheel = new DeadlineWheel(clock, { tickMs: 1000 });
    const fired: number[] = [];
    await clock.advance(12_345);
    const one = timed(wheel, fired, clock);
    wheel.add(one);
    await clock.advance(900);
    one.deadline = wheel.in(5000);
    const set = clock.monotonic();
    await clock.advance(20_000);
    expect(fired).toHaveLength(1);
    expect(fired[0]! - set).toBeGreaterThanOrEqual(5000);
    expect(fired[0]! - set).toBeLessThanOrEqual(7000);
  });

  it('holds a timer only while it holds something', async () => {
    const clock = new VirtualClock();
    const wheel = new DeadlineWheel(clock, { tickMs: 1000 });
    expect(clock.pendingTimers).toBe(0);
    const [a, b] = [timed(wheel, [], clock), timed(wheel, [], clock)];
    wheel.add(a);
    wheel.add(b);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(3000);
    wheel.delete(a);
    expect(clock.pendingTimers).toBe(1);
    b.deadline = wheel.in(0);
    await clock.advance(3000);
    expect(clock.pendingTimers).toBe(0);
  });
});
