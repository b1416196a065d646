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

describe('the deadline wheel', () => {
  it('never fires early and fires at most two ticks late, also after it was empty', async () => {
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

  it('has a timer only while it has entries', async () => {
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
