import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { createListWatch, stepListWatch } from './list-watch.ts';
import type { Effect, Input, ListWatchOptions, Phase, State, Tick } from './list-watch-state.ts';
import { createBookmark, type WatchEvent } from './watch-event.ts';
import { type Failure, statusFailure } from './watch-failure.ts';

const at: Tick = { now: 0, random: 0 };
const kind = { apiVersion: 'v1', kind: 'Pod' };
const transport: Failure = { kind: 'transport', message: 'reset' };
const expired = statusFailure({ code: 410, reason: 'Expired' });
const tooLarge = statusFailure({ reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } });
const busy = statusFailure({ code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 7 } });
const invalid = statusFailure({ code: 422, reason: 'Invalid' });
const forbidden = statusFailure({ code: 403, reason: 'Forbidden' });

function pod(name: string, resourceVersion: string): JsonObject {
  return { metadata: { name, resourceVersion } };
}

/** Feeds inputs, filling in the current turn; gives the last state and all effects. */
function run(start: State, ...inputs: readonly Partial<Input>[]): { state: State; effects: Effect[] } {
  return runAt(start, at, ...inputs);
}

function runAt(start: State, tick: Tick, ...inputs: readonly Partial<Input>[]): { state: State; effects: Effect[] } {
  let state = start;
  const effects: Effect[] = [];
  for (const input of inputs) {
    const turn = 'memory' in state ? state.memory.turn : 0;
    const step = stepListWatch(state, { turn, ...input } as Input, tick);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

function page(items: readonly JsonObject[], resourceVersion: string, continueToken = ''): Partial<Input> {
  return { type: 'page', items, resourceVersion, continueToken };
}

function event(value: WatchEvent): Partial<Input> {
  return { type: 'event', event: value };
}

function idle(options: Partial<ListWatchOptions> = {}): State {
  return createListWatch({ streamingList: false, ...options });
}

function listing(): State {
  return run(idle(), { type: 'start' }).state;
}

function continuing(): State {
  return run(listing(), page([pod('a', '1')], '5', 'next')).state;
}

function streaming(): State {
  return run(idle({ streamingList: true }), { type: 'start' }).state;
}

function watching(): State {
  return run(listing(), page([pod('a', '1')], '5')).state;
}

function waiting(): State {
  return run(listing(), { type: 'list-failed', failure: forbidden }).state;
}

const end = createBookmark(kind, '9', { initialEventsEnd: true });
const error: WatchEvent = { type: 'ERROR', object: { code: 500, reason: 'InternalError' } };

/** Every phase and every input: where it leads and the effects it has. No entry: the input changes nothing. */
const transitions: readonly [
  name: string,
  from: () => State,
  answers: Readonly<Record<string, readonly [to: Phase, ...effects: Effect['type'][]]>>,
][] = [
  ['idle', idle, { start: ['listing', 'init', 'list'], stop: ['stopped'] }],
  [
    'idle with a streaming list',
    () => idle({ streamingList: true }),
    { start: ['streaming', 'init', 'watch'], stop: ['stopped'] },
  ],
  [
    'listing',
    listing,
    {
      'last page': ['watching', 'init-apply', 'init-done', 'watch'],
      'page with more': ['listing', 'init-apply', 'list'],
      'list failed: transport': ['waiting', 'report', 'wait'],
      'list failed: expired': ['listing', 'init', 'list'],
      'list failed: too large': ['listing', 'init', 'list'],
      'list failed: busy': ['waiting', 'report', 'wait'],
      'list failed: forbidden': ['waiting', 'report', 'wait'],
      stop: ['stopped', 'cancel'],
    },
  ],
  [
    'listing a later page',
    continuing,
    {
      'last page': ['watching', 'init-apply', 'init-done', 'watch'],
      'page with more': ['listing', 'init-apply', 'list'],
      'list failed: transport': ['waiting', 'report', 'wait'],
      'list failed: expired': ['listing', 'init', 'list'],
      'list failed: too large': ['listing', 'init', 'list'],
      'list failed: busy': ['waiting', 'report', 'wait'],
      'list failed: forbidden': ['waiting', 'report', 'wait'],
      stop: ['stopped', 'cancel'],
    },
  ],
  [
    'streaming',
    streaming,
    {
      ADDED: ['streaming', 'init-apply'],
      MODIFIED: ['streaming', 'init-apply'],
      DELETED: ['streaming', 'init-delete'],
      BOOKMARK: ['streaming'],
      'BOOKMARK without a revision': ['streaming'],
      'BOOKMARK at the end': ['watching', 'init-done'],
      ERROR: ['listing', 'cancel', 'report', 'init', 'list'],
      'watch ended': ['listing', 'report', 'init', 'list'],
      'watch failed: transport': ['waiting', 'report', 'wait'],
      'watch failed: expired': ['streaming', 'init', 'watch'],
      'watch failed: too large': ['streaming', 'init', 'watch'],
      'watch failed: busy': ['waiting', 'report', 'wait'],
      'watch failed: forbidden': ['listing', 'report', 'init', 'list'],
      stop: ['stopped', 'cancel'],
    },
  ],
  [
    'watching',
    watching,
    {
      ADDED: ['watching', 'apply'],
      MODIFIED: ['watching', 'apply'],
      DELETED: ['watching', 'delete'],
      BOOKMARK: ['watching', 'bookmark'],
      'BOOKMARK without a revision': ['watching', 'report'],
      'BOOKMARK at the end': ['watching', 'bookmark'],
      ERROR: ['waiting', 'cancel', 'report', 'wait'],
      'watch ended': ['waiting', 'report', 'wait'],
      'watch failed: transport': ['waiting', 'report', 'wait'],
      'watch failed: expired': ['waiting', 'report', 'wait'],
      'watch failed: too large': ['waiting', 'report', 'wait'],
      'watch failed: busy': ['waiting', 'report', 'wait'],
      'watch failed: forbidden': ['waiting', 'report', 'wait'],
      stop: ['stopped', 'cancel'],
    },
  ],
  ['waiting', waiting, { elapsed: ['listing', 'init', 'list'], stop: ['stopped', 'cancel'] }],
  ['stopped', () => run(watching(), { type: 'stop' }).state, {}],
];

const inputs: Readonly<Record<string, Partial<Input>>> = {
  start: { type: 'start' },
  'last page': page([pod('b', '2')], '5'),
  'page with more': page([pod('b', '2')], '5', 'next'),
  'list failed: transport': { type: 'list-failed', failure: transport },
  'list failed: expired': { type: 'list-failed', failure: expired },
  'list failed: too large': { type: 'list-failed', failure: tooLarge },
  'list failed: busy': { type: 'list-failed', failure: busy },
  'list failed: forbidden': { type: 'list-failed', failure: forbidden },
  ADDED: event({ type: 'ADDED', object: pod('b', '6') }),
  MODIFIED: event({ type: 'MODIFIED', object: pod('b', '6') }),
  DELETED: event({ type: 'DELETED', object: pod('b', '6') }),
  BOOKMARK: event(createBookmark(kind, '8')),
  'BOOKMARK without a revision': event({ type: 'BOOKMARK', object: {} }),
  'BOOKMARK at the end': event(end),
  ERROR: event(error),
  'watch ended': { type: 'watch-ended' },
  'watch failed: transport': { type: 'watch-failed', failure: transport },
  'watch failed: expired': { type: 'watch-failed', failure: expired },
  'watch failed: too large': { type: 'watch-failed', failure: tooLarge },
  'watch failed: busy': { type: 'watch-failed', failure: busy },
  'watch failed: forbidden': { type: 'watch-failed', failure: forbidden },
  elapsed: { type: 'elapsed' },
  stop: { type: 'stop' },
};

describe.each(transitions)('%s', (_, from, answers) => {
  it.each(Object.entries(inputs))('answers %s', (name, input) => {
    const before = from();
    const { state, effects } = run(before, input);
    const [to, ...types] = answers[name] ?? [before.phase];
    expect([state.phase, ...effects.map((effect) => effect.type)]).toEqual([to, ...types]);
    if (answers[name] === undefined) expect(state).toBe(before);
  });

  it('ignores every answer to an earlier turn', () => {
    const before = from();
    for (const input of Object.values(inputs)) {
      if (input.type === 'start' || input.type === 'stop') continue;
      expect(run(before, { ...input, turn: -1 } as Partial<Input>)).toEqual({ state: before, effects: [] });
    }
  });
});

describe('listing by pages', () => {
  it('asks for any state first, or for the newest', () => {
    expect(run(idle(), { type: 'start' }).effects[1]).toEqual({
      type: 'list',
      turn: 1,
      resourceVersion: '0',
      limit: 500,
      continueToken: '',
    });
    expect(run(idle({ firstList: 'newest' }), { type: 'start' }).effects[1]).toMatchObject({
      resourceVersion: '',
      limit: 500,
    });
  });

  it('continues without naming a revision and takes the revision of the first page', () => {
    const { state, effects } = run(continuing(), page([], '6', 'more'), page([pod('c', '2')], '7'));
    expect(effects).toEqual([
      { type: 'list', turn: 3, resourceVersion: '', limit: 500, continueToken: 'more' },
      { type: 'init-apply', object: pod('c', '2') },
      { type: 'init-done', resourceVersion: '5' },
      { type: 'watch', turn: 4, resourceVersion: '5', sendInitialEvents: false, timeoutSeconds: 300 },
    ]);
    expect(state).toMatchObject({ phase: 'watching', memory: { revision: '5' } });
  });

  it('asks for the whole list at once when a continue token has expired, then for the newest', () => {
    const whole = run(continuing(), { type: 'list-failed', failure: expired });
    expect(whole.effects).toEqual([
      { type: 'init' },
      { type: 'list', turn: 3, resourceVersion: '0', limit: 0, continueToken: '' },
    ]);
    const newest = run(whole.state, { type: 'list-failed', failure: expired });
    expect(newest.effects[1]).toMatchObject({ type: 'list', resourceVersion: '', limit: 500 });
    // A server that says so even of the newest state gets a pause.
    expect(run(newest.state, { type: 'list-failed', failure: expired }).state.phase).toBe('waiting');
  });

  it('lists again no older than what it has, without pages, unless the server paged at revision 0', () => {
    const failed = { type: 'watch-failed', failure: expired } as const;
    const again = run(watching(), failed, { type: 'elapsed' });
    expect(again.effects.at(-1)).toMatchObject({ type: 'list', resourceVersion: '5', limit: 0 });
    const paged = run(continuing(), page([], '5'), failed, { type: 'elapsed' });
    expect(paged.effects.at(-1)).toMatchObject({ type: 'list', resourceVersion: '5', limit: 500 });
    const fixed = run(idle({ pageSize: 7 }), { type: 'start' }, page([], '5'), failed, { type: 'elapsed' });
    expect(fixed.effects.at(-1)).toMatchObject({ type: 'list', resourceVersion: '5', limit: 7 });
  });

  it.each([expired, tooLarge])('asks for the newest state when its revision is not to be had (%j)', (failure) => {
    const relist = run(watching(), { type: 'watch-failed', failure: expired }, { type: 'elapsed' }).state;
    const { state, effects } = run(relist, { type: 'list-failed', failure });
    expect(effects).toMatchObject([{ type: 'init' }, { type: 'list', resourceVersion: '' }]);
    // The mark is dropped by a list that succeeds.
    expect(run(state, page([], '3')).state).toMatchObject({ memory: { revision: '3', unavailable: false } });
  });
});

describe('a streaming list', () => {
  it('continues as the watch after the bookmark that ends it', () => {
    const { state, effects } = run(
      streaming(),
      event({ type: 'ADDED', object: pod('a', '2') }),
      event(createBookmark(kind, '4')),
      event({ type: 'DELETED', object: pod('a', '5') }),
      event(end),
      event({ type: 'MODIFIED', object: pod('b', '10') }),
    );
    expect(effects).toEqual([
      { type: 'init-apply', object: pod('a', '2') },
      { type: 'init-delete', object: pod('a', '5') },
      { type: 'init-done', resourceVersion: '9' },
      { type: 'apply', object: pod('b', '10') },
    ]);
    expect(state).toMatchObject({ phase: 'watching', memory: { turn: 1, revision: '10' } });
  });

  it('names the newest delivered revision when it starts again, and none if that has expired', () => {
    const again = run(streaming(), event(end), { type: 'watch-failed', failure: forbidden }, { type: 'elapsed' });
    expect(again.effects.at(-1)).toMatchObject({ type: 'watch', resourceVersion: '9', sendInitialEvents: true });
    const newest = run(again.state, { type: 'watch-failed', failure: tooLarge });
    expect(newest.effects.at(-1)).toMatchObject({ type: 'watch', resourceVersion: '', sendInitialEvents: true });
    const stuck = run(newest.state, event({ type: 'ERROR', object: { code: 410, reason: 'Expired' } }));
    expect(stuck.effects.map((effect) => effect.type)).toEqual(['cancel', 'report', 'wait']);
    expect(stuck.state).toMatchObject({ next: 'restart' });
  });

  it('falls back to pages when refused, and streams again at the next start', () => {
    const refused = run(streaming(), { type: 'watch-failed', failure: invalid });
    expect(refused.effects.at(-1)).toMatchObject({ type: 'list', resourceVersion: '0', limit: 500 });
    const next = run(refused.state, page([], '5'), { type: 'watch-failed', failure: forbidden }, { type: 'elapsed' });
    expect(next.state.phase).toBe('streaming');
  });

  it('is followed by a pause and pages when it ends incomplete', () => {
    const cut = run(streaming(), event({ type: 'ADDED', object: pod('a', '2') }), { type: 'watch-ended' });
    expect(cut.effects.slice(1)).toMatchObject([
      { type: 'report', failure: { kind: 'incomplete-list' } },
      { type: 'wait' },
    ]);
    expect(run(cut.state, { type: 'elapsed' }).state.phase).toBe('listing');
    const silent = runAt(streaming(), { now: 1000, random: 0 }, { type: 'watch-ended' });
    expect(silent.state).toMatchObject({ phase: 'waiting', next: 'list' });
  });

  it('that ends without a revision is not resumed but started again', () => {
    const unnamed = { ...end, object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } };
    expect(run(streaming(), event(unnamed), { type: 'watch-ended' }).state.phase).toBe('streaming');
  });
});

describe('a watch', () => {
  it('resumes at once after the last event or bookmark', () => {
    const seen = run(watching(), event({ type: 'DELETED', object: pod('a', '6') }), { type: 'watch-ended' });
    expect(seen.effects.at(-1)).toMatchObject({ type: 'watch', resourceVersion: '6', sendInitialEvents: false });
    const marked = run(watching(), event(createBookmark(kind, '8')), { type: 'watch-failed', failure: transport });
    expect(marked.effects.at(-1)).toMatchObject({ type: 'watch', resourceVersion: '8' });
    const long = runAt(watching(), { now: 1000, random: 0 }, { type: 'watch-ended' });
    expect(long.effects).toMatchObject([{ type: 'watch', resourceVersion: '5' }]);
  });

  it('pauses after a watch that was short and moved nothing, even if a bookmark came', () => {
    const { state, effects } = run(watching(), event(createBookmark(kind, '5')), { type: 'watch-ended' });
    expect(effects.at(-2)).toEqual({ type: 'report', failure: { kind: 'short-watch' } });
    expect(state).toMatchObject({ phase: 'waiting', next: 'restart' });
  });

  it('resumes after a pause when no connection could be made or the server is busy', () => {
    for (const failure of [transport, busy]) {
      const { effects } = run(watching(), { type: 'watch-failed', failure }, { type: 'elapsed' });
      expect(effects.at(-1)).toMatchObject({ type: 'watch', resourceVersion: '5' });
    }
  });

  it('waits as long as the server asks, but no longer than five minutes', () => {
    expect(run(watching(), { type: 'watch-failed', failure: busy }).effects.at(-1)).toMatchObject({ ms: 7000 });
    const forever = statusFailure({ code: 429, details: { retryAfterSeconds: 1e9 } });
    expect(run(watching(), { type: 'watch-failed', failure: forever }).effects.at(-1)).toMatchObject({ ms: 300_000 });
  });

  it('backs off with the random number it is given', () => {
    const tick: Tick = { now: 0, random: 0.5 };
    const failed = { type: 'list-failed', failure: transport } as const;
    const { effects } = runAt(listing(), tick, failed, { type: 'elapsed' }, failed, { type: 'elapsed' }, failed);
    expect(effects.flatMap((effect) => (effect.type === 'wait' ? [effect.ms] : []))).toEqual([1200, 2400, 4800]);
  });

  it('is asked to end after a random time between five and ten minutes', () => {
    const { effects } = runAt(listing(), { now: 0, random: 0.5 }, page([], '5'));
    expect(effects.at(-1)).toMatchObject({ type: 'watch', timeoutSeconds: 450 });
  });

  it('does not let an object without a revision move the resume point', () => {
    const { state, effects } = run(watching(), event({ type: 'MODIFIED', object: {} }));
    expect(effects).toEqual([{ type: 'apply', object: {} }]);
    expect(state).toMatchObject({ progress: false, memory: { revision: '5' } });
  });

  it('without a revision moves the resume point only after an event other than ADDED', () => {
    const added = run(listing(), page([], '0'), event({ type: 'ADDED', object: pod('a', '4') }));
    expect(added.state).toMatchObject({ unordered: true, memory: { revision: '0' } });
    const moved = run(added.state, event({ type: 'DELETED', object: pod('a', '6') }));
    expect(moved.state).toMatchObject({ unordered: false, memory: { revision: '6' } });
    expect(run(moved.state, event({ type: 'ADDED', object: pod('b', '7') })).state).toMatchObject({
      memory: { revision: '7' },
    });
  });
});
