/**
 * Moves the bytes of entries that have not changed for some seconds into slabs, in key order. The entry of an event has
 * an allocation of its own, and these lie scattered between the short-lived ones of requests: a list of 11,000 such
 * entries takes a quarter more CPU than one of entries in slabs. While many entries are replaced, a pass moves only the
 * last entries of slabs that hardly anything uses, so that these are freed.
 * Invariants: an entry keeps the content of its bytes, and readers may keep the bytes that it had before. A pass leaves
 * no slab of which less than half belongs to current entries, except for entries that changed during the last seconds.
 */
import type { Clock, Timer } from '../base/clock.ts';
import type { OrderedMap } from '../base/ordered-map.ts';
import type { Slab } from '../base/slab.ts';
import type { Revision } from '../storage/storage.ts';
import type { Entry } from './cache.ts';
import { moveBytes } from './entry.ts';
import { createEntrySlab, LARGEST_IN_SLAB } from './entry-slab.ts';

/** Smaller caches are left alone: their lists take little time. */
const FEWEST_ENTRIES = 1000;
/** A pass visits every entry, so it begins only after so many changes, and if they are this share of the entries. */
const FEWEST_CHANGES = 1000;
const CHANGED_SHARE = 1 / 8;
/** Entries that change more often are not moved. */
const SETTLED_MS = 2000;
/** A pass waits while as many changes as `FEWEST_CHANGES` arrive during each of so many such times: 30 seconds in all. */
const MOST_WAITS = 15;
/** The share of the entries that may be replaced during this time. Above it, new slabs would soon be empty again. */
const REPLACED_SHARE = 1 / 32;
/** The most bytes that one pass moves out of allocations of their own: they are freed only when it is over. */
const MOST_LOOSE_BYTES = 32 * 1024 * 1024;
/** The entries that are visited in one turn, which takes a fraction of a millisecond. */
const ENTRIES_PER_TURN = 512;
const TURN_MS = 1;

/** The state of the cache, as the settler sees it. */
export interface SettledState {
  readonly map: OrderedMap<string, Entry>;
  readonly revision: Revision;
}

export interface SettlerOptions {
  readonly clock: Clock;
  /** The current state. It may be another one in each turn. */
  state(): SettledState | undefined;
  /** Called at the end of each pass. */
  moved?(): void;
}

interface Pass {
  /** Later entries are not moved. */
  readonly settled: Revision;
  readonly isBusy: boolean;
  /** The bytes of current entries, by slab. */
  readonly live: Map<ArrayBufferLike, number>;
  /** The bytes of entries in allocations of their own. */
  looseBytes: number;
  readonly slab: Slab;
}

export class Settler {
  readonly #options: SettlerOptions;
  /** Changes since the last pass was scheduled, and those of them that replaced or deleted an entry. */
  #changes = 0;
  #replaced = 0;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  /** Called after each change of the state. Schedules a pass when one is due. */
  changed(isReplaced: boolean): void {
    this.#changes++;
    if (isReplaced) this.#replaced++;
    if (this.#changes >= FEWEST_CHANGES) this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    const state = this.#options.state();
    if (this.#timer !== undefined || this.#isStopped || state === undefined) return;
    const { size } = state.map;
    if (size < FEWEST_ENTRIES || this.#changes < Math.max(FEWEST_CHANGES, size * CHANGED_SHARE)) return;
    this.#await(size, state.revision);
  }

  /**
   * Begins the pass after a while, or later if entries are still added quickly: the load needs the CPU now, and the pass
   * would have to be repeated after it.
   */
  #await(size: number, settled: Revision, waits = 1): void {
    this.#changes = 0;
    this.#replaced = 0;
    this.#after(SETTLED_MS, () => {
      const state = this.#options.state();
      const isBusy = this.#replaced > size * REPLACED_SHARE;
      if (state !== undefined && !isBusy && this.#changes >= FEWEST_CHANGES && waits < MOST_WAITS)
        this.#await(state.map.size, state.revision, waits + 1);
      else this.#count({ settled, isBusy, live: new Map(), looseBytes: 0, slab: createEntrySlab() });
    });
  }

  /** The first half of a pass: counts the bytes of current entries in each slab, and those that are in none. */
  #count(pass: Pass, start?: string): void {
    const { live } = pass;
    const next = this.#visit(start, ({ bytes }) => {
      const { buffer } = bytes;
      if (buffer.byteLength === bytes.byteLength) pass.looseBytes += bytes.byteLength;
      else live.set(buffer, (live.get(buffer) ?? 0) + bytes.byteLength);
    });
    this.#after(TURN_MS, () => (next === undefined ? this.#move(pass) : this.#count(pass, next)));
  }

  /** The second half: moves entries out of their own allocations, and out of slabs that are less than half in use. */
  #move(pass: Pass, start?: string): void {
    const { settled, live, slab } = pass;
    const movesLoose = !pass.isBusy && pass.looseBytes <= MOST_LOOSE_BYTES;
    const next = this.#visit(start, (entry) => {
      const { bytes, revision, broken } = entry;
      if (revision > settled || broken !== undefined || bytes.byteLength > LARGEST_IN_SLAB) return;
      const { buffer } = bytes;
      const isLoose = buffer.byteLength === bytes.byteLength;
      // A slab that is not counted was made by this pass, or by a load during it.
      const isDue = isLoose ? movesLoose : (live.get(buffer) ?? buffer.byteLength) * 2 < buffer.byteLength;
      if (isDue) moveBytes(entry, slab.cut);
    });
    if (next !== undefined) {
      this.#after(TURN_MS, () => this.#move(pass, next));
      return;
    }
    this.#options.moved?.();
    this.#schedule();
  }

  /** Visits the entries of one turn. Returns the key of the next one. */
  #visit(start: string | undefined, visit: (entry: Entry) => void): string | undefined {
    let left = ENTRIES_PER_TURN;
    let next: string | undefined;
    this.#options.state()?.map.forEachFrom(start, undefined, (entry, key) => {
      if (left-- === 0) {
        next = key;
        return false;
      }
      visit(entry);
      return true;
    });
    return next;
  }

  #after(delayMs: number, callback: () => void): void {
    if (this.#isStopped) return;
    const run = (): void => {
      this.#timer = undefined;
      callback();
    };
    this.#timer = this.#options.clock.setTimer(delayMs, run, { background: true });
  }
}
