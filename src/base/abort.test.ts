import { describe, expect, it } from 'vitest';
import { onAbort } from './abort.ts';

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
