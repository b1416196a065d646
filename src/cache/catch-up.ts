/** What a new watch has not seen yet: the initial state, then the window. It is pulled, so it costs no memory while its sink is slow. */
import type { OrderedMap } from '../base/ordered-map.ts';
import type { Revision } from '../storage/storage.ts';
import type { CacheRange, Entry } from './cache.ts';
import type { Change } from './change.ts';
import type { EventWindow } from './event-window.ts';
import { boundsOf, inRange } from './range.ts';

// Changes of other ranges that one call may pass over, so that its work is bounded.
const PASSED_OVER = 4096;

export interface CatchUpOptions {
  readonly range: CacheRange;
  readonly window: EventWindow;
  /** Changes above this are wanted. With `state` it is the state's revision. */
  readonly after: Revision;
  /** An immutable state to show first. */
  readonly state?: OrderedMap<string, Entry>;
  readonly initialEventsEnd: boolean;
}

export class CatchUp {
  readonly start: Revision;
  readonly initialEventsEnd: boolean;
  readonly #range: CacheRange;
  readonly #window: EventWindow;
  readonly #end: string | undefined;
  #state: OrderedMap<string, Entry> | undefined;
  #key: string;
  #sequence: number;

  constructor(options: CatchUpOptions) {
    this.start = options.after;
    this.initialEventsEnd = options.initialEventsEnd;
    this.#range = options.range;
    this.#window = options.window;
    this.#state = options.state;
    const { start, end } = boundsOf(options.range);
    this.#key = start;
    this.#end = end;
    this.#sequence = options.window.sequenceAfter(options.after);
  }

  get stateEnded(): boolean {
    return this.#state === undefined;
  }

  /** True once nothing in the window is left to see. */
  get caughtUp(): boolean {
    return this.#state === undefined && this.#sequence === this.#window.end;
  }

  /** The next entries of the state; undefined once there is none to show. Check `stateEnded` after each call. */
  takeEntries(limit: number): readonly Entry[] | undefined {
    if (this.#state === undefined) return undefined;
    const page = this.#state.page(this.#key, this.#end, limit);
    if (page.next === undefined) this.#state = undefined;
    else this.#key = page.next;
    return page.values;
  }

  /** The next changes of the range, none of the other ranges'; undefined if some of them have left the window. */
  takeChanges(limit: number): readonly Change[] | undefined {
    const window = this.#window;
    if (this.#sequence < window.first) return undefined;
    const changes: Change[] = [];
    const last = Math.min(window.end, this.#sequence + PASSED_OVER);
    while (this.#sequence < last && changes.length < limit) {
      const change = window.at(this.#sequence++)!;
      if (change.revision > this.start && inRange(this.#range, change.key)) changes.push(change);
    }
    return changes;
  }
}
