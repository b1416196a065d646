/**
 * The list-then-watch protocol of client-go's reflector (tools/cache/reflector.go, 1.36) as a pure step function. A
 * consumer uses it to keep a copy of a collection. Invariant: a watch resumes only after the newest delivered revision.
 * If that is impossible, the whole state is delivered again, so no change between `init-done` and the next `init` is
 * missed.
 *
 * Four deliberate differences from client-go reduce load or ensure progress:
 * - A broken connection resumes the watch instead of listing again.
 * - A watch that ends within a second is a failure if it moved no revision, not only if it had no events.
 * - A streaming list that ends incomplete is followed by a pause and a list of pages.
 * - An expiry that repeats at the newest revision waits.
 */
import { createBackoff, type ResettingBackoffPolicy, stepBackoff } from '../../base/backoff.ts';
import { unreachable } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Effect, Input, ListWatchOptions, Memory, State, Step, Tick } from './list-watch-state.ts';
import { type ChangeEvent, isInitialEventsEnd, resourceVersionOf, type WatchEvent } from './watch-event.ts';
import {
  type Failure,
  isExpired,
  isResourceVersionTooLarge,
  isTooManyRequests,
  statusFailure,
} from './watch-failure.ts';

/** The parameters of client-go's reflector: 800 ms doubling to 30 s, jitter 1.0, starting over every 2 minutes. */
export const REFLECTOR_BACKOFF: ResettingBackoffPolicy = {
  initialMs: 800,
  capMs: 30_000,
  factor: 2,
  jitter: 1,
  resetMs: 120_000,
};

/** client-go's defaults: a streaming list, automatic pages, watches of 5 to 10 minutes. */
export const DEFAULT_LIST_WATCH_OPTIONS: ListWatchOptions = {
  streamingList: true,
  firstList: 'any',
  pageSize: 'automatic',
  watchTimeoutSeconds: { min: 300, max: 600 },
  backoff: REFLECTOR_BACKOFF,
};

/** The state before the start. Pass `{ type: 'start' }` first, then the results of the effects. */
export function createListWatch(options: Partial<ListWatchOptions> = {}): State {
  return { phase: 'idle', options: { ...DEFAULT_LIST_WATCH_OPTIONS, ...options } };
}

/** One transition. An input that answers nothing in progress changes nothing and has no effects. */
export function stepListWatch<T = JsonObject>(state: State, input: Input<T>, tick: Tick): Step<T> {
  if (state.phase === 'stopped') return { state, effects: [] };
  if (input.type === 'stop') return stop(state);
  if (state.phase === 'idle') return input.type === 'start' ? begin(state.options, tick) : { state, effects: [] };
  if (input.type === 'start' || input.turn !== state.memory.turn) return { state, effects: [] };
  switch (state.phase) {
    case 'listing':
      if (input.type === 'page') return onPage(state, input, tick);
      if (input.type === 'list-failed') return onListFailed(state, input.failure, tick);
      break;
    case 'streaming':
      if (input.type === 'event') return onStreamedEvent(state, input.event, tick);
      if (input.type === 'events') return onEvents(state, input.events, tick);
      if (input.type === 'watch-ended') return onStreamEnded(state, tick);
      if (input.type === 'watch-failed') return onStreamFailed(state.memory, input.failure, tick);
      break;
    case 'watching':
      if (input.type === 'event') return onEvent(state, input.event, tick);
      if (input.type === 'events') return onEvents(state, input.events, tick);
      if (input.type === 'watch-ended') return onWatchEnded(state, tick);
      if (input.type === 'watch-failed') return onWatchFailed(state, input.failure, tick);
      break;
    case 'waiting':
      if (input.type === 'elapsed') return onElapsed(state, tick);
      break;
    default:
      return unreachable(state);
  }
  return { state, effects: [] };
}

type In<P extends State['phase']> = Extract<State, { phase: P }>;

/** A shorter watch without progress is a failure (client-go's VeryShortWatchError). */
const SHORT_WATCH_MS = 1000;
/** The page size of client-go's pager. */
const DEFAULT_PAGE_SIZE = 500;
/** The longest pause that a server can ask for. A wrong clock or header must not stop a consumer for good. */
const MAX_RETRY_AFTER_MS = 300_000;

function stop<T>(state: Exclude<State, { phase: 'stopped' }>): Step<T> {
  const effects: Effect<T>[] = state.phase === 'idle' ? [] : [{ type: 'cancel', turn: state.memory.turn }];
  return { state: { phase: 'stopped' }, effects };
}

function begin<T>(options: ListWatchOptions, tick: Tick): Step<T> {
  const memory: Memory = {
    options,
    turn: 0,
    revision: '',
    unavailable: false,
    paginated: false,
    backoff: createBackoff(tick.now),
  };
  return restart(memory, tick);
}

function restart<T>(memory: Memory, tick: Tick): Step<T> {
  return memory.options.streamingList ? openStream(memory, tick) : startList(memory);
}

/* ---- pages ---- */

function startList<T>(memory: Memory): Step<T> {
  const requested = listRevision(memory);
  return requestList(memory, { requested, limit: pageLimit(memory, requested), full: false });
}

function requestList<T>(
  memory: Memory,
  list: { readonly requested: string; readonly limit: number; readonly full: boolean },
): Step<T> {
  const turn = memory.turn + 1;
  return {
    state: { phase: 'listing', memory: { ...memory, turn }, revision: undefined, ...list },
    effects: [
      { type: 'init' },
      { type: 'list', turn, resourceVersion: list.requested, limit: list.limit, continueToken: '' },
    ],
  };
}

/**
 * The revision of a list: at least the newest delivered one, so that a list never goes back in time. The newest state
 * if the server does not have that revision.
 */
function listRevision(memory: Memory): string {
  if (memory.unavailable) return '';
  if (memory.revision !== '') return memory.revision;
  return memory.options.firstList === 'any' ? '0' : '';
}

function pageLimit(memory: Memory, requested: string): number {
  if (memory.options.pageSize !== 'automatic') return memory.options.pageSize;
  return requested === '' || requested === '0' || memory.paginated ? DEFAULT_PAGE_SIZE : 0;
}

function onPage<T>(state: In<'listing'>, page: Extract<Input<T>, { type: 'page' }>, tick: Tick): Step<T> {
  const effects: Effect<T>[] = page.items.map((object) => ({ type: 'init-apply', object }));
  const revision = state.revision ?? page.resourceVersion;
  if (page.continueToken !== '') {
    const turn = state.memory.turn + 1;
    // A request with a continue token must not name a revision: the token contains it.
    effects.push({ type: 'list', turn, resourceVersion: '', limit: state.limit, continueToken: page.continueToken });
    const paginated = state.memory.paginated || state.requested === '0';
    return { state: { ...state, memory: { ...state.memory, turn, paginated }, revision }, effects };
  }
  effects.push({ type: 'init-done', resourceVersion: revision });
  const watch = openWatch<T>({ ...state.memory, revision, unavailable: false }, tick);
  return { state: watch.state, effects: [...effects, ...watch.effects] };
}

function onListFailed<T>(state: In<'listing'>, failure: Failure, tick: Tick): Step<T> {
  const { memory } = state;
  const continued = state.revision !== undefined;
  if (continued && !state.full && isExpired(failure)) {
    return requestList(memory, { requested: state.requested, limit: 0, full: true });
  }
  if (isUnavailable(failure) && !memory.unavailable) return startList({ ...memory, unavailable: true });
  return pause(memory, { failure, next: 'restart', tick });
}

/* ---- streaming list ---- */

function openStream<T>(memory: Memory, tick: Tick): Step<T> {
  const turn = memory.turn + 1;
  const resourceVersion = memory.unavailable ? '' : memory.revision;
  return {
    state: { phase: 'streaming', memory: { ...memory, turn }, startedAt: tick.now, events: 0 },
    effects: [
      { type: 'init' },
      { type: 'watch', turn, resourceVersion, sendInitialEvents: true, timeoutSeconds: watchTimeout(memory, tick) },
    ],
  };
}

function onStreamedEvent<T>(state: In<'streaming'>, event: WatchEvent<T>, tick: Tick): Step<T> {
  const next: State = { ...state, events: state.events + 1 };
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
      return { state: next, effects: [{ type: 'init-apply', object: event.object }] };
    case 'DELETED':
      return { state: next, effects: [{ type: 'init-delete', object: event.object }] };
    case 'BOOKMARK': {
      if (!isInitialEventsEnd(event)) return { state: next, effects: [] };
      const revision = resourceVersionOf(event.object);
      const memory: Memory = { ...state.memory, revision, unavailable: false };
      return {
        state: { phase: 'watching', memory, startedAt: state.startedAt, progress: true, unordered: false },
        effects: [{ type: 'init-done', resourceVersion: revision }],
      };
    }
    case 'ERROR':
      return cancelled(state.memory, onStreamFailed(state.memory, statusFailure(event.object), tick));
    default:
      return unreachable(event);
  }
}

function onStreamEnded<T>(state: In<'streaming'>, tick: Tick): Step<T> {
  if (state.events === 0 && tick.now - state.startedAt < SHORT_WATCH_MS) {
    return onStreamFailed(state.memory, { kind: 'short-watch' }, tick);
  }
  return pause(state.memory, { failure: { kind: 'incomplete-list' }, next: 'list', tick });
}

function onStreamFailed<T>(memory: Memory, failure: Failure, tick: Tick): Step<T> {
  if (failure.kind === 'transport' || isTooManyRequests(failure)) {
    return pause(memory, { failure, next: 'restart', tick });
  }
  if (isUnavailable(failure)) {
    if (memory.unavailable) return pause(memory, { failure, next: 'restart', tick });
    return openStream({ ...memory, unavailable: true }, tick);
  }
  // Any other failure concerns the streaming list only: request pages at once. The next start tries to stream again.
  return reported(failure, startList(memory));
}

/* ---- watch ---- */

function openWatch<T>(memory: Memory, tick: Tick): Step<T> {
  const turn = memory.turn + 1;
  const resourceVersion = memory.revision;
  const unordered = resourceVersion === '' || resourceVersion === '0';
  return {
    state: { phase: 'watching', memory: { ...memory, turn }, startedAt: tick.now, progress: false, unordered },
    effects: [
      { type: 'watch', turn, resourceVersion, sendInitialEvents: false, timeoutSeconds: watchTimeout(memory, tick) },
    ],
  };
}

/** Opens the next watch at the end of the last one, or starts over if no revision is known. */
function resume<T>(memory: Memory, tick: Tick): Step<T> {
  return memory.revision === '' ? restart(memory, tick) : openWatch(memory, tick);
}

function onEvent<T>(state: In<'watching'>, event: WatchEvent<T>, tick: Tick): Step<T> {
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
      return { state: advance(state, event), effects: [{ type: 'apply', object: event.object }] };
    case 'DELETED':
      return { state: advance(state, event), effects: [{ type: 'delete', object: event.object }] };
    case 'BOOKMARK': {
      const resourceVersion = resourceVersionOf(event.object);
      if (resourceVersion === '') {
        const failure: Failure = { kind: 'unusable', message: 'a bookmark without a resourceVersion' };
        return { state, effects: [{ type: 'report', failure }] };
      }
      return { state: advance(state, event), effects: [{ type: 'bookmark', resourceVersion }] };
    }
    case 'ERROR':
      return cancelled(state.memory, onWatchFailed(state, statusFailure(event.object), tick));
    default:
      return unreachable(event);
  }
}

/**
 * Moves the resume point. An object without a revision is delivered but moves nothing: it may be delivered again, but
 * never lost.
 */
function advance<T>(state: In<'watching'>, event: WatchEvent<T>): In<'watching'> {
  const unordered = state.unordered && event.type === 'ADDED';
  const revision = resourceVersionOf(event.object);
  if (unordered || revision === '') return state.unordered === unordered ? state : { ...state, unordered };
  const progress = state.progress || revision !== state.memory.revision;
  return { ...state, memory: { ...state.memory, revision }, progress, unordered };
}

function onWatchEnded<T>(state: In<'watching'>, tick: Tick): Step<T> {
  if (state.progress || tick.now - state.startedAt >= SHORT_WATCH_MS) return resume(state.memory, tick);
  // The list that follows keeps the copy current even behind a proxy that blocks watches.
  return pause(state.memory, { failure: { kind: 'short-watch' }, next: 'restart', tick });
}

function onWatchFailed<T>(state: In<'watching'>, failure: Failure, tick: Tick): Step<T> {
  const { memory } = state;
  if (failure.kind === 'transport') {
    return state.progress ? reported(failure, resume(memory, tick)) : pause(memory, { failure, next: 'watch', tick });
  }
  return pause(memory, { failure, next: isTooManyRequests(failure) ? 'watch' : 'restart', tick });
}

/* ---- batches ---- */

/** Steps through events that arrived together. A run of changes is one delivery. */
function onEvents<T>(before: In<'streaming'> | In<'watching'>, events: readonly WatchEvent<T>[], tick: Tick): Step<T> {
  const effects: Effect<T>[] = [];
  const { turn } = before.memory;
  let state: State = before;
  for (let at = 0; at < events.length; ) {
    // After an ERROR event the rest belongs to a watch that has ended.
    if ((state.phase !== 'streaming' && state.phase !== 'watching') || state.memory.turn !== turn) break;
    const run = changesFrom(events, at);
    if (run.length > 0) {
      effects.push({ type: state.phase === 'streaming' ? 'init-changes' : 'changes', events: run });
      state = state.phase === 'streaming' ? { ...state, events: state.events + run.length } : advanceAll(state, run);
      at += run.length;
      continue;
    }
    const event = events[at++] as WatchEvent<T>;
    const step: Step<T> =
      state.phase === 'streaming' ? onStreamedEvent(state, event, tick) : onEvent(state, event, tick);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

/** The changes from an index up to the next bookmark or error. */
function changesFrom<T>(events: readonly WatchEvent<T>[], from: number): readonly ChangeEvent<T>[] {
  let end = from;
  while (end < events.length && isChange(events[end] as WatchEvent<T>)) end++;
  const run = from === 0 && end === events.length ? events : events.slice(from, end);
  return run as readonly ChangeEvent<T>[];
}

function isChange(event: WatchEvent<unknown>): boolean {
  return event.type !== 'BOOKMARK' && event.type !== 'ERROR';
}

function advanceAll<T>(state: In<'watching'>, events: readonly ChangeEvent<T>[]): In<'watching'> {
  if (state.unordered) return events.reduce(advance, state);
  let { revision } = state.memory;
  let { progress } = state;
  for (const { object } of events) {
    const next = resourceVersionOf(object);
    if (next === '' || next === revision) continue;
    revision = next;
    progress = true;
  }
  return { ...state, memory: { ...state.memory, revision }, progress };
}

/* ---- pauses ---- */

function onElapsed<T>(state: In<'waiting'>, tick: Tick): Step<T> {
  switch (state.next) {
    case 'restart':
      return restart(state.memory, tick);
    case 'list':
      return startList(state.memory);
    case 'watch':
      return resume(state.memory, tick);
    default:
      return unreachable(state.next);
  }
}

/** Waits for the backoff, or longer if the server asked for it. */
function pause<T>(
  memory: Memory,
  why: { readonly failure: Failure; readonly next: In<'waiting'>['next']; readonly tick: Tick },
): Step<T> {
  const { delayMs, backoff } = stepBackoff(memory.options.backoff, memory.backoff, why.tick);
  const asked = why.failure.kind === 'status' ? why.failure.retryAfterSeconds * 1000 : 0;
  const turn = memory.turn + 1;
  return {
    state: { phase: 'waiting', memory: { ...memory, turn, backoff }, next: why.next },
    effects: [
      { type: 'report', failure: why.failure },
      { type: 'wait', turn, ms: Math.max(delayMs, Math.min(asked, MAX_RETRY_AFTER_MS)) },
    ],
  };
}

function isUnavailable(failure: Failure): boolean {
  return isExpired(failure) || isResourceVersionTooLarge(failure);
}

function watchTimeout(memory: Memory, tick: Tick): number {
  const { min, max } = memory.options.watchTimeoutSeconds;
  return Math.floor(min + tick.random * Math.max(0, max - min));
}

function reported<T>(failure: Failure, step: Step<T>): Step<T> {
  return { state: step.state, effects: [{ type: 'report', failure }, ...step.effects] };
}

/** An ERROR event ends the watch, but the client must close the connection. */
function cancelled<T>(memory: Memory, step: Step<T>): Step<T> {
  return { state: step.state, effects: [{ type: 'cancel', turn: memory.turn }, ...step.effects] };
}
