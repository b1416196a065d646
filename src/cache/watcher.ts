/**
 * One watch: first it catches up (pulls the initial state, then changes from the window, as its sink takes them), then it is live (its
 * group pushes). Invariant: every matching change above its start is handed to the sink once and in order; calls of the sink
 * never overlap; nothing is held for it beyond one slice and its bounded queue.
 */
import { toError } from '../base/errors.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Revision } from '../storage/storage.ts';
import type { CacheWatch, CacheWatchEnd, EventSink, Filter, QueueBounds } from './cache.ts';
import type { CatchUp } from './catch-up.ts';
import type { Face, Rendered } from './face.ts';

/** Chunks given to a sink in one call at most: larger groups make everybody else's turn late (hot-path rule 5). */
export const SLICE = 64;
// Slices of one watcher per turn, so that a large initial state does not hold the turn.
const SLICES_PER_TURN = 16;

/** What the watchers of one fan-out share. */
export interface WatcherHost {
  readonly queue: QueueBounds;
  /** The cache's revision. */
  head(): Revision;
  /** Calls `pump` of the watcher in a later turn. */
  schedulePump(watcher: Watcher): void;
  ended(watcher: Watcher, reason: CacheWatchEnd): void;
  sinkFailed(): void;
}

/** What a watcher asks of its group (`group.ts`). */
export interface WatcherGroup {
  readonly filter: Filter | undefined;
  readonly face: Face;
  /** The watcher is caught up: it gets everything above its `after` from here. */
  join(watcher: Watcher): void;
  /** The watcher is not in the list where its `ready` belongs. Not in the middle of a dispatch. */
  moved(watcher: Watcher): void;
  /** In the middle of a dispatch: remembers that the watcher's sink was drained, and answers true. */
  postpone(watcher: Watcher): boolean;
  /** Hands out what waits, if that is possible without waiting for a form; answers whether nothing waits any more. */
  settleNow(): boolean;
}

/** Chunks of one write, shared by all watchers of a group. */
export class Batch {
  readonly chunks: readonly Uint8Array[];
  #bytes = -1;

  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks;
  }

  get bytes(): number {
    if (this.#bytes < 0) {
      this.#bytes = 0;
      for (const chunk of this.chunks) this.#bytes += chunk.byteLength;
    }
    return this.#bytes;
  }
}

export function batchesOf(chunks: readonly Uint8Array[]): Batch[] {
  if (chunks.length <= SLICE) return chunks.length === 0 ? [] : [new Batch(chunks)];
  const batches: Batch[] = [];
  for (let from = 0; from < chunks.length; from += SLICE) batches.push(new Batch(chunks.slice(from, from + SLICE)));
  return batches;
}

export class Watcher implements CacheWatch {
  readonly group: WatcherGroup;
  readonly wantsBookmarks: boolean;
  /** Its group writes to it directly while it is in its `ready` list. */
  readonly sink: EventSink;
  /** Which list of its group it is in, and where: kept by the group. */
  place: 'none' | 'ready' | 'waiting' | 'late' = 'none';
  slot = 0;
  /** Nothing at or below this revision is delivered to it any more. */
  after: Revision;
  readonly #host: WatcherHost;
  #catchUp: CatchUp | undefined;
  #ended = false;
  #open = true;
  #busy = false;
  #writing = false;
  /** What follows the slice that is being made. */
  #afterShow: (() => void) | undefined;
  #queue: Batch[] = [];
  #queuedEvents = 0;
  #queuedBytes = 0;

  constructor(group: WatcherGroup, sink: EventSink, host: WatcherHost, catchUp: CatchUp, wantsBookmarks: boolean) {
    this.group = group;
    this.wantsBookmarks = wantsBookmarks;
    this.after = catchUp.start;
    this.sink = sink;
    this.#host = host;
    this.#catchUp = catchUp;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Live, its sink takes chunks and nothing waits. */
  get ready(): boolean {
    return this.#catchUp === undefined && this.#free();
  }

  drained(): void {
    if (this.#ended || this.group.postpone(this) || this.#open) return;
    this.#open = true;
    if (this.#writing || this.#busy) return; // whoever is at work goes on by itself
    this.#resume();
  }

  bookmark(): boolean {
    if (this.#ended || this.#catchUp !== undefined || !this.group.settleNow() || !this.ready || this.#writing)
      return false;
    const revision = this.#host.head();
    if (revision < this.after) return false;
    const chunk = this.#attempt(() => this.group.face.bookmark(revision, false));
    if (chunk === undefined) return false;
    this.#write([chunk]);
    this.#move();
    return !this.#ended;
  }

  stop(): void {
    this.end({ reason: 'stopped' });
  }

  end(reason: CacheWatchEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#catchUp = undefined;
    this.#queue = [];
    this.#host.ended(this, reason);
    try {
      this.sink.end(reason);
    } catch {
      this.#host.sinkFailed();
    }
  }

  /** From the group, in order and each once, if this watcher is not in its `ready` list. */
  take(batches: readonly Batch[]): void {
    if (!this.ready && !this.hasRoom()) {
      this.end({ reason: 'too-slow' });
      return;
    }
    for (const batch of batches) {
      if (this.ready) this.#write(batch.chunks);
      else this.enqueue(batch);
    }
  }

  /** Whether more may wait for it. */
  hasRoom(): boolean {
    const { queue } = this.#host;
    return this.#queuedEvents < queue.events && this.#queuedBytes < queue.bytes;
  }

  enqueue(batch: Batch): void {
    if (this.#ended) return;
    this.#queue.push(batch);
    this.#queuedEvents += batch.chunks.length;
    this.#queuedBytes += batch.bytes;
  }

  /** The group wrote to its sink, which asked for a pause. */
  blocked(): void {
    this.#open = false;
  }

  /** Goes on catching up, for one turn's share. */
  pump(): void {
    for (let slices = 0; slices < SLICES_PER_TURN; slices++) {
      if (this.#catchUp === undefined || !this.#free()) return;
      this.#step(this.#catchUp);
    }
    if (this.#catchUp !== undefined && this.#free()) this.#host.schedulePump(this);
  }

  #step(catchUp: CatchUp): void {
    const { face, filter } = this.group;
    const entries = catchUp.takeEntries(SLICE);
    if (entries !== undefined) {
      if (entries.length > 0) this.#show(face.renderState(entries, filter));
      if (!catchUp.stateEnded) return;
      this.#afterState(catchUp);
      return;
    }
    const changes = catchUp.takeChanges(SLICE);
    if (changes === undefined) {
      this.end({ reason: 'too-slow' });
      return;
    }
    // It becomes live before the last slice is shown: what happens while forms are being made waits in its queue.
    if (catchUp.caughtUp) {
      this.#catchUp = undefined;
      this.after = Math.max(this.after, this.#host.head());
      this.group.join(this);
    }
    if (changes.length > 0) this.#show(face.render(changes, filter, false));
    this.#move();
  }

  #afterState(catchUp: CatchUp): void {
    const finish = (): void => {
      if (this.#ended || !catchUp.initialEventsEnd) return;
      const chunk = this.#attempt(() => this.group.face.bookmark(catchUp.start, true));
      if (chunk === undefined) return;
      if (this.#open) this.#write([chunk]);
      else this.enqueue(new Batch([chunk]));
    };
    if (this.#busy) this.#afterShow = finish;
    else finish();
  }

  #show(rendered: MaybePromise<Rendered>): void {
    if (!isPromise(rendered)) {
      this.#deliver(rendered);
      return;
    }
    this.#busy = true;
    rendered.then(
      (done) => this.#shown(done),
      (caught: unknown) => this.#shown({ chunks: [], revisions: [], error: toError(caught), failedAt: 0 }),
    );
  }

  #shown(rendered: Rendered): void {
    this.#busy = false;
    if (this.#ended) return;
    this.#deliver(rendered);
    const then = this.#afterShow;
    this.#afterShow = undefined;
    then?.();
    this.#resume();
  }

  #resume(): void {
    if (this.#ended) return;
    this.#drainQueue();
    if (this.#catchUp !== undefined && this.#free()) this.#host.schedulePump(this);
  }

  /** Nothing stands between the next slice and the sink. */
  #free(): boolean {
    return !this.#ended && !this.#busy && this.#open && this.#queue.length === 0;
  }

  #deliver({ chunks, error }: Rendered): void {
    if (chunks.length > 0) this.#write(chunks);
    if (error !== undefined) this.end({ reason: 'failed', error });
  }

  #drainQueue(): void {
    let next = 0;
    while (next < this.#queue.length && this.#open && !this.#ended) {
      const batch = this.#queue[next++]!;
      this.#queuedEvents -= batch.chunks.length;
      this.#queuedBytes -= batch.bytes;
      this.#write(batch.chunks);
    }
    if (this.#ended) return;
    this.#queue = this.#queue.slice(next);
    this.#move();
  }

  /** Tells the group, outside of a dispatch, whether it may write to the sink directly. */
  #move(): void {
    if (this.place !== 'none' && this.place !== 'late' && (this.place === 'ready') !== this.ready)
      this.group.moved(this);
  }

  /** Writes to a sink that takes chunks. */
  #write(chunks: readonly Uint8Array[]): void {
    this.#writing = true;
    this.#open = false; // a sink may call drained() before it returns
    let more = false;
    try {
      more = this.sink.write(chunks);
    } catch (caught) {
      this.end({ reason: 'failed', error: toError(caught) });
    }
    this.#writing = false;
    if (more) this.#open = true;
  }

  #attempt<T>(make: () => T): T | undefined {
    try {
      return make();
    } catch (caught) {
      this.end({ reason: 'failed', error: toError(caught) });
      return undefined;
    }
  }
}
