import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { objectBytes, PREFIX } from '../cache.fixtures.ts';
import { Change } from '../change.ts';
import { describeJson } from '../describe-json.ts';
import { makeEntry } from '../entry.ts';
import type { Rendered } from './event-renderer.ts';
import {
  changePublished,
  changesDispatched,
  changesRendered,
  type GroupState,
  groupDeserted,
  groupSettled,
  groupTurn,
  isSettled,
  newGroupState,
} from './group-state.ts';

const describeThing = describeJson();

function change(revision: number): Change {
  const key = `${PREFIX}a`;
  return new Change(key, revision, makeEntry(describeThing, key, revision, objectBytes('a')), undefined);
}

function rendered(chunks = 1, error?: Error, failedAt = 0): Rendered {
  return {
    chunks: Array.from({ length: chunks }, () => encodeUtf8('chunk')),
    revisions: Array.from({ length: chunks }, (_, i) => i + 2),
    error,
    failedAt,
  };
}

function newState(limits = { backlog: 3, render: 500 }): GroupState {
  return newGroupState(limits);
}

/** A group that renders the change at revision 2. */
function rendering(limits?: { backlog: number; render: number }): GroupState {
  const state = newState(limits);
  changePublished(state, change(2));
  groupTurn(state);
  return state;
}

describe('an idle group', () => {
  it('schedules a turn for the first change and not for those that follow it', () => {
    const state = newState();
    expect(isSettled(state)).toBe(true);
    expect(changePublished(state, change(2))).toBe('schedule');
    expect(changePublished(state, change(3))).toBe('none');
    expect(isSettled(state)).toBe(false);
  });

  it('takes more changes than may wait while others are rendered', () => {
    const state = newState({ backlog: 1, render: 500 });
    for (let revision = 2; revision < 6; revision++) changePublished(state, change(revision));
    expect(state).toMatchObject({ phase: 'idle', backlog: { length: 4 } });
  });

  it('renders the whole backlog in its turn', () => {
    const state = newState();
    changePublished(state, change(2));
    changePublished(state, change(3));
    expect(groupTurn(state)).toBe('render');
    expect(state).toMatchObject({ phase: 'rendering', backlog: [], taken: [{ revision: 2 }, { revision: 3 }] });
  });

  it('renders no more at once than the limit', () => {
    const state = newState({ backlog: 3, render: 2 });
    for (let revision = 2; revision < 5; revision++) changePublished(state, change(revision));
    groupTurn(state);
    expect(state).toMatchObject({ taken: { length: 2 }, backlog: [{ revision: 4 }] });
  });

  it('does nothing in a turn without changes', () => {
    expect(groupTurn(newState())).toBe('none');
  });

  it('drops its backlog when the last watcher leaves', () => {
    const state = newState();
    changePublished(state, change(2));
    groupDeserted(state);
    expect(groupTurn(state)).toBe('none');
    expect(isSettled(state)).toBe(true);
  });
});

describe('a group that renders', () => {
  it('keeps changes for later, and neither schedules nor takes a turn', () => {
    const state = rendering();
    expect(changePublished(state, change(3))).toBe('none');
    expect(groupTurn(state)).toBe('none');
    expect(state).toMatchObject({ phase: 'rendering', backlog: [{ revision: 3 }] });
    expect(isSettled(state)).toBe(false);
  });

  it('dispatches what was rendered', () => {
    const state = rendering();
    const result = rendered();
    expect(changesRendered(state, result)).toBe('dispatch');
    expect(state).toMatchObject({ phase: 'dispatching', rendered: result });
  });

  it('overflows when more changes wait than may, and drops them', () => {
    const state = rendering({ backlog: 2, render: 500 });
    changePublished(state, change(3));
    changePublished(state, change(4));
    expect(changePublished(state, change(5))).toBe('schedule');
    expect(state).toMatchObject({ phase: 'overflowed', backlog: [] });
    expect(changePublished(state, change(6))).toBe('none');
    expect(isSettled(state)).toBe(false);
  });
});

describe('a group that has overflowed', () => {
  function overflowed(): GroupState {
    const state = rendering({ backlog: 0, render: 500 });
    changePublished(state, change(3));
    return state;
  }

  it('ends its watchers in the next turn and goes on rendering', () => {
    const state = overflowed();
    expect(groupTurn(state)).toBe('end-all');
    expect(state.phase).toBe('rendering');
    expect(changesRendered(state, rendered())).toBe('dispatch');
  });

  it('ends its watchers when the rendering is done, if that comes first', () => {
    const state = overflowed();
    expect(changesRendered(state, rendered())).toBe('end-all');
    expect(state).toMatchObject({ phase: 'idle', taken: [] });
    expect(groupTurn(state)).toBe('none');
  });
});

describe('a group that dispatches', () => {
  function dispatching(revisions: readonly number[], result: Rendered): GroupState {
    const state = newState();
    for (const revision of revisions) changePublished(state, change(revision));
    groupTurn(state);
    changesRendered(state, result);
    return state;
  }

  it('takes no turn, and keeps changes that are published within a write', () => {
    const state = dispatching([2], rendered());
    expect(groupTurn(state)).toBe('none');
    expect(changePublished(state, change(3))).toBe('none');
    expect(isSettled(state)).toBe(false);
  });

  it('has dispatched up to its last change, and drops the chunks', () => {
    const state = dispatching([2, 3], rendered(2));
    expect(changesDispatched(state, false)).toBe('settle');
    expect(state).toMatchObject({ phase: 'idle', position: 3, failure: undefined, taken: [], rendered: undefined });
    expect(groupSettled(state)).toBe('none');
    expect(isSettled(state)).toBe(true);
  });

  it('renders what was published meanwhile once it has settled', () => {
    const state = dispatching([2], rendered());
    changePublished(state, change(3));
    changesDispatched(state, false);
    expect(groupSettled(state)).toBe('render');
    expect(state.taken).toMatchObject([{ revision: 3 }]);
  });

  it('has dispatched up to the change that failed', () => {
    const error = new Error('cannot convert');
    const state = dispatching([2, 3, 4], rendered(1, error, 1));
    expect(changesDispatched(state, false)).toBe('settle');
    expect(state).toMatchObject({ position: 3, failure: error, backlog: [] });
  });

  it('takes the changes behind a failure again for late watchers, before those that were published meanwhile', () => {
    const state = dispatching([2, 3, 4], rendered(1, new Error('cannot convert'), 1));
    changePublished(state, change(5));
    changesDispatched(state, true);
    expect(state.backlog).toMatchObject([{ revision: 4 }, { revision: 5 }]);
    expect(groupSettled(state)).toBe('render');
  });

  it('leaves the next rendering alone if a sink started it while it settled', () => {
    const state = dispatching([2], rendered());
    changesDispatched(state, false);
    changePublished(state, change(3));
    expect(groupTurn(state)).toBe('render');
    expect(groupSettled(state)).toBe('none');
    expect(state.phase).toBe('rendering');
  });
});
