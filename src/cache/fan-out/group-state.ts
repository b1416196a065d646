/**
 * The state machine of a group's changes, from publishing to dispatch. Each exported transition is one event: it
 * changes the state and returns the effect to perform. The loop around it (`group.ts`) performs the effect and calls
 * the transition of its outcome. Transitions do no I/O.
 *
 * A state is one record that transitions change in place, and the operands of effects are fields of it, so that
 * publishing a change to a group allocates nothing.
 *
 * Phases: `idle` → `rendering` → `dispatching` → `idle`, and `rendering` → `overflowed` → `rendering`.
 * Invariant: changes are dispatched in the order in which they were published, also when forms are made asynchronously.
 */
import type { Revision } from '../../storage/storage.ts';
import type { Change } from '../change.ts';
import type { Rendered } from './event-renderer.ts';

export type GroupPhase =
  /** Changes in the backlog, if any, wait for a turn. */
  | 'idle'
  /** The `taken` changes are being rendered. */
  | 'rendering'
  /** Like `rendering`, but too many changes waited meanwhile. They were dropped, and all watchers are about to end. */
  | 'overflowed'
  /** The `taken` changes are being written to watchers. */
  | 'dispatching';

export interface GroupState {
  phase: GroupPhase;
  /** Changes that are published but not yet taken, in order. */
  backlog: Change[];
  /** Operand of `render`. */
  taken: readonly Change[];
  /** Operand of `dispatch`: the chunks of `taken`. */
  rendered: Rendered | undefined;
  /** Operands of `settle`: the last dispatched revision, and the error that stopped the rendering. */
  position: Revision;
  failure: Error | undefined;
  /** How many changes may wait while others are rendered. */
  readonly backlogLimit: number;
  /** How many changes are rendered at once. */
  readonly renderLimit: number;
}

export type GroupEffect =
  | 'none'
  /** Call `groupTurn` in a later turn. */
  | 'schedule'
  /** Render `taken`. Then, maybe later, `changesRendered`. */
  | 'render'
  /** Write the chunks of `rendered` to the watchers. Then `changesDispatched`. */
  | 'dispatch'
  /**
   * End the watchers that should have got the failed change, and make late watchers live whose `after` is at or below
   * `position`. Then `groupSettled`.
   */
  | 'settle'
  /** End all watchers as too slow. */
  | 'end-all';

const NO_CHANGES: readonly Change[] = [];

export function newGroupState(limits: { readonly backlog: number; readonly render: number }): GroupState {
  return {
    phase: 'idle',
    backlog: [],
    taken: NO_CHANGES,
    rendered: undefined,
    position: 0,
    failure: undefined,
    backlogLimit: limits.backlog,
    renderLimit: limits.render,
  };
}

/** Whether all published changes have been dispatched. */
export function isSettled(state: GroupState): boolean {
  return state.phase === 'idle' && state.backlog.length === 0;
}

// ── Transitions ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Event: a change of the range was published to a group that has watchers. */
export function changePublished(state: GroupState, change: Change): GroupEffect {
  if (state.phase === 'overflowed') return 'none';
  if (state.phase === 'rendering' && state.backlog.length >= state.backlogLimit) {
    state.phase = 'overflowed';
    state.backlog = [];
    // The watchers end in a later turn, because no sink may be called while changes are published.
    return 'schedule';
  }
  state.backlog.push(change);
  return state.phase === 'idle' && state.backlog.length === 1 ? 'schedule' : 'none';
}

/** Event: a scheduled turn has come, or a caller wants the backlog to be dispatched now. */
export function groupTurn(state: GroupState): GroupEffect {
  if (state.phase !== 'overflowed') return takeNext(state);
  state.phase = 'rendering';
  return 'end-all';
}

/** Event: the `taken` changes are rendered. */
export function changesRendered(state: GroupState, result: Rendered): GroupEffect {
  if (state.phase === 'overflowed') {
    state.phase = 'idle';
    state.taken = NO_CHANGES;
    return 'end-all';
  }
  state.phase = 'dispatching';
  state.rendered = result;
  return 'dispatch';
}

/**
 * Event: the chunks were written to the watchers. `hasLate`: the group has late watchers, which may not need the failed
 * change.
 */
export function changesDispatched(state: GroupState, hasLate: boolean): GroupEffect {
  const { taken } = state;
  const { error, failedAt } = state.rendered!;
  state.phase = 'idle';
  state.taken = NO_CHANGES;
  state.rendered = undefined;
  state.failure = error;
  state.position = taken[error === undefined ? taken.length - 1 : failedAt]!.revision;
  // Late watchers whose `after` is above the failed change still need the changes after it.
  if (error !== undefined && hasLate) state.backlog = [...taken.slice(failedAt + 1), ...state.backlog];
  return 'settle';
}

/** Event: the effect `settle` was performed. */
export function groupSettled(state: GroupState): GroupEffect {
  return takeNext(state);
}

/** Event: the last watcher has left. Drops the backlog. */
export function groupDeserted(state: GroupState): void {
  state.backlog = [];
}

function takeNext(state: GroupState): GroupEffect {
  const { backlog, renderLimit } = state;
  if (state.phase !== 'idle' || backlog.length === 0) return 'none';
  const isAll = backlog.length <= renderLimit;
  state.taken = isAll ? backlog : backlog.slice(0, renderLimit);
  state.backlog = isAll ? [] : backlog.slice(renderLimit);
  state.phase = 'rendering';
  return 'render';
}
