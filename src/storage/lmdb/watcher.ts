/**
 * One watch: reads what it has missed from the log or the state, in slices, then takes what each commit hands it.
 * Invariant: `delivered` is the revision up to which the sink has everything of its ranges, and grows without gap; calls to the sink never overlap.
 */
import { BugError, toError } from '../../base/errors.ts';
import { StorageError } from '../errors.ts';
import { type KeyRange, prefixEnd } from '../keys.ts';
import type { Revision, StorageEvent, Watch, WatchEnd, WatchOptions, WatchSink } from '../storage.ts';
import { eventOf } from './change.ts';
import { type Database, itemOf, readError } from './database.ts';
import { firstPosition, type Position, revisionOf } from './layout.ts';
import { type LogRecord, readIndex, readRecord } from './record.ts';
import type { States } from './states.ts';

/** Log records that one turn of the event loop may look at for one watch. */
const SLICE = 1000;
/** With so few keys in its ranges for the records it has missed, a watch reads those keys' records instead of everybody's. */
const KEYS_PER_RECORD = 0.25;

export interface WatchHost {
  readonly database: Database;
  readonly states: States;
  /** The acknowledged revision. */
  revision(): Revision;
  /** The oldest revision a watch may begin after. */
  oldest(lookBack: boolean): Revision;
  pin(revision: Revision): () => void;
  /** The watch has caught up: from now on commits are handed to it. */
  live(watcher: Watcher): void;
  ended(watcher: Watcher): void;
  problem(error: Error): void;
}

export class Watcher implements Watch {
  /** Shortest first, none within another. */
  readonly prefixes: readonly string[];
  /** Events of the commit being delivered. */
  readonly pending: StorageEvent[] = [];
  readonly #host: WatchHost;
  readonly #sink: WatchSink;
  readonly #lookBack: boolean;
  readonly #from: WatchOptions['from'];
  #delivered: Revision;
  /** It was let in: from now on only what is really gone stops it, wherever the horizon moves. */
  #begun = false;
  #live = false;
  #calling = false;
  #end: WatchEnd | undefined;
  #ended = false;
  #progressWanted = false;
  #unpin: (() => void) | undefined;

  constructor(host: WatchHost, options: WatchOptions, sink: WatchSink) {
    this.#host = host;
    this.#sink = sink;
    this.#from = options.from;
    this.#lookBack = options.lookBack ?? false;
    this.prefixes = outermost(options.ranges);
    this.#delivered = typeof options.from === 'object' ? options.from.after : host.revision();
    // The revision where it begins must stay readable until the first slice has been read.
    if (options.from !== 'now' && this.#delivered >= host.oldest(true)) this.#unpin = host.pin(this.#delivered);
    queueMicrotask(() => this.#begin());
  }

  stop(): void {
    this.finish({ reason: 'stopped' });
  }

  requestProgress(): void {
    if (this.#progressWanted || this.#end !== undefined) return;
    this.#progressWanted = true;
    if (this.#live) queueMicrotask(() => this.#giveProgress());
  }

  /** Ends the watch; within a call of its sink, right after that call. */
  finish(end: WatchEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.pending.length = 0;
    this.#unpin?.();
    this.#host.ended(this);
    if (!this.#calling) this.#sayEnd();
  }

  /** Whether a change of this revision is still to be delivered: a watch may begin in the future. */
  wants(revision: Revision): boolean {
    return this.#live && revision > this.#delivered;
  }

  /** Hands over what `pending` holds, all of it at most of this revision. */
  deliverPending(revision: Revision): void {
    const events = this.pending.splice(0);
    if (events.length > 0 && this.#end === undefined) this.#call(() => this.#sink.events(events));
    this.#delivered = Math.max(this.#delivered, revision);
  }

  /** Unasked progress: everything up to the revision has been delivered. */
  giveProgress(revision: Revision): void {
    if (this.#live && this.#end === undefined) this.#call(() => this.#sink.progress(revision));
  }

  #begin(): void {
    if (this.#end !== undefined) return;
    if (this.#from === 'state') {
      void this.#deliverState();
      return;
    }
    if (this.#from === 'now') this.#call(() => this.#sink.progress(this.#delivered));
    this.#catchUp();
  }

  async #deliverState(): Promise<void> {
    const revision = this.#delivered;
    try {
      for (const prefix of [...this.prefixes].sort()) {
        let range: KeyRange | undefined = { prefix };
        while (range !== undefined) {
          const { items, next } = this.#host.states.slice(range, revision);
          const events = items.map((item): StorageEvent => ({ type: 'put', ...item, previous: undefined }));
          if (events.length > 0) this.#call(() => this.#sink.events(events));
          range = next === undefined ? undefined : { prefix, start: next };
          if (range !== undefined) await turn();
          if (this.#end !== undefined) return;
        }
      }
    } catch (caught) {
      this.finish({ reason: 'failed', error: readError(caught) });
      return;
    }
    this.#call(() => this.#sink.progress(revision));
    this.#begun = true;
    this.#catchUp();
  }

  /** Reads a slice of the log and comes back for the next one, until nothing is missing. */
  #catchUp(): void {
    if (this.#end !== undefined) return;
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
        void turn().then(() => this.#catchUp());
        return;
      }
    }
    this.#unpin?.();
    this.#unpin = undefined;
    if (this.#end !== undefined) return;
    this.#live = true;
    this.#host.live(this);
    if (this.#progressWanted) this.#giveProgress();
  }

  /** The events after `delivered`, whole revisions, up to a slice's worth of records. */
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
   * The same, up to `current`, from the records of each key, latest first: the index keeps a key at least as long as the log keeps its deletion. Undefined if the ranges
   * hold too many keys or too many changes.
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
    if (!this.#progressWanted || this.#end !== undefined) return;
    this.#progressWanted = false;
    this.giveProgress(this.#host.revision());
  }

  #call(call: () => void): void {
    if (this.#end !== undefined) return;
    this.#calling = true;
    let failure: BugError | undefined;
    try {
      call();
    } catch (caught) {
      failure = new BugError(`the sink of a watch threw: ${toError(caught).message}`, { cause: caught });
    } finally {
      this.#calling = false;
    }
    if (failure !== undefined) this.finish({ reason: 'failed', error: failure });
    this.#sayEnd();
  }

  #sayEnd(): void {
    if (this.#end === undefined || this.#ended) return;
    this.#ended = true;
    try {
      this.#sink.end(this.#end);
    } catch (caught) {
      this.#host.problem(new BugError('the sink of a watch threw at its end', { cause: caught }));
    }
  }
}

/** The prefixes that are within no other: an event must not come twice. */
function outermost(ranges: readonly KeyRange[]): string[] {
  const kept: string[] = [];
  for (const prefix of ranges.map((range) => range.prefix).sort((a, b) => a.length - b.length)) {
    if (!kept.some((other) => prefix.startsWith(other))) kept.push(prefix);
  }
  return kept;
}

function missing(position: Position, key: string): StorageError {
  const message = `the record of key ${JSON.stringify(key)} at revision ${revisionOf(position)} is missing`;
  return new StorageError('Corrupt', message, { key });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
