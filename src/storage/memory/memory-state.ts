/**
 * The state of a memory store: items, history, deadlines and revision. A copy costs O(1); snapshots and forks are
 * copies.
 * Invariant: the items, the history and the revision change together, within one call.
 */
import { equalBytes, ownBytes } from '../../base/bytes.ts';
import { OrderedMap } from '../../base/ordered-map.ts';
import type { Transaction, TransactionResult, Write } from '../embedded-storage.ts';
import type { CreateOptions, DeleteResult, KeyValue, Revision, StorageEvent, WriteResult } from '../storage.ts';
import { Deadlines } from './deadlines.ts';
import { History, type Items, type MemoryRetention } from './history.ts';

// Specified in `storage.ts`: a fresh store is at revision 1.
const FIRST_REVISION = 1;

export class MemoryState {
  revision: Revision = FIRST_REVISION;
  horizon: Revision = FIRST_REVISION;
  items: Items = new OrderedMap();
  history: History = new History(FIRST_REVISION);
  deadlines: Deadlines = new Deadlines();

  clone(): MemoryState {
    const copy = new MemoryState();
    copy.revision = this.revision;
    copy.horizon = this.horizon;
    copy.items = this.items.clone();
    copy.history = this.history.clone();
    copy.deadlines = this.deadlines.clone();
    return copy;
  }

  /** A state that begins at `revision` with these items and no history. */
  static startingAt(revision: Revision, items: Iterable<KeyValue>): MemoryState {
    const state = new MemoryState();
    state.restart(revision, items);
    return state;
  }

  /** Replaces the items, and drops the history. The horizon is `revision`. */
  restart(revision: Revision, items: Iterable<KeyValue>): void {
    this.revision = revision;
    this.horizon = revision;
    this.items = new OrderedMap();
    for (const item of items) this.items.set(item.key, item);
    this.history = new History(revision);
    this.deadlines = new Deadlines();
  }

  /**
   * Applies writes at a revision above the current one and returns the events. With `force`, a put of equal bytes is a
   * change, too, and the state moves to `revision` even if nothing changes.
   */
  applyAt(revision: Revision, writes: readonly Write[], now: number, force: boolean): readonly StorageEvent[] {
    return this.#apply(writes, now, revision, force);
  }

  /** The items at a revision from the oldest one in the history up to the current one. */
  at(revision: Revision): Items {
    return revision === this.revision ? this.items : this.history.stateAt(revision, this.items, this.revision);
  }

  write(
    key: string,
    expected: Revision,
    value: Uint8Array,
    { ttlMs, followedBy }: CreateOptions,
    now: number,
  ): Written<WriteResult> {
    const current = this.items.get(key);
    if ((current?.revision ?? 0) !== expected) {
      return { result: { outcome: 'conflict', current, revision: this.revision }, events: NONE };
    }
    const write: Write = { type: 'put', key, value, ...(ttlMs === undefined ? {} : { ttlMs }) };
    const events = this.#apply([write], now);
    if (events.length === 0) return { result: { outcome: 'ok', revision: expected, changed: false }, events };
    const { revision } = this;
    const next = followedBy === undefined ? NONE : this.#apply([{ type: 'put', key, value: followedBy }], now);
    return { result: { outcome: 'ok', revision, changed: true }, events: [...events, ...next] };
  }

  delete(key: string, expected: Revision | undefined, now: number): Written<DeleteResult> {
    const current = this.items.get(key);
    if (current === undefined) return { result: { outcome: 'missing', revision: this.revision }, events: NONE };
    if (expected !== undefined && current.revision !== expected) {
      return { result: { outcome: 'conflict', current, revision: this.revision }, events: NONE };
    }
    const events = this.#apply([{ type: 'delete', key }], now);
    return { result: { outcome: 'ok', revision: this.revision, deleted: current }, events };
  }

  transact(transaction: Transaction, now: number): Written<TransactionResult> {
    if (transaction.checks.some(({ key, revision }) => (this.items.get(key)?.revision ?? 0) !== revision)) {
      const current = transaction.checks.map(({ key }) => this.items.get(key));
      return { result: { outcome: 'conflict', current, revision: this.revision }, events: NONE };
    }
    const events = this.#apply(transaction.writes, now);
    return { result: { outcome: 'ok', revision: this.revision, changed: events.length > 0 }, events };
  }

  /** Deletes the keys that are due, each at a revision of its own. */
  expire(now: number): StorageEvent[] {
    const events: StorageEvent[] = [];
    for (let next = this.deadlines.next(); next !== undefined && next.due <= now; next = this.deadlines.next()) {
      for (const event of this.#apply([{ type: 'delete', key: next.key }], now)) events.push(event);
    }
    return events;
  }

  /** Moves the horizon. Returns false if the revision is not reached yet. */
  compact(revision: Revision, retention: MemoryRetention, now: number): boolean {
    if (revision > this.revision) return false;
    this.horizon = Math.max(this.horizon, revision);
    this.trim(retention, now);
    return true;
  }

  trim(retention: MemoryRetention, now: number): void {
    this.history.trim(retention, now, this.horizon);
    this.horizon = Math.max(this.horizon, this.history.oldest);
  }

  /** Applies writes at one revision and returns the events. Takes no revision if nothing changes. */
  #apply(
    writes: readonly Write[],
    now: number,
    revision: Revision = this.revision + 1,
    force = false,
  ): readonly StorageEvent[] {
    const events: StorageEvent[] = [];
    for (const write of writes) {
      const { key } = write;
      const previous = this.items.get(key);
      if (write.type === 'delete') {
        if (previous === undefined) continue;
        this.items.delete(key);
        this.deadlines.set(key, undefined);
        events.push({ type: 'delete', key, revision, previous });
        continue;
      }
      const { value, ttlMs } = write;
      if (
        !force &&
        previous !== undefined &&
        ttlMs === undefined &&
        equalBytes(previous.value, value) &&
        !this.deadlines.has(key)
      )
        continue;
      const item: KeyValue = { key, value: ownBytes(value), revision, created: previous?.created ?? revision };
      this.items.set(key, item);
      this.deadlines.set(key, ttlMs === undefined ? undefined : Math.ceil(now + ttlMs));
      events.push({ type: 'put', ...item, previous });
    }
    if (force) this.revision = revision;
    if (events.length === 0) return NONE;
    this.revision = revision;
    this.history.add(revision, now, events, this.items);
    return events;
  }
}

/** The result of a write, and its events. */
export interface Written<R> {
  readonly result: R;
  readonly events: readonly StorageEvent[];
}

const NONE: readonly StorageEvent[] = [];
