import { describe, expect, it } from 'vitest';
import { Deferred } from '../../base/deferred.ts';
import { toError } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { beginProbe, LATE, type ProbeEvent, runProbe, stepProbe } from './probe.ts';

/** The actions after each event. */
function actions(wasAvailable: boolean, events: readonly ProbeEvent['kind'][]): string[] {
  let state = beginProbe(wasAvailable);
  return events.map((kind) => {
    const step = stepProbe(state, { kind });
    state = step.state;
    return step.action;
  });
}

describe('stepProbe', () => {
  it('passes with the first success', () => {
    expect(actions(false, ['passed'])).toEqual(['pass']);
    expect(actions(true, ['failed', 'failed', 'passed'])).toEqual(['attempt', 'attempt', 'pass']);
  });

  it('fails an available backend only after five failures', () => {
    expect(actions(true, ['failed', 'failed', 'failed', 'failed', 'failed'])).toEqual([
      'attempt',
      'attempt',
      'attempt',
      'attempt',
      'fail',
    ]);
  });

  it('fails an unavailable backend after one failure', () => {
    expect(actions(false, ['failed'])).toEqual(['fail']);
  });

  it('makes at most five attempts while none is answered, and waits for them', () => {
    expect(actions(false, ['tick', 'tick', 'tick', 'tick', 'tick', 'failed', 'expired'])).toEqual([
      'attempt',
      'attempt',
      'attempt',
      'attempt',
      'wait',
      'wait',
      'fail',
    ]);
  });
});

interface Attempt {
  readonly done: Deferred<void>;
  readonly signal: AbortSignal;
}

function probe(wasAvailable: boolean) {
  const clock = new VirtualClock();
  const attempts: Attempt[] = [];
  const stop = new AbortController();
  const outcome = runProbe({
    clock,
    wasAvailable,
    signal: stop.signal,
    attempt: (signal) => {
      const done = new Deferred<void>();
      attempts.push({ done, signal });
      return done.promise;
    },
  }).then(
    () => 'passed',
    (caught) => toError(caught).message,
  );
  return { clock, attempts, stop, outcome };
}

describe('runProbe', () => {
  it('fails after five seconds without an answer, and leaves nothing behind', async () => {
    const { clock, attempts, outcome } = probe(true);
    await clock.advance(4_999);
    expect(attempts).toHaveLength(5);
    await clock.advance(1);
    expect(await outcome).toBe(LATE);
    expect(attempts.every(({ signal }) => signal.aborted)).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('passes within a second of the recovery of a backend that hung', async () => {
    const { clock, attempts, outcome } = probe(false);
    await clock.advance(2_500);
    expect(attempts).toHaveLength(3);
    await clock.advance(500);
    attempts[3]?.done.resolve();
    expect(await outcome).toBe('passed');
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails with the last failure', async () => {
    const { clock, attempts, outcome } = probe(false);
    await clock.advance(1_000);
    attempts[0]?.done.reject(new TypeError('reset'));
    await clock.advance(1);
    attempts[1]?.done.reject(new TypeError('refused'));
    expect(await outcome).toBe('refused');
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with the reason of its signal', async () => {
    const { clock, stop, outcome } = probe(false);
    stop.abort(new TypeError('stopping'));
    expect(await outcome).toBe('stopping');
    expect(clock.pendingTimers).toBe(0);
  });
});
