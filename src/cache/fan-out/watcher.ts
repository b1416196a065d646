/**
 * One watch of a cache: its state, its sink, and the methods that its owner calls. The group of the watch implements
 * them.
 */
import type { CacheWatch, CacheWatchEnd, EventSink } from '../cache.ts';
import type { CatchUp } from './catch-up.ts';
import type { Member, Place } from './group-members.ts';
import { newWatcherState, type WatcherState } from './watcher-state.ts';

/** The methods of a group (`group.ts`) that concern one of its watchers. */
export interface WatcherGroup {
  /** Called when the scheduled turn of a watcher that catches up has come. */
  turn(watcher: Watcher): void;
  /** See `CacheWatch.drained`. A call during a dispatch takes effect when the dispatch is over. */
  drained(watcher: Watcher): void;
  /** See `CacheWatch.bookmark`. */
  bookmark(watcher: Watcher): boolean;
  /** Ends a watch and calls the sink's `end` before it returns. Does nothing if the watch has ended. */
  end(watcher: Watcher, reason: CacheWatchEnd): void;
}

export class Watcher implements CacheWatch, Member {
  readonly group: WatcherGroup;
  readonly sink: EventSink;
  readonly wantsBookmarks: boolean;
  readonly state: WatcherState;
  place: Place = 'none';
  slot = 0;

  constructor(group: WatcherGroup, sink: EventSink, catchUp: CatchUp, wantsBookmarks: boolean) {
    this.group = group;
    this.sink = sink;
    this.wantsBookmarks = wantsBookmarks;
    this.state = newWatcherState(catchUp);
  }

  drained(): void {
    this.group.drained(this);
  }

  bookmark(): boolean {
    return this.group.bookmark(this);
  }

  stop(): void {
    this.group.end(this, { reason: 'stopped' });
  }
}
