/**
 * Moves the bytes of entries that have not changed for some seconds into slabs, in key order. The entry of an event has
 * its own allocation, or is in a slab in the order of creation: a list of 11,000 entries in scattered allocations takes a
 * quarter more CPU than a list of entries in slabs in key order. While many entries are replaced, a pass only moves the
 * remaining entries out of slabs that are less than half in use, so that these slabs are freed.
 * Invariants: moving does not change the content of the bytes, and readers may keep the old bytes. After a pass,
 * current entries use at least half of every slab, except for entries that changed during the last seconds.
 */
import type { Clock, Timer } from '../base/clock.ts';
import type { OrderedMap } from '../base/ordered-map.ts';
import type { Slab } from '../base/slab.ts';
import type { Revision } from '../storage/storage.ts';
import type { Entry } from './cache.ts';
import { moveBytes } from './entry.ts';
import { createEntrySlab, isLoose, LARGEST_IN_SLAB } from './entry-slab.ts';

/** Smaller caches are not settled, because their lists take little time. They have no slabs of new entries. */
export const FEWEST_ENTRIES = 1000;
/**
 * A pass visits every entry, so it begins only after this many changes, and only if they are this share of the entries.
 */
const FEWEST_CHANGES = 1000;
const CHANGED_SHARE = 1 / 8;
/** Entries that have changed during the last milliseconds are not moved. */
const SETTLED_MS = 2000;
/** A pass waits while `FEWEST_CHANGES` or more arrive per `SETTLED_MS`, at most this many times: 30 seconds in all. */
const MOST_WAITS = 15;
/** The share of the entries that may be replaced per `SETTLED_MS`. Above it, new slabs would soon be empty again. */
const REPLACED_SHARE = 1 / 32;
/**
 * The most bytes outside of slabs that one pass moves, because the old allocations are freed only when the pass is
 * over.
 */
const MOST_LOOSE_BYTES = 32 * 1024 * 1024;
/** The entries that a pass visits in one turn, which takes a fraction of a millisecond. */
const ENTRIES_PER_TURN = 512;
const TURN_MS = 1;

/** The part of the cache's state that the settler uses. */
export interface SettledState {
  readonly map: OrderedMap<string, Entry>;
  readonly revision: Revision;
}

export interface SettlerOptions {
  readonly clock: Clock;
  /** Returns the current state, which may be another object in each turn; undefined if there is none. */
  state(): SettledState | undefined;
  /** Called at the end of each pass. */
  moved?(): void;
}

interface Pass {
  /** Entries with a higher revision are not moved. */
  readonly settled: Revision;
  readonly isBusy: boolean;
  /** The bytes of current entries, by slab. */
  readonly live: Map<ArrayBufferLike, number>;
  /** The bytes of current entries outside of slabs. */
  looseBytes: number;
  readonly slab: Slab;
}

export class Settler {
  readonly #options: SettlerOptions;
  /** The changes since the last pass was scheduled, and how many of them replaced or deleted an entry. */
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
   * Begins the pass after `SETTLED_MS`, or later if many changes arrive: the load then needs the CPU, and the pass
   * would have to be repeated.
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

  /** The first half of a pass: counts the bytes of current entries in each slab and outside of slabs. */
  #count(pass: Pass, start?: string): void {
    const { live } = pass;
    const next = this.#visit(start, ({ bytes }) => {
      const { buffer } = bytes;
      if (isLoose(bytes)) pass.looseBytes += bytes.byteLength;
      if (buffer.byteLength !== bytes.byteLength) live.set(buffer, (live.get(buffer) ?? 0) + bytes.byteLength);
    });
    this.#after(TURN_MS, () => (next === undefined ? this.#move(pass) : this.#count(pass, next)));
  }

  /** The second half of a pass: moves entries that are outside of slabs, or in slabs that are less than half in use. */
  #move(pass: Pass, start?: string): void {
    const { settled, live, slab } = pass;
    const movesLoose = !pass.isBusy && pass.looseBytes <= MOST_LOOSE_BYTES;
    const next = this.#visit(start, (entry) => {
      const { bytes, revision, broken } = entry;
      if (revision > settled || broken !== undefined || bytes.byteLength > LARGEST_IN_SLAB) return;
      const { buffer } = bytes;
      // A slab that is not in `live` was made by this pass, or by a load during the pass. It counts as full.
      const isSparse = (live.get(buffer) ?? buffer.byteLength) * 2 < buffer.byteLength;
      if (isSparse || (movesLoose && isLoose(bytes))) moveBytes(entry, slab.cut);
    });
    if (next !== undefined) {
      this.#after(TURN_MS, () => this.#move(pass, next));
      return;
    }
    this.#options.moved?.();
    this.#schedule();
  }

  /** Visits the entries of one turn. Returns the key of the next entry; undefined at the end. */
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
