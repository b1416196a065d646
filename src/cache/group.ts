/**
 * Watchers that want the same: one range, one filter, one face. Each change is filtered, made and encoded once, and the same buffers go
 * to all of them. Invariant: changes are dispatched in the order of publishing, also when forms are made asynchronously.
 */
import { BugError, toError } from '../base/errors.ts';
import { isPromise } from '../base/maybe-promise.ts';
import type { Revision } from '../storage/storage.ts';
import type { CacheRange, CacheWatchEnd, Filter } from './cache.ts';
import type { Change } from './change.ts';
import type { Face, Rendered } from './face.ts';
import { FORM_BATCH } from './forms.ts';
import { type Batch, batchesOf, type Watcher } from './watcher.ts';

export interface GroupHost {
  head(): Revision;
  /** How many changes may wait for forms that are being made; one more ends the group's watchers `too-slow`. */
  readonly backlog: number;
  /** Calls `flush` of the group in a later turn. */
  scheduleFlush(group: Group): void;
}

export class Group {
  readonly range: CacheRange;
  readonly filter: Filter | undefined;
  readonly face: Face;
  /** All watchers of the group, those that still catch up included. */
  watchers = 0;
  readonly #host: GroupHost;
  #members: Watcher[] = [];
  /** Live, but not interested in all that still waits here: they came later, or from the future. */
  #late: Watcher[] = [];
  #backlog: Change[] = [];
  #busy = false;
  #dispatching = false;
  #holes = false;

  constructor(range: CacheRange, filter: Filter | undefined, face: Face, host: GroupHost) {
    this.range = range;
    this.filter = filter;
    this.face = face;
    this.#host = host;
  }

  /** Everything published has been handed to the watchers. */
  get idle(): boolean {
    return this.#backlog.length === 0 && !this.#busy && !this.#dispatching;
  }

  publish(change: Change): void {
    if (this.#members.length === 0 && this.#late.length === 0) return;
    if (this.#busy && this.#backlog.length >= this.#host.backlog) {
      this.#endAll({ reason: 'too-slow' });
      return;
    }
    this.#backlog.push(change);
    if (this.#backlog.length === 1 && !this.#busy) this.#host.scheduleFlush(this);
  }

  /** The watcher is caught up: it gets everything above its `after` from here. */
  join(watcher: Watcher): void {
    if (this.idle && this.#host.head() >= watcher.after) this.#admit(watcher);
    else this.#late.push(watcher);
  }

  leave(watcher: Watcher): void {
    if (this.#dispatching) {
      this.#holes = true;
      return;
    }
    if (watcher.slot < 0) {
      const at = this.#late.indexOf(watcher);
      if (at >= 0) this.#late.splice(at, 1);
    } else {
      const last = this.#members.pop()!;
      if (last !== watcher) {
        this.#members[watcher.slot] = last;
        last.slot = watcher.slot;
      }
    }
    watcher.slot = -1;
    if (this.#members.length === 0 && this.#late.length === 0) this.#backlog = [];
  }

  /** Hands out what waits, if that is possible without waiting for a form; answers whether nothing waits any more. */
  settleNow(): boolean {
    if (this.#dispatching) return false;
    this.flush();
    return this.idle;
  }

  flush(): void {
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

  #dispatch(changes: readonly Change[], rendered: Rendered): void {
    this.#dispatching = true;
    if (rendered.chunks.length > 0) {
      const batches = batchesOf(rendered.chunks);
      const members = this.#members;
      for (let i = 0; i < members.length; i++) members[i]!.take(batches);
      for (const watcher of this.#late) {
        const its = lateBatches(rendered, watcher.after);
        if (its.length > 0) watcher.take(its);
      }
    }
    this.#dispatching = false;
    if (this.#holes) this.#compact();
    const { error, failedAt } = rendered;
    if (error !== undefined) this.#fail(changes, failedAt, error);
    const position = changes[error === undefined ? changes.length - 1 : failedAt]!.revision;
    if (this.#late.length > 0) this.#promote(position);
  }

  /** Ends those to whom the failed change matters; what follows it is for those who came later. */
  #fail(changes: readonly Change[], failedAt: number, error: Error): void {
    const { revision } = changes[failedAt]!;
    const concerned = [...this.#members, ...this.#late.filter((watcher) => watcher.after < revision)];
    for (const watcher of concerned) watcher.end({ reason: 'failed', error });
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
    if (this.#dispatching) throw new BugError('a watcher joined its group in the middle of a dispatch');
    watcher.slot = this.#members.length;
    this.#members.push(watcher);
  }

  #compact(): void {
    this.#holes = false;
    this.#members = this.#members.filter((watcher) => !watcher.ended);
    this.#late = this.#late.filter((watcher) => !watcher.ended);
    this.#members.forEach((watcher, slot) => {
      watcher.slot = slot;
    });
    if (this.#members.length === 0 && this.#late.length === 0) this.#backlog = [];
  }

  #endAll(reason: CacheWatchEnd): void {
    this.#backlog = [];
    for (const watcher of [...this.#members, ...this.#late]) watcher.end(reason);
  }
}

function lateBatches(rendered: Rendered, after: Revision): Batch[] {
  const from = rendered.revisions.findIndex((revision) => revision > after);
  return from < 0 ? [] : batchesOf(rendered.chunks.slice(from));
}
