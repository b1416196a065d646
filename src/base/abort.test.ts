import { describe, expect, it } from 'vitest';
import { onAbort, unlessAborted } from './abort.ts';

describe('onAbort', () => {
  it('takes the listener back', () => {
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
    const stopListening = onAbort(signal, () => undefined);
    expect(added).toBe(1);
    stopListening();
    expect(added).toBe(0);
  });

  it('calls back at once on a signal that is aborted already, with an Error as the reason', () => {
    const reasons: Error[] = [];
    onAbort(AbortSignal.abort('just text'), (reason) => reasons.push(reason));
    expect(reasons[0]).toBeInstanceOf(Error);
    expect(reasons[0]?.message).toBe('just text');
  });
});

describe('unlessAborted', () => {
  it('settles as the promise does, or rejects with the reason of the signal', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1);
    await expect(unlessAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
    const abort = new AbortController();
    const waiting = unlessAborted(new Promise(() => undefined), abort.signal);
    abort.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(unlessAborted(new Promise(() => undefined), abort.signal)).rejects.toThrow('stopped');
  });
});
