/**
 * A group of watchers with the same range, filter and renderer. Each change is filtered, rendered and encoded once, and
 * all watchers get the same batches. This file is the loop around two state machines, one for the group's changes
 * (`group-state.ts`) and one for each watcher (`watcher-state.ts`): it performs their effects and calls the transitions
 * of the outcomes.
 *
 * Sinks may call back into their watches at any time.
 * Invariant: while batches are dispatched no list of members loses an element. A member that ends meanwhile is muted at
 * once, and leaves its list when the dispatch is over.
 */
import { toError } from '../../base/errors.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import type { Revision } from '../../storage/storage.ts';
import type { CacheRange, CacheWatchEnd, Filter, QueueBounds } from '../cache.ts';
import type { Change } from '../change.ts';
import { FORM_BATCH } from '../forms.ts';
import { Batch, batchesOf } from './batch.ts';
import { type EventRenderer, failedRendering, type Rendered } from './event-renderer.ts';
import { GroupMembers, type Place } from './group-members.ts';
import {
  changePublished,
  changesDispatched,
  changesRendered,
  type GroupEffect,
  type GroupState,
  groupDeserted,
  groupSettled,
  groupTurn,
  isSettled,
  newGroupState,
} from './group-state.ts';
import type { Watcher, WatcherGroup } from './watcher.ts';
import {
  endWatcher,
  enqueueBatch,
  hasRoom,
  isReady,
  sendBatch,
  sinkDrained,
  sinkPaused,
  sinkWritten,
  sliceRendered,
  type WatcherEffect,
  type WatcherState,
  watcherJoined,
  watcherPromoted,
  watcherTurn,
} from './watcher-state.ts';

/** The fan-out that a group belongs to. */
export interface GroupHost {
  readonly queue: QueueBounds;
  /** How many changes may wait while forms are made. One more ends the group's watchers `too-slow`. */
  readonly backlog: number;
  /** The cache's revision. */
  head(): Revision;
  /** Calls `flush` of the group in a later turn. */
  scheduleGroup(group: Group): void;
  /** Calls `turn` of the watcher's group in a later turn. */
  scheduleWatcher(watcher: Watcher): void;
  /** Called when a watcher has ended and left the group, before its sink's `end`. */
  ended(watcher: Watcher, group: Group, reason: CacheWatchEnd): void;
  /** Called when a sink's `end` threw. */
  sinkFailed(): void;
}

const TOO_SLOW: CacheWatchEnd = { reason: 'too-slow' };

export class Group implements WatcherGroup {
  readonly range: CacheRange;
  readonly filter: Filter | undefined;
  readonly renderer: EventRenderer;
  /** The number of watchers, including those that still catch up. */
  watchers = 0;
  readonly #host: GroupHost;
  readonly #state: GroupState;
  readonly #members = new GroupMembers<Watcher>();
  /** The slots of `ready` whose sinks asked for a pause in the current batch, ascending. */
  readonly #paused: number[] = [];
  /** Members that ended during the current dispatch. */
  #left: Watcher[] = [];
  /** Members whose sinks were drained during the current dispatch. */
  #drained: Watcher[] = [];

  constructor(range: CacheRange, filter: Filter | undefined, renderer: EventRenderer, host: GroupHost) {
    this.range = range;
    this.filter = filter;
    this.renderer = renderer;
    this.#host = host;
    const render = renderer.form === undefined ? Number.POSITIVE_INFINITY : FORM_BATCH;
    this.#state = newGroupState({ backlog: host.backlog, render });
  }

  /** Publishes a change of the range. Sinks are called in a later turn. */
  publish(change: Change): void {
    if (this.#members.size > 0) this.#run(changePublished(this.#state, change));
  }

  /** Dispatches the backlog, unless changes are being rendered asynchronously or dispatched. */
  flush(): void {
    this.#run(groupTurn(this.#state));
  }

  turn(watcher: Watcher): void {
    this.#runWatcher(watcher, watcherTurn(watcher.state));
  }

  drained(watcher: Watcher): void {
    if (this.#state.phase === 'dispatching') this.#drained.push(watcher);
    else this.#runWatcher(watcher, sinkDrained(watcher.state));
  }

  bookmark(watcher: Watcher): boolean {
    const { state } = watcher;
    if (state.phase === 'ended' || state.phase === 'catching-up' || this.#state.phase === 'dispatching') return false;
    this.flush();
    const revision = this.#host.head();
    if (!isSettled(this.#state) || !isReady(state) || revision < state.after) return false;
    let batch: Batch;
    try {
      batch = new Batch([this.renderer.bookmark(revision)]);
    } catch (caught) {
      this.end(watcher, { reason: 'failed', error: toError(caught) });
      return false;
    }
    this.#runWatcher(watcher, sendBatch(state, batch));
    return !hasEnded(watcher);
  }

  end(watcher: Watcher, reason: CacheWatchEnd): void {
    this.#runWatcher(watcher, endWatcher(watcher.state, reason));
  }

  // ── Effects of the group ───────────────────────────────────────────────────────────────────────────────────────────

  #run(effect: GroupEffect): void {
    while (effect !== 'none') effect = this.#perform(effect);
  }

  #perform(effect: Exclude<GroupEffect, 'none'>): GroupEffect {
    const state = this.#state;
    switch (effect) {
      case 'schedule':
        this.#host.scheduleGroup(this);
        return 'none';
      case 'render':
        return this.#render(state.taken);
      case 'dispatch':
        this.#dispatch(state.rendered!);
        return changesDispatched(state, this.#members.late.length > 0);
      case 'settle':
        this.#settle(state.position, state.failure);
        return groupSettled(state);
      case 'end-all':
        for (const watcher of this.#members.all()) this.end(watcher, TOO_SLOW);
        return 'none';
    }
  }

  #render(changes: readonly Change[]): GroupEffect {
    const rendered = this.renderer.render(changes, this.filter, true);
    if (!isPromise(rendered)) return changesRendered(this.#state, rendered);
    const finish = (result: Rendered): void => {
      this.#run(changesRendered(this.#state, result));
      // Always schedule a turn, because a turn clears the memo of the renderer.
      this.#host.scheduleGroup(this);
    };
    rendered.then(finish, (caught: unknown) => finish(failedRendering(caught)));
    return 'none';
  }

  #dispatch({ chunks, revisions }: Rendered): void {
    if (chunks.length === 0) return;
    const { waiting, late } = this.#members;
    for (const watcher of waiting) if (!hasRoom(watcher.state, this.#host.queue)) this.end(watcher, TOO_SLOW);
    for (const batch of batchesOf(chunks)) this.#dispatchBatch(batch);
    for (const watcher of late) {
      const from = revisions.findIndex((revision) => revision > watcher.state.after);
      if (from >= 0) this.#dispatchLate(watcher, batchesOf(chunks.slice(from)));
    }
  }

  #dispatchBatch(batch: Batch): void {
    const { ready, waiting } = this.#members;
    this.#writeToReady(batch.chunks);
    for (const watcher of waiting) enqueueBatch(watcher.state, batch);
    // From the last slot to the first, because a removal moves the last member to the free slot.
    for (let slot = this.#paused.pop(); slot !== undefined; slot = this.#paused.pop()) {
      const watcher = ready[slot]!;
      if (hasEnded(watcher)) continue;
      sinkPaused(watcher.state);
      this.#members.put(watcher, 'waiting');
    }
  }

  #writeToReady(chunks: readonly Uint8Array[]): void {
    const { ready, sinks } = this.#members;
    let slot = 0;
    while (slot < sinks.length) {
      try {
        for (; slot < sinks.length; slot++) if (!sinks[slot]!.write(chunks)) this.#paused.push(slot);
      } catch (caught) {
        this.end(ready[slot++]!, { reason: 'failed', error: toError(caught) });
      }
    }
  }

  #dispatchLate(watcher: Watcher, batches: readonly Batch[]): void {
    const { state } = watcher;
    if (!isReady(state) && !hasRoom(state, this.#host.queue)) this.end(watcher, TOO_SLOW);
    for (const batch of batches) this.#runWatcher(watcher, sendBatch(state, batch));
  }

  #settle(position: Revision, failure: Error | undefined): void {
    if (this.#left.length > 0) {
      const left = this.#left;
      this.#left = [];
      for (const watcher of left) this.#place(watcher);
    }
    if (failure !== undefined) this.#fail(position, failure);
    if (this.#members.late.length > 0) this.#promote(position);
    if (this.#drained.length > 0) {
      const drained = this.#drained;
      this.#drained = [];
      for (const watcher of drained) this.drained(watcher);
    }
  }

  /** Ends the watchers that need the change at `revision`, which could not be rendered. */
  #fail(revision: Revision, error: Error): void {
    for (const watcher of this.#members.all()) {
      if (watcher.place !== 'late' || watcher.state.after < revision) this.end(watcher, { reason: 'failed', error });
    }
  }

  /**
   * Makes late watchers live that have no more changes to skip. The changes in the backlog are at or above `position`.
   */
  #promote(position: Revision): void {
    const head = this.#host.head();
    const settled = isSettled(this.#state);
    for (const watcher of [...this.#members.late]) {
      const { after } = watcher.state;
      if (position <= after && !(settled && head >= after)) continue;
      watcherPromoted(watcher.state);
      this.#place(watcher);
    }
  }

  // ── Effects of watchers ────────────────────────────────────────────────────────────────────────────────────────────

  #runWatcher(watcher: Watcher, effect: WatcherEffect): void {
    while (effect !== 'none') effect = this.#performFor(watcher, effect);
    this.#place(watcher);
  }

  #performFor(watcher: Watcher, effect: Exclude<WatcherEffect, 'none'>): WatcherEffect {
    switch (effect) {
      case 'write':
        return write(watcher);
      case 'render':
        return this.#renderSlice(watcher);
      case 'join':
        return this.#join(watcher);
      case 'schedule':
        this.#host.scheduleWatcher(watcher);
        return 'none';
      case 'end':
        this.#leave(watcher);
        return 'none';
    }
  }

  #renderSlice(watcher: Watcher): WatcherEffect {
    const { state } = watcher;
    const rendered = this.renderer.renderSlice(state.slice!, this.filter);
    if (!isPromise(rendered)) return sliceRendered(state, rendered.chunks, rendered.error);
    const finish = ({ chunks, error }: Rendered): void =>
      this.#runWatcher(watcher, sliceRendered(state, chunks, error));
    rendered.then(finish, (caught: unknown) => finish(failedRendering(caught)));
    return 'none';
  }

  #join(watcher: Watcher): WatcherEffect {
    const head = this.#host.head();
    const late = !isSettled(this.#state) || head < watcher.state.after;
    // Add the watcher before the sink is written to, because a change may be published during that write.
    this.#members.put(watcher, late ? 'late' : 'waiting');
    return watcherJoined(watcher.state, head, late);
  }

  #leave(watcher: Watcher): void {
    const reason = watcher.state.ending!;
    this.#place(watcher);
    this.#host.ended(watcher, this, reason);
    try {
      watcher.sink.end(reason);
    } catch {
      this.#host.sinkFailed();
    }
  }

  /** Moves a watcher to the list that its state requires. */
  #place(watcher: Watcher): void {
    const place = placeOf(watcher.state);
    if (place === watcher.place) return;
    if (this.#state.phase === 'dispatching' && watcher.place !== 'none') {
      this.#members.mute(watcher);
      this.#left.push(watcher);
      return;
    }
    this.#members.put(watcher, place);
    if (this.#members.size === 0) groupDeserted(this.#state);
  }
}

function placeOf(state: WatcherState): Place {
  switch (state.phase) {
    case 'catching-up':
    case 'ended':
      return 'none';
    case 'late':
      return 'late';
    case 'live':
      return isReady(state) ? 'ready' : 'waiting';
  }
}

function hasEnded({ state }: Watcher): boolean {
  return state.phase === 'ended';
}

function write({ sink, state }: Watcher): WatcherEffect {
  let more: boolean;
  try {
    more = sink.write(state.chunks);
  } catch (caught) {
    return endWatcher(state, { reason: 'failed', error: toError(caught) });
  }
  return sinkWritten(state, more);
}
