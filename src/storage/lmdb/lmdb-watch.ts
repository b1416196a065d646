/**
 * One watch of the LMDB store. It first reads the missed events from the log, or the initial state, in slices.
 * Afterwards the watch hub adds the events of each commit.
 * Invariant: the sink has all events of the ranges up to the revision `#delivered`, which grows without gaps.
 */
import { waitForNextTurn } from '../../base/next-turn.ts';
import { StorageError } from '../errors.ts';
import { GuardedSink } from '../guarded-sink.ts';
import { disjointPrefixes, type KeyRange, prefixEnd } from '../keys.ts';
import type { Revision, StorageEvent, Watch, WatchEnd, WatchOptions, WatchSink } from '../storage.ts';
import { type Database, itemOf, readError } from './database.ts';
import { eventOf } from './key-version.ts';
import { firstPosition, type Position, revisionOf } from './layout.ts';
import { type LogRecord, readIndex, readRecord } from './record.ts';
import type { StateReader } from './state-reader.ts';

/** The most log records that one watch reads in one turn of the event loop. */
const SLICE = 1000;
/**
 * If the ranges have at most this many keys per missed record, a watch reads the records of those keys instead of the
 * whole log.
 */
const KEYS_PER_RECORD = 0.25;

export interface WatchHost {
  readonly database: Database;
  readonly states: StateReader;
  /** Returns the acknowledged revision. */
  revision(): Revision;
  /** Returns the oldest revision that a watch may start after. */
  oldest(lookBack: boolean): Revision;
  /** Keeps a revision readable until the returned function is called. */
  pin(revision: Revision): () => void;
  /** Called when the watch has caught up: from now on the hub adds the events of commits. */
  live(watcher: LmdbWatch): void;
  /** Called once, right before the `end` of the sink. */
  ended(watcher: LmdbWatch): void;
  /** Called if the `end` of the sink throws. */
  problem(error: Error): void;
}

export class LmdbWatch implements Watch {
  /** In key order. No prefix begins with another one. */
  readonly prefixes: readonly string[];
  /** The events of the commit that is being delivered. Filled by the hub. */
  readonly pending: StorageEvent[] = [];
  /** The events of the commit that is being synced, if the sink has `prepare`. Filled by the hub. */
  readonly upcoming: StorageEvent[] = [];
  readonly #host: WatchHost;
  readonly #sink: GuardedSink;
  readonly #lookBack: boolean;
  readonly #from: WatchOptions['from'];
  #delivered: Revision;
  /**
   * Whether the start revision was accepted. From then on a moved horizon does not end the watch, only lost history
   * does.
   */
  #begun = false;
  #live = false;
  #progressWanted = false;
  #unpin: (() => void) | undefined;

  constructor(host: WatchHost, options: WatchOptions, sink: WatchSink) {
    this.#host = host;
    this.#sink = new GuardedSink(
      sink,
      () => this.#ended(),
      (error) => host.problem(error),
    );
    this.#from = options.from;
    this.#lookBack = options.lookBack ?? false;
    this.prefixes = disjointPrefixes(options.ranges);
    this.#delivered = typeof options.from === 'object' ? options.from.after : host.revision();
  }

  /** Schedules the first call of the sink. Call it once. */
  start(): void {
    // The first revision must stay readable until the first slice has been read.
    if (this.#from !== 'now' && this.#delivered >= this.#host.oldest(true))
      this.#unpin = this.#host.pin(this.#delivered);
    queueMicrotask(() => this.#begin());
  }

  stop(): void {
    this.finish({ reason: 'stopped' });
  }

  requestProgress(): void {
    if (this.#progressWanted || this.#sink.over) return;
    this.#progressWanted = true;
    if (this.#live) queueMicrotask(() => this.#giveProgress());
  }

  /** Ends the watch now, or after the call of the sink that is running. */
  finish(end: WatchEnd): void {
    this.#sink.finish(end);
  }

  /** Whether the watch needs a change at this revision. False while it catches up, and before a start in the future. */
  wants(revision: Revision): boolean {
    return this.#live && revision > this.#delivered;
  }

  get prepares(): boolean {
    return this.#sink.prepares;
  }

  /** Announces the events in `upcoming`. */
  prepareUpcoming(): void {
    this.#sink.prepare(this.upcoming.splice(0));
  }

  /** Delivers the events in `pending`. All of them are at or below `revision`. */
  deliverPending(revision: Revision): void {
    const events = this.pending.splice(0);
    if (events.length > 0) this.#sink.events(events);
    this.#delivered = Math.max(this.#delivered, revision);
  }

  /** Reports to a live sink that all events up to the revision have been delivered. */
  giveProgress(revision: Revision): void {
    if (this.#live) this.#sink.progress(revision);
  }

  #ended(): void {
    this.pending.length = 0;
    this.#unpin?.();
    this.#host.ended(this);
  }

  #begin(): void {
    if (this.#sink.over) return;
    if (this.#from === 'state') {
      void this.#deliverState();
      return;
    }
    if (this.#from === 'now') this.#sink.progress(this.#delivered);
    this.#catchUp();
  }

  async #deliverState(): Promise<void> {
    const revision = this.#delivered;
    try {
      for (const prefix of this.prefixes) {
        let range: KeyRange | undefined = { prefix };
        while (range !== undefined) {
          const { items, next } = this.#host.states.slice(range, revision);
          const events = items.map((item): StorageEvent => ({ type: 'put', ...item, previous: undefined }));
          if (events.length > 0) this.#sink.events(events);
          range = next === undefined ? undefined : { prefix, start: next };
          if (range !== undefined) await waitForNextTurn();
          if (this.#sink.over) return;
        }
      }
    } catch (caught) {
      this.finish({ reason: 'failed', error: readError(caught) });
      return;
    }
    this.#sink.progress(revision);
    this.#begun = true;
    this.#catchUp();
  }

  /** Reads slices of the log, one per turn, until the watch has all events. Then the watch is live. */
  #catchUp(): void {
    if (this.#sink.over) return;
    const oldest = this.#host.oldest(this.#begun || this.#lookBack);
    this.#begun = true;
    if (this.#delivered < oldest) {
      this.finish({ reason: 'compacted', horizon: oldest });
      return;
    }
    const current = this.#host.revision();
    if (this.#delivered < current) {
      let slice: { events: StorageEvent[]; revision: Revision };
      try {
        slice = this.#readKeys(current) ?? this.#readLog(current);
      } catch (caught) {
        this.finish({ reason: 'failed', error: readError(caught) });
        return;
      }
      this.pending.push(...slice.events);
      this.deliverPending(slice.revision);
      if (slice.revision < current || slice.revision < this.#host.revision()) {
        this.#unpin?.();
        this.#unpin = this.#host.pin(this.#delivered);
        void waitForNextTurn().then(() => this.#catchUp());
        return;
      }
    }
    this.#unpin?.();
    this.#unpin = undefined;
    if (this.#sink.over) return;
    this.#live = true;
    this.#host.live(this);
    if (this.#progressWanted) this.#giveProgress();
  }

  /** Reads the events of whole revisions above `#delivered`, from at most about one slice of records. */
  #readLog(current: Revision): { events: StorageEvent[]; revision: Revision } {
    const events: StorageEvent[] = [];
    let seen = 0;
    let last = this.#delivered;
    for (const { key: position, value } of this.#host.database.log.getRange({
      start: firstPosition(this.#delivered + 1),
      end: firstPosition(current + 1),
    })) {
      const revision = revisionOf(position);
      if (revision !== last && seen >= SLICE) return { events, revision: last };
      last = revision;
      seen++;
      const record = readRecord(value, value.length, position);
      if (this.#watches(record.key)) events.push(eventOf(record, this.#previousOf(record)));
    }
    return { events, revision: current };
  }

  /**
   * Reads the events up to `current` from the records of each key in the ranges, following the versions back. No
   * deletion is missed, because the index keeps a key at least as long as the log keeps its deletion. Returns undefined
   * if the ranges have too many keys or changes.
   */
  #readKeys(current: Revision): { events: StorageEvent[]; revision: Revision } | undefined {
    let keysLeft = Math.min(SLICE, (current - this.#delivered) * KEYS_PER_RECORD);
    const { database } = this.#host;
    const found: LogRecord[] = [];
    for (const prefix of this.prefixes) {
      const range = { start: prefix === '' ? undefined : prefix, end: prefixEnd(prefix) };
      for (const { key, value } of database.keys.getRange(range)) {
        if (--keysLeft < 0) return undefined;
        const { position } = readIndex(value, value.length, key);
        if (revisionOf(position) <= this.#delivered) continue;
        let record: LogRecord | undefined = this.#recordAt(position, key);
        while (record !== undefined) {
          if (revisionOf(record.position) <= current) found.push(record);
          if (found.length > SLICE) return undefined;
          record = revisionOf(record.previous) <= this.#delivered ? undefined : this.#recordAt(record.previous, key);
        }
      }
    }
    found.sort((a, b) => a.position - b.position);
    return { events: found.map((record) => eventOf(record, this.#previousOf(record))), revision: current };
  }

  #previousOf(record: LogRecord): ReturnType<typeof itemOf> | undefined {
    if (record.previous === 0 || record.previousDeleted) return undefined;
    const before = this.#recordAt(record.previous, record.key);
    if (!before.deleted) return itemOf(before);
    throw missing(record.previous, record.key);
  }

  #recordAt(position: Position, key: string): LogRecord {
    const record = this.#host.database.record(position, key);
    if (record === undefined) throw missing(position, key);
    return record;
  }

  #watches(key: string): boolean {
    for (const prefix of this.prefixes) if (key.startsWith(prefix)) return true;
    return false;
  }

  #giveProgress(): void {
    if (!this.#progressWanted || this.#sink.over) return;
    this.#progressWanted = false;
    this.giveProgress(this.#host.revision());
  }
}

function missing(position: Position, key: string): StorageError {
  const message = `the record of key ${JSON.stringify(key)} at revision ${revisionOf(position)} is missing`;
  return new StorageError('Corrupt', message, { key });
}
