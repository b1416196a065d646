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
  /** As `rendering`, but too many changes waited meanwhile: they were dropped, and the watchers are about to end. */
  | 'overflowed'
  /** The `taken` changes are being handed to watchers. */
  | 'dispatching';

export interface GroupState {
  phase: GroupPhase;
  /** Changes that are published and not taken, in order. */
  backlog: Change[];
  /** Operand of `render`. */
  taken: readonly Change[];
  /** Operand of `dispatch`: the chunks of `taken`. */
  rendered: Rendered | undefined;
  /** Operands of `settle`: the revision that the dispatch got to, and why it got no further. */
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
  /** Hand the chunks of `rendered` to the watchers. Then `changesDispatched`. */
  | 'dispatch'
  /** End the watchers that a `failure` concerns, and make late ones live up to `position`. Then `groupSettled`. */
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

/** Whether everything published has been handed to the watchers. */
export function isSettled(state: GroupState): boolean {
  return state.phase === 'idle' && state.backlog.length === 0;
}

// ── Transitions ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** A change of the range is published to a group with watchers. */
export function changePublished(state: GroupState, change: Change): GroupEffect {
  if (state.phase === 'overflowed') return 'none';
  if (state.phase === 'rendering' && state.backlog.length >= state.backlogLimit) {
    state.phase = 'overflowed';
    state.backlog = [];
    // The watchers end in a later turn: no sink is called while changes are published.
    return 'schedule';
  }
  state.backlog.push(change);
  return state.phase === 'idle' && state.backlog.length === 1 ? 'schedule' : 'none';
}

/** A scheduled turn has come, or a caller wants the backlog to be dispatched now. */
export function groupTurn(state: GroupState): GroupEffect {
  if (state.phase !== 'overflowed') return takeNext(state);
  state.phase = 'rendering';
  return 'end-all';
}

/** The `taken` changes are rendered. */
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

/** The chunks are with the watchers. `hasLate`: there are late watchers, which a failure may not concern. */
export function changesDispatched(state: GroupState, hasLate: boolean): GroupEffect {
  const { taken } = state;
  const { error, failedAt } = state.rendered!;
  state.phase = 'idle';
  state.taken = NO_CHANGES;
  state.rendered = undefined;
  state.failure = error;
  state.position = taken[error === undefined ? taken.length - 1 : failedAt]!.revision;
  // Late watchers that begin behind the failed change still want the rest.
  if (error !== undefined && hasLate) state.backlog = [...taken.slice(failedAt + 1), ...state.backlog];
  return 'settle';
}

/** Watchers have ended and moved as the dispatch required. */
export function groupSettled(state: GroupState): GroupEffect {
  return takeNext(state);
}

/** The last watcher has left: the backlog is for none. */
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
