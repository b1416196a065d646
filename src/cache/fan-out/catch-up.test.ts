import { describe, expect, it } from 'vitest';
import { OrderedMap } from '../../base/ordered-map.ts';
import { objectBytes, PREFIX } from '../cache.fixtures.ts';
import type { Entry } from '../cache.ts';
import { Change } from '../change.ts';
import { describeJson } from '../describe-json.ts';
import { makeEntry } from '../entry.ts';
import { EventWindow } from '../event-window.ts';
import { CatchUp } from './catch-up.ts';

const describeThing = describeJson();

function entry(name: string, revision: number): Entry {
  return makeEntry(describeThing, PREFIX + name, revision, objectBytes(name));
}

function push(window: EventWindow, name: string, revision: number): void {
  const made = entry(name, revision);
  window.push(new Change(made.key, revision, made, undefined));
}

function newWindow(events = 10_000): EventWindow {
  return new EventWindow({ events, bytes: 1e9 }, 1, () => {});
}

describe('the cursor of a watch that catches up', () => {
  it('returns the state of its range in key order, the bookmark, and then the changes', () => {
    const state = new OrderedMap<string, Entry>();
    for (const name of ['b/1', 'a/2', 'a/1', 'a/3']) state.set(PREFIX + name, entry(name, 1));
    const window = newWindow();
    const options = { range: { prefix: `${PREFIX}a/` }, window, after: 1, state, initialEventsEnd: true };
    const cursor = new CatchUp(options);
    push(window, 'a/1', 2);
    expect(cursor.next(2)).toMatchObject({ type: 'entries', entries: [{ revision: 1 }, { revision: 1 }] });
    expect(cursor.next(2)).toMatchObject({ type: 'entries', entries: [{ key: `${PREFIX}a/3` }] });
    expect(cursor.next(2)).toEqual({ type: 'initial-events-end', revision: 1 });
    expect(cursor.next(2)).toMatchObject({ type: 'changes', changes: [{ revision: 2 }], caughtUp: true });
  });

  it('returns an empty slice for an empty state', () => {
    const state = new OrderedMap<string, Entry>();
    const cursor = new CatchUp({
      range: { prefix: '' },
      window: newWindow(),
      after: 1,
      state,
      initialEventsEnd: false,
    });
    expect(cursor.next(2)).toEqual({ type: 'entries', entries: [] });
    expect(cursor.next(2)).toEqual({ type: 'changes', changes: [], caughtUp: true });
  });

  it('returns changes of its range above its start, and says when there are no more', () => {
    const window = newWindow();
    for (const [name, revision] of [
      ['a', 2],
      ['b', 3],
      ['a', 4],
      ['a', 5],
      ['b', 6],
    ] as const)
      push(window, name, revision);
    const cursor = new CatchUp({ range: { key: `${PREFIX}a` }, window, after: 2, initialEventsEnd: true });
    expect(cursor.next(1)).toMatchObject({ changes: [{ revision: 4 }], caughtUp: false });
    expect(cursor.next(1)).toMatchObject({ changes: [{ revision: 5 }], caughtUp: false });
    expect(cursor.next(1)).toMatchObject({ changes: [], caughtUp: true });
  });

  it('skips a bounded number of changes of other ranges in one slice', () => {
    const window = newWindow();
    for (let revision = 2; revision < 5000; revision++) push(window, 'b', revision);
    push(window, 'a', 5000);
    const cursor = new CatchUp({ range: { key: `${PREFIX}a` }, window, after: 1, initialEventsEnd: false });
    expect(cursor.next(64)).toEqual({ type: 'changes', changes: [], caughtUp: false });
    expect(cursor.next(64)).toMatchObject({ changes: [{ revision: 5000 }], caughtUp: true });
  });

  it('is lost once a change that it has not returned has left the window', () => {
    const window = newWindow(2);
    push(window, 'a', 2);
    const cursor = new CatchUp({ range: { prefix: '' }, window, after: 1, initialEventsEnd: false });
    push(window, 'a', 3);
    push(window, 'a', 4);
    expect(cursor.next(64)).toEqual({ type: 'lost' });
  });
});
