/**
 * The cursor of a watch that catches up. It returns the initial state, the bookmark that ends it, and then the changes
 * in the event window. The watch pulls slices as its sink takes them, so a slow sink costs no memory while it catches
 * up.
 */
import type { OrderedMap } from '../../base/ordered-map.ts';
import type { Revision } from '../../storage/storage.ts';
import type { CacheRange, Entry } from '../cache.ts';
import type { Change } from '../change.ts';
import type { EventWindow } from '../event-window.ts';
import { boundsOf, inRange } from '../range.ts';

/** The most changes of other ranges that one slice skips. It bounds the work of a slice. */
const MAX_SKIPPED = 4096;

const LOST: Slice = { type: 'lost' };

/** The next part of the state and the changes that a watch has not seen. */
export type Slice =
  /** Entries of the initial state, in key order; maybe none. */
  | { readonly type: 'entries'; readonly entries: readonly Entry[] }
  /** The initial state is complete: send the bookmark that says so. */
  | { readonly type: 'initial-events-end'; readonly revision: Revision }
  /** Changes of the range, maybe none. `caughtUp`: the window has no further changes, and the cursor is done. */
  | { readonly type: 'changes'; readonly changes: readonly Change[]; readonly caughtUp: boolean }
  /** Some of the changes have left the window before the cursor reached them. */
  | { readonly type: 'lost' };

export interface CatchUpOptions {
  readonly range: CacheRange;
  readonly window: EventWindow;
  /** The cursor returns changes above this revision. With `state` it is the revision of the state. */
  readonly after: Revision;
  /** An immutable state that comes before the changes. */
  readonly state?: OrderedMap<string, Entry>;
  /** Whether a bookmark follows the state. */
  readonly initialEventsEnd: boolean;
}

export class CatchUp {
  readonly after: Revision;
  readonly #range: CacheRange;
  readonly #window: EventWindow;
  readonly #initialEventsEnd: boolean;
  readonly #end: string | undefined;
  #state: OrderedMap<string, Entry> | undefined;
  #bookmarkDue = false;
  #key: string;
  #sequence: number;

  constructor(options: CatchUpOptions) {
    this.after = options.after;
    this.#range = options.range;
    this.#window = options.window;
    this.#initialEventsEnd = options.initialEventsEnd;
    this.#state = options.state;
    const { start, end } = boundsOf(options.range);
    this.#key = start;
    this.#end = end;
    this.#sequence = options.window.sequenceAfter(options.after);
  }

  /** The next slice, of at most `limit` entries or changes. */
  next(limit: number): Slice {
    if (this.#state !== undefined) return this.#nextEntries(this.#state, limit);
    if (this.#bookmarkDue) {
      this.#bookmarkDue = false;
      return { type: 'initial-events-end', revision: this.after };
    }
    return this.#nextChanges(limit);
  }

  #nextEntries(state: OrderedMap<string, Entry>, limit: number): Slice {
    const page = state.page(this.#key, this.#end, limit);
    if (page.next === undefined) {
      this.#state = undefined;
      this.#bookmarkDue = this.#initialEventsEnd;
    } else this.#key = page.next;
    return { type: 'entries', entries: page.values };
  }

  #nextChanges(limit: number): Slice {
    const window = this.#window;
    if (this.#sequence < window.first) return LOST;
    const changes: Change[] = [];
    const last = Math.min(window.end, this.#sequence + MAX_SKIPPED);
    while (this.#sequence < last && changes.length < limit) {
      const change = window.at(this.#sequence++)!;
      if (change.revision > this.after && inRange(this.#range, change.key)) changes.push(change);
    }
    return { type: 'changes', changes, caughtUp: this.#sequence === window.end };
  }
}
