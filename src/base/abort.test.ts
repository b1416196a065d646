import { describe, expect, it } from 'vitest';
import { abortable, onAbort } from './abort.ts';

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
