/**
 * The newest changes of a cache, so that a watch can begin in the past. Invariant: every change above `floor` is here, in revision
 * order; never more than the bounds say. A window too small for one change holds none, and its floor is that change.
 */
import type { Revision } from '../storage/storage.ts';
import type { Entry, WindowBounds } from './cache.ts';
import type { Change } from './change.ts';

export const DEFAULT_WINDOW: WindowBounds = { events: 16_384, bytes: 16 * 1024 * 1024 };

// What an event costs beside the bytes of the version it keeps alive: measured roughly, it need not be exact.
const EVENT_BYTES = 200;

export class EventWindow {
  readonly #bounds: WindowBounds;
  readonly #onDrop: (previous: Entry) => void;
  #changes: Change[] = [];
  #head = 0;
  #bytes = 0;
  #dropped = 0;
  #floor: Revision;

  /** `onDrop` is told every former version that leaves the window. */
  constructor(bounds: WindowBounds, floor: Revision, onDrop: (previous: Entry) => void) {
    this.#bounds = bounds;
    this.#floor = floor;
    this.#onDrop = onDrop;
  }

  /** Watches after this revision or any later one find all they need here. */
  get floor(): Revision {
    return this.#floor;
  }

  get size(): number {
    return this.#changes.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(change: Change): void {
    this.#changes.push(change);
    this.#bytes += weight(change);
    while (this.size > 0 && (this.size > this.#bounds.events || this.#bytes > this.#bounds.bytes)) this.#drop();
  }

  /** The sequence number of the oldest change that is still here; each change has one, counted from the beginning of the window. */
  get first(): number {
    return this.#dropped;
  }

  /** The sequence number that the next change will have. */
  get end(): number {
    return this.#dropped + this.size;
  }

  /** The sequence number of the first change above the revision. */
  sequenceAfter(revision: Revision): number {
    let low = this.#head;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#changes[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low - this.#head + this.#dropped;
  }

  at(sequence: number): Change | undefined {
    return sequence < this.#dropped ? undefined : this.#changes[sequence - this.#dropped + this.#head];
  }

  #drop(): void {
    const change = this.#changes[this.#head]!;
    this.#changes[this.#head++] = undefined as unknown as Change;
    this.#bytes -= weight(change);
    this.#dropped++;
    this.#floor = change.revision;
    if (change.previous !== undefined) this.#onDrop(change.previous);
    // Moving the rest costs as much as what was dropped since the last time.
    if (this.#head > 1024 && this.#head * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#head);
      this.#head = 0;
    }
  }
}

function weight(change: Change): number {
  const previous = change.previous === undefined ? 0 : change.previous.bytes.byteLength;
  // A deletion may hold its last version a second time, with the final revision. So may an update that left a filter: not counted.
  return EVENT_BYTES + (change.entry === undefined ? previous * 2 : previous);
}
