import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { collectWhenIdle, processCollectionOptions } from './idle-collection.ts';

const MEGABYTE = 2 ** 20;

function start(): { clock: VirtualClock; state: { cpu: number; heap: number; collected: number }; stop(): void } {
  const clock = new VirtualClock();
  const state = { cpu: 0, heap: 20 * MEGABYTE, collected: 0 };
  const tidy = collectWhenIdle({
    clock,
    cpuMicros: () => state.cpu,
    heapBytes: () => state.heap,
    collect: () => {
      state.collected++;
      state.heap = 30 * MEGABYTE;
    },
  });
  return { clock, state, stop: () => tidy.stop() };
}

describe('collection while idle', () => {
  it('collects after a busy time, and once more to shrink the young generation', async () => {
    const { clock, state } = start();
    state.heap = 90 * MEGABYTE;
    state.cpu = 4_000_000;
    await clock.advance(6000);
    expect(state.collected).toBe(0);
    await clock.advance(6000);
    expect(state.collected).toBe(1);
    await clock.advance(60_000);
    expect(state.collected).toBe(2);
  });

  it('does not collect again while the process is busy, nor in the first seconds after it', async () => {
    const { clock, state } = start();
    state.heap = 90 * MEGABYTE;
    await clock.advance(6000);
    expect(state.collected).toBe(1);
    state.cpu += 4_000_000;
    await clock.advance(5000);
    expect(state.collected).toBe(1);
    await clock.advance(5000);
    expect(state.collected).toBe(1);
    await clock.advance(5000);
    expect(state.collected).toBe(2);
  });

  it('does not collect in the pauses of a process that is busy now and then', async () => {
    const { clock, state } = start();
    state.heap = 90 * MEGABYTE;
    await clock.advance(11_000);
    expect(state.collected).toBe(2);
    for (let burst = 0; burst < 5; burst++) {
      state.heap = 90 * MEGABYTE;
      state.cpu += 4_000_000;
      await clock.advance(10_000);
      expect(state.collected).toBe(2);
    }
    await clock.advance(5000);
    expect(state.collected).toBe(3);
    await clock.advance(5000);
    expect(state.collected).toBe(4);
  });

  it('does not collect for little garbage, nor a large heap', async () => {
    const { clock, state } = start();
    state.heap = 30 * MEGABYTE;
    await clock.advance(20_000);
    state.heap = 600 * MEGABYTE;
    await clock.advance(20_000);
    expect(state.collected).toBe(0);
  });

  it('stops', async () => {
    const { clock, state, stop } = start();
    state.heap = 90 * MEGABYTE;
    stop();
    await clock.advance(20_000);
    expect(state.collected).toBe(0);
  });

  it('frees unreachable objects', () => {
    const options = processCollectionOptions(new VirtualClock());
    let held: unknown[] | undefined = Array.from({ length: 200_000 }, (_, i) => ({ i }));
    const before = options.heapBytes();
    expect(held.length).toBe(200_000);
    held = undefined;
    options.collect(2);
    expect(options.heapBytes()).toBeLessThan(before);
    expect(options.cpuMicros()).toBeGreaterThan(0);
  });
});
