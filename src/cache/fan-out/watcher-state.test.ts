import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { OrderedMap } from '../../base/ordered-map.ts';
import { objectBytes, PREFIX } from '../cache.fixtures.ts';
import type { Entry } from '../cache.ts';
import { Change } from '../change.ts';
import { describeJson } from '../describe-json.ts';
import { makeEntry } from '../entry.ts';
import { EventWindow } from '../event-window.ts';
import { Batch } from './batch.ts';
import { CatchUp } from './catch-up.ts';
import {
  endWatcher,
  enqueueBatch,
  hasRoom,
  isReady,
  newWatcherState,
  SLICES_PER_TURN,
  sendBatch,
  sinkDrained,
  sinkPaused,
  sinkWritten,
  sliceRendered,
  type WatcherState,
  watcherJoined,
  watcherPromoted,
  watcherTurn,
} from './watcher-state.ts';

const describeThing = describeJson();
const chunk = encodeUtf8('chunk');

function entry(name: string, revision: number): Entry {
  return makeEntry(describeThing, PREFIX + name, revision, objectBytes(name));
}

/** A watch with `entries` entries to show and then `changes` changes, at revisions from 2. */
function catchingUp({ entries = 0, changes = 0, window = 1000, initialEventsEnd = false } = {}): WatcherState {
  const events = new EventWindow({ events: window, bytes: 1e6 }, 1, () => {});
  const state = new OrderedMap<string, Entry>();
  for (let i = 0; i < entries; i++) state.set(`${PREFIX}${1000 + i}`, entry(String(1000 + i), 1));
  const options = { range: { prefix: PREFIX }, window: events, after: 1, initialEventsEnd };
  const catchUp = new CatchUp(entries > 0 ? { ...options, state } : options);
  for (let i = 0; i < changes; i++) {
    const made = entry('a', 2 + i);
    events.push(new Change(made.key, made.revision, made, undefined));
  }
  return newWatcherState(catchUp);
}

function live(): WatcherState {
  const state = catchingUp();
  watcherTurn(state);
  watcherJoined(state, 1, false);
  return state;
}

function ended(): WatcherState {
  const state = live();
  endWatcher(state, { reason: 'stopped' });
  return state;
}

describe('a watch that catches up', () => {
  it('renders a slice at each step and writes its chunks', () => {
    const state = catchingUp({ entries: 100 });
    expect(watcherTurn(state)).toBe('render');
    expect(state).toMatchObject({ phase: 'catching-up', sink: 'rendering', slice: { type: 'entries' } });
    expect(sliceRendered(state, [chunk], undefined)).toBe('write');
    expect(state).toMatchObject({ sink: 'writing', chunks: [chunk], slice: undefined });
    expect(sinkWritten(state, true)).toBe('render');
    expect(state).toMatchObject({ sink: 'rendering', chunks: [] });
  });

  it('takes the next slice at once if no chunk came of the last one', () => {
    const state = catchingUp({ entries: 100 });
    watcherTurn(state);
    expect(sliceRendered(state, [], undefined)).toBe('render');
  });

  it('sends the bookmark between the state and the changes', () => {
    const state = catchingUp({ entries: 1, changes: 1, initialEventsEnd: true });
    watcherTurn(state);
    expect(sliceRendered(state, [], undefined)).toBe('render');
    expect(state.slice).toEqual({ type: 'initial-events-end', revision: 1 });
    expect(sliceRendered(state, [], undefined)).toBe('join');
    expect(state.slice).toMatchObject({ type: 'changes', caughtUp: true });
  });

  it('waits for a later turn after its share of this one', () => {
    const state = catchingUp({ entries: 64 * SLICES_PER_TURN + 1 });
    let effect = watcherTurn(state);
    for (let i = 1; i < SLICES_PER_TURN; i++) {
      expect(effect).toBe('render');
      effect = sliceRendered(state, [], undefined);
    }
    expect(sliceRendered(state, [], undefined)).toBe('schedule');
    expect(watcherTurn(state)).toBe('render');
  });

  it('takes nothing while its sink is paused, and goes on in a later turn when it is drained', () => {
    const state = catchingUp({ entries: 100 });
    watcherTurn(state);
    sliceRendered(state, [chunk], undefined);
    expect(sinkWritten(state, false)).toBe('none');
    expect(state.sink).toBe('paused');
    expect(watcherTurn(state)).toBe('none');
    expect(sinkDrained(state)).toBe('schedule');
    expect(watcherTurn(state)).toBe('render');
  });

  it('ignores a sink that says it is drained while a slice is rendered', () => {
    const state = catchingUp({ entries: 100 });
    watcherTurn(state);
    expect(sinkDrained(state)).toBe('none');
    expect(state.sink).toBe('rendering');
  });

  it('ends as too slow when the window has moved past it', () => {
    const state = catchingUp({ changes: 5, window: 3 });
    expect(watcherTurn(state)).toBe('end');
    expect(state).toMatchObject({ phase: 'ended', ending: { reason: 'too-slow' } });
  });

  it('joins its group without a slice if there is nothing to show', () => {
    const state = catchingUp();
    expect(watcherTurn(state)).toBe('join');
    expect(state).toMatchObject({ sink: 'open', slice: undefined, catchUp: undefined });
    expect(watcherJoined(state, 7, false)).toBe('none');
    expect(state).toMatchObject({ phase: 'live', after: 7 });
    expect(isReady(state)).toBe(true);
  });

  it('joins its group before the last slice is rendered, and queues what the group sends meanwhile', () => {
    const state = catchingUp({ changes: 2 });
    expect(watcherTurn(state)).toBe('join');
    expect(watcherJoined(state, 3, false)).toBe('render');
    expect(isReady(state)).toBe(false);
    const batch = new Batch([chunk, chunk]);
    enqueueBatch(state, batch);
    expect(sliceRendered(state, [chunk], undefined)).toBe('write');
    expect(sinkWritten(state, true)).toBe('write');
    expect(state.chunks).toBe(batch.chunks);
    expect(sinkWritten(state, true)).toBe('none');
    expect(isReady(state)).toBe(true);
  });

  it('fails behind the chunks of a slice whose rendering failed, even if the sink asks for a pause', () => {
    const error = new Error('cannot convert');
    const state = catchingUp({ entries: 1 });
    watcherTurn(state);
    expect(sliceRendered(state, [chunk], error)).toBe('write');
    expect(state.phase).toBe('catching-up');
    expect(sinkWritten(state, false)).toBe('end');
    expect(state).toMatchObject({ phase: 'ended', ending: { reason: 'failed', error } });
  });

  it('fails at once if the rendering failed before the first chunk', () => {
    const error = new Error('cannot convert');
    const state = catchingUp({ entries: 1 });
    watcherTurn(state);
    expect(sliceRendered(state, [], error)).toBe('end');
    expect(state.ending).toEqual({ reason: 'failed', error });
  });
});

describe('a late watch', () => {
  it('keeps its own start if that is in the future, until it is promoted', () => {
    const state = catchingUp();
    state.after = 9;
    watcherTurn(state);
    watcherJoined(state, 7, true);
    expect(state).toMatchObject({ phase: 'late', after: 9 });
    watcherPromoted(state);
    expect(state.phase).toBe('live');
  });

  it('writes what is sent to it alone', () => {
    const state = catchingUp();
    watcherTurn(state);
    watcherJoined(state, 7, true);
    const batch = new Batch([chunk]);
    expect(sendBatch(state, batch)).toBe('write');
    expect(state).toMatchObject({ chunks: batch.chunks, queue: [], queuedEvents: 0, queuedBytes: 0 });
  });

  it('is promoted while its sink is paused', () => {
    const state = catchingUp();
    watcherTurn(state);
    watcherJoined(state, 7, true);
    sendBatch(state, new Batch([chunk]));
    sinkWritten(state, false);
    watcherPromoted(state);
    expect(state).toMatchObject({ phase: 'live', sink: 'paused' });
  });
});

describe('a live watch', () => {
  it('is not ready once its sink has asked for a pause, and ready again when it is drained', () => {
    const state = live();
    sinkPaused(state);
    expect(isReady(state)).toBe(false);
    expect(sinkDrained(state)).toBe('none');
    expect(isReady(state)).toBe(true);
  });

  it('writes its queue in order when it is drained, until the sink asks for a pause', () => {
    const state = live();
    sinkPaused(state);
    const batches = [1, 2, 3].map((size) => new Batch(Array.from({ length: size }, () => chunk)));
    for (const batch of batches) enqueueBatch(state, batch);
    expect(state).toMatchObject({ queuedEvents: 6, queuedBytes: 6 * chunk.byteLength });
    expect(sinkDrained(state)).toBe('write');
    expect(state.chunks).toBe(batches[0]!.chunks);
    expect(sinkWritten(state, true)).toBe('write');
    expect(state.chunks).toBe(batches[1]!.chunks);
    expect(sinkWritten(state, false)).toBe('none');
    expect(state).toMatchObject({ sink: 'paused', queuedEvents: 3, queuedBytes: 3 * chunk.byteLength });
    expect(sinkDrained(state)).toBe('write');
    expect(sinkWritten(state, true)).toBe('none');
    expect(isReady(state)).toBe(true);
  });

  it('stays open if its sink is drained within the write that asks for a pause', () => {
    const state = live();
    sendBatch(state, new Batch([chunk]));
    expect(sinkDrained(state)).toBe('none');
    expect(state.sink).toBe('drained');
    expect(sinkDrained(state)).toBe('none');
    expect(sinkWritten(state, false)).toBe('none');
    expect(state.sink).toBe('open');
  });

  it('ignores a drain of an open sink', () => {
    const state = live();
    expect(sinkDrained(state)).toBe('none');
    expect(state.sink).toBe('open');
  });

  it('puts what is sent to it alone behind its queue', () => {
    const state = live();
    sinkPaused(state);
    const [first, second] = [new Batch([chunk]), new Batch([chunk])];
    enqueueBatch(state, first);
    expect(sendBatch(state, second)).toBe('none');
    expect(state.queue).toEqual([first, second]);
  });

  it('has room until its queue holds as many events or bytes as the bounds allow', () => {
    const state = live();
    sinkPaused(state);
    enqueueBatch(state, new Batch([chunk, chunk]));
    expect(hasRoom(state, { events: 3, bytes: 11 })).toBe(true);
    expect(hasRoom(state, { events: 2, bytes: 11 })).toBe(false);
    expect(hasRoom(state, { events: 3, bytes: 10 })).toBe(false);
  });

  it('ends with the reason it is given and drops its queue', () => {
    const state = live();
    sinkPaused(state);
    enqueueBatch(state, new Batch([chunk]));
    expect(endWatcher(state, { reason: 'closed' })).toBe('end');
    expect(state).toMatchObject({ phase: 'ended', ending: { reason: 'closed' }, queue: [] });
  });

  it('ends within a write', () => {
    const state = live();
    sendBatch(state, new Batch([chunk]));
    expect(endWatcher(state, { reason: 'stopped' })).toBe('end');
    expect(sinkWritten(state, true)).toBe('none');
    expect(state.phase).toBe('ended');
  });
});

describe('a watch that has ended', () => {
  it('does nothing, whatever happens', () => {
    const state = ended();
    const batch = new Batch([chunk]);
    expect([
      watcherTurn(state),
      sliceRendered(state, [chunk], new Error('late')),
      sinkWritten(state, false),
      sinkDrained(state),
      sendBatch(state, batch),
      endWatcher(state, { reason: 'closed' }),
    ]).toEqual(Array.from({ length: 6 }, () => 'none'));
    enqueueBatch(state, batch);
    watcherPromoted(state);
    expect(state).toMatchObject({ phase: 'ended', ending: { reason: 'stopped' }, queue: [] });
    expect(isReady(state)).toBe(false);
  });
});
