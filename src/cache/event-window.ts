/**
 * The event window: the newest changes of a cache, so that a watch can start at an older revision.
 * Invariant: the window has every change above `floor`, in revision order, within its bounds. If a single change
 * exceeds the bounds, the window is empty and its floor is the revision of that change.
 */
import type { Revision } from '../storage/storage.ts';
import type { Entry, WindowBounds } from './cache.ts';
import type { Change } from './change.ts';

export const DEFAULT_WINDOW: WindowBounds = { events: 16_384, bytes: 16 * 1024 * 1024 };

// The approximate cost of an event, without the bytes of the version that it keeps alive.
const EVENT_BYTES = 200;

export class EventWindow {
  readonly #bounds: WindowBounds;
  readonly #onDrop: (previous: Entry) => void;
  #changes: Change[] = [];
  #head = 0;
  #bytes = 0;
  #dropped = 0;
  #floor: Revision;

  /** `onDrop` is called for each previous version that leaves the window. */
  constructor(bounds: WindowBounds, floor: Revision, onDrop: (previous: Entry) => void) {
    this.#bounds = bounds;
    this.#floor = floor;
    this.#onDrop = onDrop;
  }

  /** The oldest revision that a watch can start after. */
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

  /**
   * Adds the changes of an older window. `older` must have every change from its floor up to the floor of this window.
   * If the bounds do not allow all changes, the oldest are left out.
   */
  extend(older: EventWindow): void {
    const { events, bytes } = this.#bounds;
    const first = older.first;
    let from = older.end;
    let floor = older.floor;
    let total = this.#bytes;
    for (; from > first; from--) {
      const change = older.at(from - 1)!;
      total += weight(change);
      if (this.size + older.end - from >= events || total > bytes) {
        floor = change.revision;
        break;
      }
      this.#bytes = total;
    }
    const kept: Change[] = [];
    for (let sequence = from; sequence < older.end; sequence++) kept.push(older.at(sequence)!);
    this.#changes = kept.concat(this.#changes.slice(this.#head));
    this.#head = 0;
    this.#dropped -= kept.length;
    this.#floor = floor;
  }

  /**
   * The sequence number of the oldest change in the window. The first change that was pushed has number 0; older
   * changes that `extend` added have negative numbers.
   */
  get first(): number {
    return this.#dropped;
  }

  /** The sequence number of the next change to be pushed. */
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
    // Amortized O(1): at least as many changes were dropped as are moved.
    if (this.#head > 1024 && this.#head * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#head);
      this.#head = 0;
    }
  }
}

function weight(change: Change): number {
  const previous = change.previous === undefined ? 0 : change.previous.bytes.length;
  // A deletion may also keep its last version with the revision of the deletion alive. So may an update that leaves a
  // filter, which is not counted.
  return EVENT_BYTES + (change.entry === undefined ? previous * 2 : previous);
}
