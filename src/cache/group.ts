/**
 * Watchers that want the same: one range, one filter, one face. Each change is filtered, made and encoded once, and the same buffers go
 * to all of them. Invariant: changes are dispatched in the order of publishing, also when forms are made asynchronously; lists of
 * watchers change only between dispatches.
 */
import { BugError, toError } from '../base/errors.ts';
import { isPromise } from '../base/maybe-promise.ts';
import type { Revision } from '../storage/storage.ts';
import type { CacheRange, EventSink, Filter } from './cache.ts';
import type { Change } from './change.ts';
import type { Face, Rendered } from './face.ts';
import { FORM_BATCH } from './forms.ts';
import { type Batch, batchesOf, type Watcher, type WatcherGroup } from './watcher.ts';

export interface GroupHost {
  head(): Revision;
  /** How many changes may wait for forms that are being made; one more ends the group's watchers `too-slow`. */
  readonly backlog: number;
  /** Calls `flush` of the group in a later turn. */
  scheduleFlush(group: Group): void;
}

/** Stands where the sink of a watch was that ended in the middle of a dispatch. */
const GONE: EventSink = { write: () => true, end: () => {} };

export class Group implements WatcherGroup {
  readonly range: CacheRange;
  readonly filter: Filter | undefined;
  readonly face: Face;
  /** All watchers of the group, those that still catch up included. */
  watchers = 0;
  readonly #host: GroupHost;
  /** Live and waiting for nothing; `#sinks` holds their sinks at the same places, so that a dispatch touches nothing else. */
  #ready: Watcher[] = [];
  #sinks: EventSink[] = [];
  /** Live, with chunks that wait for their sinks. */
  #waiting: Watcher[] = [];
  /** Live, but not interested in all that still waits here: they came later, or from the future. */
  #late: Watcher[] = [];
  #backlog: Change[] = [];
  #busy = false;
  #dispatching = false;
  /** More changes waited for forms than may: the rest was not kept. */
  #overflowed = false;
  #holes = false;
  /** Places in `#ready` whose sinks asked for a pause during this dispatch, ascending. */
  #blocked: number[] = [];
  /** Watchers that were drained during this dispatch. */
  #drained: Watcher[] = [];

  constructor(range: CacheRange, filter: Filter | undefined, face: Face, host: GroupHost) {
    this.range = range;
    this.filter = filter;
    this.face = face;
    this.#host = host;
  }

  /** Everything published has been handed to the watchers. */
  get idle(): boolean {
    return this.#backlog.length === 0 && !this.#busy && !this.#dispatching && !this.#overflowed;
  }

  publish(change: Change): void {
    if (this.#empty || this.#overflowed) return;
    if (this.#busy && this.#backlog.length >= this.#host.backlog) {
      // The watchers are ended in the next turn: nobody else's code runs while changes are published.
      this.#overflowed = true;
      this.#backlog = [];
      this.#host.scheduleFlush(this);
      return;
    }
    this.#backlog.push(change);
    if (this.#backlog.length === 1 && !this.#busy) this.#host.scheduleFlush(this);
  }

  join(watcher: Watcher): void {
    if (this.idle && this.#host.head() >= watcher.after) this.#admit(watcher);
    else {
      watcher.place = 'late';
      this.#late.push(watcher);
    }
  }

  leave(watcher: Watcher): void {
    if (this.#dispatching) {
      this.#holes = true;
      if (watcher.place === 'ready') this.#sinks[watcher.slot] = GONE;
    } else {
      this.#remove(watcher);
      if (this.#empty) this.#backlog = [];
    }
    watcher.place = 'none';
  }

  moved(watcher: Watcher): void {
    if (this.#dispatching) throw new BugError('a watcher moved in the middle of a dispatch');
    this.#remove(watcher);
    this.#admit(watcher);
  }

  postpone(watcher: Watcher): boolean {
    if (this.#dispatching) this.#drained.push(watcher);
    return this.#dispatching;
  }

  settleNow(): boolean {
    if (this.#dispatching) return false;
    this.flush();
    return this.idle;
  }

  flush(): void {
    if (this.#overflowed && !this.#dispatching) {
      this.#overflowed = false;
      for (const watcher of [...this.#ready, ...this.#waiting, ...this.#late]) watcher.end({ reason: 'too-slow' });
    }
    while (!this.#busy && !this.#dispatching && this.#backlog.length > 0) {
      const all = this.face.form === undefined || this.#backlog.length <= FORM_BATCH;
      const changes = all ? this.#backlog : this.#backlog.slice(0, FORM_BATCH);
      this.#backlog = all ? [] : this.#backlog.slice(FORM_BATCH);
      const rendered = this.face.render(changes, this.filter, true);
      if (!isPromise(rendered)) {
        this.#dispatch(changes, rendered);
        continue;
      }
      this.#busy = true;
      const done = (result: Rendered): void => {
        this.#busy = false;
        this.#dispatch(changes, result);
        this.#host.scheduleFlush(this);
      };
      rendered.then(done, (caught: unknown) =>
        done({ chunks: [], revisions: [], error: toError(caught), failedAt: 0 }),
      );
    }
  }

  get #empty(): boolean {
    return this.#ready.length === 0 && this.#waiting.length === 0 && this.#late.length === 0;
  }

  #dispatch(changes: readonly Change[], rendered: Rendered): void {
    if (rendered.chunks.length > 0) {
      this.#dispatching = true;
      this.#hand(batchesOf(rendered.chunks));
      for (const watcher of this.#late) {
        const its = lateBatches(rendered, watcher.after);
        if (its.length > 0) watcher.take(its);
      }
      this.#dispatching = false;
      if (this.#holes) this.#compact();
    }
    const { error, failedAt } = rendered;
    if (error !== undefined) this.#fail(changes, failedAt, error);
    const position = changes[error === undefined ? changes.length - 1 : failedAt]!.revision;
    if (this.#late.length > 0) this.#promote(position);
    for (const watcher of this.#drained.splice(0)) watcher.drained();
  }

  #hand(batches: readonly Batch[]): void {
    for (const watcher of this.#waiting) if (!watcher.hasRoom()) watcher.end({ reason: 'too-slow' });
    for (const batch of batches) {
      this.#writeToReady(batch.chunks);
      for (const watcher of this.#waiting) watcher.enqueue(batch);
      // From the end, because a removal moves the last one to the free place.
      for (let place = this.#blocked.pop(); place !== undefined; place = this.#blocked.pop()) {
        const watcher = this.#ready[place]!;
        if (watcher.ended) continue;
        this.#remove(watcher);
        watcher.blocked();
        this.#admit(watcher);
      }
    }
  }

  #writeToReady(chunks: readonly Uint8Array[]): void {
    const sinks = this.#sinks;
    let place = 0;
    while (place < sinks.length) {
      try {
        for (; place < sinks.length; place++) if (!sinks[place]!.write(chunks)) this.#blocked.push(place);
      } catch (caught) {
        this.#ready[place++]!.end({ reason: 'failed', error: toError(caught) });
      }
    }
  }

  /** Ends those to whom the failed change matters; what follows it is for those who came later. */
  #fail(changes: readonly Change[], failedAt: number, error: Error): void {
    const { revision } = changes[failedAt]!;
    const late = this.#late.filter((watcher) => watcher.after < revision);
    for (const watcher of [...this.#ready, ...this.#waiting, ...late]) watcher.end({ reason: 'failed', error });
    if (this.#late.length > 0) this.#backlog = [...changes.slice(failedAt + 1), ...this.#backlog];
  }

  #promote(position: Revision): void {
    const head = this.#host.head();
    const late = this.#late;
    this.#late = [];
    for (const watcher of late) {
      // What still waits has the position's revision or a later one.
      if (position > watcher.after || (this.idle && head >= watcher.after)) this.#admit(watcher);
      else this.#late.push(watcher);
    }
  }

  #admit(watcher: Watcher): void {
    const list = watcher.ready ? this.#ready : this.#waiting;
    watcher.place = watcher.ready ? 'ready' : 'waiting';
    watcher.slot = list.length;
    list.push(watcher);
    if (watcher.ready) this.#sinks.push(watcher.sink);
  }

  #remove(watcher: Watcher): void {
    if (watcher.place === 'late') this.#late.splice(this.#late.indexOf(watcher), 1);
    else if (watcher.place !== 'none') {
      const list = watcher.place === 'ready' ? this.#ready : this.#waiting;
      const last = list.pop()!;
      if (watcher.place === 'ready') {
        const sink = this.#sinks.pop()!;
        if (last !== watcher) this.#sinks[watcher.slot] = sink;
      }
      if (last !== watcher) {
        list[watcher.slot] = last;
        last.slot = watcher.slot;
      }
    }
  }

  #compact(): void {
    this.#holes = false;
    const live = [...this.#ready, ...this.#waiting].filter((watcher) => !watcher.ended);
    this.#ready = [];
    this.#sinks = [];
    this.#waiting = [];
    this.#late = this.#late.filter((watcher) => !watcher.ended);
    for (const watcher of live) this.#admit(watcher);
    if (this.#empty) this.#backlog = [];
  }
}

function lateBatches(rendered: Rendered, after: Revision): Batch[] {
  const from = rendered.revisions.findIndex((revision) => revision > after);
  return from < 0 ? [] : batchesOf(rendered.chunks.slice(from));
}
