/**
 * The state machine that decides when the document of another server is fetched: at once after a change, periodically
 * after a success, with backoff after a failure, and not at all while it is paused.
 *
 * Invariant: at most one fetch runs. A change during a fetch causes another fetch, because the running fetch may have
 * read the state before the change.
 */
import { type BackoffPolicy, backoffDelay } from '../base/backoff.ts';

export interface RefreshPolicy {
  /** The time between a success and the next fetch. */
  readonly periodMs: number;
  /** The time between a failure and the next fetch. */
  readonly backoff: BackoffPolicy;
  /** The least time between the starts of two fetches, however often `change` occurs. */
  readonly gapMs: number;
}

export type RefreshState =
  /** Nothing is fetched until the next `change`. */
  | { readonly kind: 'paused' }
  /** `startedAt` is the start of the last fetch. */
  | { readonly kind: 'waiting'; readonly dueAt: number; readonly failures: number; readonly startedAt: number }
  | {
      readonly kind: 'fetching';
      readonly startedAt: number;
      readonly failures: number;
      /** Whether a `change` has occurred since the fetch started. */
      readonly changed: boolean;
    };

export type RefreshEvent = 'change' | 'pause' | 'due' | 'success' | 'failure';

export const PAUSED: RefreshState = { kind: 'paused' };

/**
 * Returns the state after an event. Times are monotonic milliseconds. An event that does not apply to the state changes
 * nothing.
 */
export function stepRefresh(
  policy: RefreshPolicy,
  state: RefreshState,
  event: RefreshEvent,
  now: number,
): RefreshState {
  if (event === 'pause') return PAUSED;
  switch (state.kind) {
    case 'paused':
      return event === 'change' ? started(now, 0) : state;
    case 'waiting': {
      if (event === 'due') return now >= state.dueAt ? started(now, state.failures) : state;
      if (event !== 'change') return state;
      const earliest = state.startedAt + policy.gapMs;
      return now >= earliest ? started(now, 0) : { ...state, dueAt: Math.min(state.dueAt, earliest), failures: 0 };
    }
    case 'fetching':
      if (event === 'change') return { ...state, changed: true };
      return event === 'success' || event === 'failure' ? finished(policy, state, event, now) : state;
  }
}

function started(now: number, failures: number): RefreshState {
  return { kind: 'fetching', startedAt: now, failures, changed: false };
}

function finished(
  { periodMs, backoff, gapMs }: RefreshPolicy,
  { startedAt, failures, changed }: Extract<RefreshState, { readonly kind: 'fetching' }>,
  event: 'success' | 'failure',
  now: number,
): RefreshState {
  if (changed) {
    const earliest = startedAt + gapMs;
    return now >= earliest ? started(now, 0) : { kind: 'waiting', dueAt: earliest, failures: 0, startedAt };
  }
  return event === 'success'
    ? { kind: 'waiting', dueAt: now + periodMs, failures: 0, startedAt }
    : { kind: 'waiting', dueAt: now + backoffDelay(backoff, failures), failures: failures + 1, startedAt };
}
