import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../base/virtual-clock.ts';
import { createMemoryStorage } from './memory/memory-storage.ts';
import { put } from './suite/context.ts';
import { waitForRevision } from './wait-for-revision.ts';

describe('waitForRevision', () => {
  it('resolves at once if the revision is reached, and otherwise soon after it is', async () => {
    const clock = new VirtualClock();
    const storage = createMemoryStorage({ clock });
    expect(await waitForRevision(storage, 1, { clock })).toBe(true);
    const waiting = waitForRevision(storage, 2, { clock });
    await clock.advance(1000);
    await put(storage, 'a', 'x');
    await clock.advance(250);
    expect(await waiting).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    await storage.stop();
  });

  it('resolves with false after three seconds', async () => {
    const clock = new VirtualClock();
    const storage = createMemoryStorage({ clock });
    let answer: boolean | undefined;
    const waiting = waitForRevision(storage, 2, { clock }).then((reached) => {
      answer = reached;
    });
    await clock.advance(2999);
    expect(answer).toBe(undefined);
    await clock.advance(1);
    await waiting;
    expect(answer).toBe(false);
    await storage.stop();
  });

  it('rejects when the signal aborts, and with the errors of the store', async () => {
    const clock = new VirtualClock();
    const storage = createMemoryStorage({ clock });
    const controller = new AbortController();
    const aborted = waitForRevision(storage, 2, { clock, signal: controller.signal });
    await Promise.resolve();
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    const closed = waitForRevision(storage, 2, { clock });
    await Promise.resolve();
    await storage.stop();
    const failed = expect(closed).rejects.toThrow('stopped');
    await clock.advance(1000);
    await failed;
    expect(clock.pendingTimers).toBe(0);
  });
});
