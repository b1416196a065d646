import { describe, expect, it } from 'vitest';
import { PAUSED, type RefreshEvent, type RefreshState, stepRefresh } from './refresh-machine.ts';

const POLICY = { periodMs: 60_000, backoff: { initialMs: 500, capMs: 60_000 }, gapMs: 500 };

function run(steps: readonly (readonly [RefreshEvent, number])[], from: RefreshState = PAUSED): RefreshState {
  return steps.reduce((state, [event, now]) => stepRefresh(POLICY, state, event, now), from);
}

describe('the refresh machine', () => {
  it('fetches at the first change, and again a period after a success', () => {
    expect(run([['change', 10]])).toEqual({ kind: 'fetching', startedAt: 10, failures: 0, changed: false });
    const waiting = run([
      ['change', 10],
      ['success', 15],
    ]);
    expect(waiting).toMatchObject({ kind: 'waiting', dueAt: 60_015 });
    expect(run([['due', 60_014]], waiting)).toBe(waiting);
    expect(run([['due', 60_015]], waiting).kind).toBe('fetching');
  });

  it('doubles the delay with each failure, up to the period, and begins again after a success', () => {
    let state = run([['change', 0]]);
    const delays: number[] = [];
    for (let i = 0; i < 9; i++) {
      state = stepRefresh(POLICY, state, 'failure', 0);
      if (state.kind !== 'waiting') throw new Error(state.kind);
      delays.push(state.dueAt);
      state = { ...state, kind: 'fetching', changed: false };
    }
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(stepRefresh(POLICY, stepRefresh(POLICY, state, 'success', 0), 'due', 60_000)).toMatchObject({ failures: 0 });
  });

  it('fetches once more if the subject changed during a fetch, however often', () => {
    const state = run([
      ['change', 0],
      ['change', 1],
      ['change', 2],
      ['success', 900],
    ]);
    expect(state).toEqual({ kind: 'fetching', startedAt: 900, failures: 0, changed: false });
  });

  it('keeps a gap between fetches when changes come quickly', () => {
    expect(
      run([
        ['change', 0],
        ['change', 1],
        ['success', 2],
      ]),
    ).toMatchObject({ kind: 'waiting', dueAt: 500 });
    const soon = run([
      ['change', 0],
      ['success', 2],
      ['change', 3],
    ]);
    expect(soon).toMatchObject({ kind: 'waiting', dueAt: 500 });
    expect(run([['change', 499]], soon)).toMatchObject({ kind: 'waiting', dueAt: 500 });
    expect(run([['change', 600]], soon).kind).toBe('fetching');
  });

  it('does not wait for the end of a backoff when the subject changes', () => {
    const failing = run([
      ['change', 0],
      ['failure', 5000],
      ['due', 5500],
      ['failure', 10_500],
    ]);
    expect(failing).toMatchObject({ kind: 'waiting', dueAt: 11_500, failures: 2 });
    expect(run([['change', 10_600]], failing)).toMatchObject({ kind: 'fetching', failures: 0 });
  });

  it('does nothing while it is paused, and ignores events that do not apply', () => {
    const fetching = run([['change', 0]]);
    expect(run([['pause', 1]], fetching)).toBe(PAUSED);
    for (const event of ['due', 'success', 'failure'] as const) expect(run([[event, 5]])).toBe(PAUSED);
    expect(run([['due', 5]], fetching)).toBe(fetching);
    const waiting = run([['success', 1]], fetching);
    expect(run([['failure', 2]], waiting)).toBe(waiting);
  });
});
