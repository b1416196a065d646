/**
 * A watch of the model test: a sink that records, acts inside its calls as the script says, and is compared with the
 * model afterwards. The rules of delivery (no overlap, nothing before watch() returns or after the end) are checked in
 * every call. The events are checked against the whole history of the ranges.
 */
import { isBugError } from '../../base/errors.ts';
import type { Revision, Storage, StorageEvent, Watch, WatchEnd, WatchOptions, WatchSink } from '../storage.ts';
import { expectEqual, expectTrue } from '../suite-assert.ts';
import { line, lines, oldestRevision } from './context.ts';
import type { Model } from './model.ts';

type Call =
  | { readonly type: 'events'; readonly events: readonly StorageEvent[] }
  | { readonly type: 'progress'; readonly revision: Revision }
  | { readonly type: 'end'; readonly reason: WatchEnd };

export interface ModelWatchOptions {
  readonly prefixes: readonly string[];
  readonly from: WatchOptions['from'];
  readonly lookBack: boolean;
  readonly previous: boolean;
  /** The highest revision that was seen when the watch began. */
  readonly seen: Revision;
  /** Runs inside the call with this index. */
  readonly inside?: { readonly call: number; run(watch: ModelWatch): void } | undefined;
  /** Called with every revision that the sink gets. */
  onSeen(revision: Revision): void;
}

export class ModelWatch implements WatchSink {
  readonly options: ModelWatchOptions;
  readonly calls: Call[] = [];
  /** The horizon when the watch was requested, and after the watch had begun. */
  readonly #horizonBefore: Revision;
  #horizonAfter: Revision | undefined;
  readonly #watch: Watch;
  readonly #hasPrevious: boolean;
  readonly #embedded: boolean;
  #returned = false;
  #inside = false;
  #stopAsked = false;
  #thrown: Error | undefined;
  #broken: string | undefined;

  constructor(storage: Storage, options: ModelWatchOptions) {
    const { prefixes, from, lookBack, previous } = options;
    this.options = options;
    this.#horizonBefore = this.#horizon(storage);
    const ranges = prefixes.map((prefix) => ({ prefix }));
    this.#watch = storage.watch({ ranges, from, ...(lookBack ? { lookBack } : {}), previous }, this);
    this.#hasPrevious = previous || storage.embedded;
    this.#embedded = storage.embedded;
    this.#returned = true;
  }

  get ended(): WatchEnd | undefined {
    const last = this.calls.at(-1);
    return last?.type === 'end' ? last.reason : undefined;
  }

  get isOver(): boolean {
    return this.#stopAsked || this.ended !== undefined;
  }

  /** The revision up to which everything has been delivered, according to the calls. */
  get position(): Revision {
    const { from } = this.options;
    let position = typeof from === 'object' ? from.after : 0;
    for (const call of this.calls) {
      if (call.type === 'progress') position = Math.max(position, call.revision);
      else if (call.type === 'events' && position > 0)
        for (const event of call.events) position = Math.max(position, event.revision);
    }
    return position;
  }

  get progressed(): Revision {
    return this.calls.reduce((last, call) => (call.type === 'progress' ? call.revision : last), 0);
  }

  /** The events of one revision. */
  eventsAt(revision: Revision): StorageEvent[] {
    return this.calls.flatMap((call) =>
      call.type === 'events' ? call.events.filter((event) => event.revision === revision) : [],
    );
  }

  stop(): void {
    const before = this.ended;
    this.#stopAsked = true;
    this.#watch.stop();
    if (this.#inside) return;
    expectTrue(this.ended !== undefined, 'stop() of a watch has ended it');
    if (before === undefined) expectEqual(this.ended, { reason: 'stopped' }, 'the end of a stopped watch');
  }

  requestProgress(): void {
    this.#watch.requestProgress();
  }

  /** Makes the error that an action inside a call throws. */
  sinkError(): Error {
    this.#thrown = new TypeError('thrown by the sink');
    return this.#thrown;
  }

  events(events: readonly StorageEvent[]): void {
    if (events.length === 0) this.#broken ??= 'a call brought no events';
    this.#record({ type: 'events', events });
  }

  progress(revision: Revision): void {
    this.#record({ type: 'progress', revision });
  }

  end(reason: WatchEnd): void {
    this.#record({ type: 'end', reason });
  }

  /**
   * Called when the first step of this watch is over, and after later bursts. Later compactions do not affect whether a
   * watch of an embedded store may begin. Another store may take longer for the first step.
   */
  begun(storage: Storage | undefined): void {
    if (this.#horizonAfter === undefined || !this.#embedded)
      this.#horizonAfter = storage === undefined ? Number.POSITIVE_INFINITY : this.#horizon(storage);
    this.check();
  }

  check(): void {
    expectTrue(this.#broken === undefined, `the watch keeps the rules of delivery; but ${this.#broken}`);
  }

  /** Compares all calls with the model. If the watch has not ended, its progress must have been requested before. */
  verify(model: Model): void {
    this.check();
    const { from } = this.options;
    const end = this.ended;
    const calls = this.calls.filter((call) => call.type !== 'end');
    if (end?.reason === 'compacted' && !this.#embedded) {
      // On a store that is not embedded, a compaction can overtake any watch before it has begun.
      expectTrue(end.horizon > this.position, `a watch at ${this.position} is compacted below ${end.horizon}`);
      return;
    }
    if (end?.reason === 'compacted') {
      expectTrue(typeof from === 'object', `a watch from ${JSON.stringify(from)} is never compacted`);
      expectTrue(
        from.after < this.#horizonAfter!,
        `a watch after ${from.after} is compacted below ${this.#horizonAfter}`,
      );
      expectEqual(calls, [], 'calls of a compacted watch');
      expectTrue(
        end.horizon >= this.#horizonBefore && end.horizon <= this.#horizonAfter!,
        `the horizon ${end.horizon} is between ${this.#horizonBefore} and ${this.#horizonAfter}`,
      );
      return;
    }
    if (typeof from === 'object' && from.after < this.#horizonBefore) {
      expectTrue(
        this.#stopAsked && calls.length === 0,
        `a watch after ${from.after} is compacted below ${this.#horizonBefore}`,
      );
      return;
    }
    this.#verifyEnd();
    const complete = end === undefined || end.reason === 'closed';
    const base = this.#verifyStart(model, calls, complete);
    if (base !== undefined) this.#verifyChanges(model, calls, base, complete);
  }

  #verifyEnd(): void {
    const end = this.ended;
    if (end === undefined) return;
    if (this.#thrown !== undefined && end.reason === 'failed') {
      expectTrue(isBugError(end.error) && end.error.cause === this.#thrown, 'a sink that threw ends with a BugError');
      return;
    }
    expectTrue(this.#thrown === undefined, `a sink that threw ends with a BugError, not with ${end.reason}`);
    expectEqual(end.reason, this.#stopAsked ? 'stopped' : 'closed', 'the reason of the end');
  }

  /**
   * Removes the calls of the start from `calls` and checks them. Returns the revision after which changes are
   * delivered; undefined if the watch ended before.
   */
  #verifyStart(model: Model, calls: Call[], complete: boolean): Revision | undefined {
    const { from, seen, prefixes } = this.options;
    if (typeof from === 'object') return from.after;
    const state: string[] = [];
    while (from === 'state' && calls[0]?.type === 'events') {
      const call = calls.shift() as Call & { type: 'events' };
      for (const event of call.events) state.push(line(event));
    }
    const first = calls.shift();
    if (first === undefined) {
      expectTrue(!complete || this.ended !== undefined, `a watch from ${from} says where it begins`);
      expectTrue(state.length === 0 || this.#matchesSomeState(model, state), `a part of a state: ${state.join('; ')}`);
      return undefined;
    }
    expectTrue(first.type === 'progress', `a watch from ${from} says where it begins before it delivers changes`);
    const { revision } = first;
    expectTrue(revision >= seen && revision <= model.revision, `it begins at ${revision}, at or above ${seen}`);
    if (from === 'state') expectEqual(state, stateLines(model, revision, prefixes), `the state at ${revision}`);
    return revision;
  }

  #matchesSomeState(model: Model, part: readonly string[]): boolean {
    for (let revision = this.options.seen; revision <= model.revision; revision++) {
      const whole = stateLines(model, revision, this.options.prefixes);
      if (part.every((each, i) => each === whole[i])) return true;
    }
    return false;
  }

  #verifyChanges(model: Model, calls: readonly Call[], base: Revision, complete: boolean): void {
    const expected = model.eventsAfter(base, this.options.prefixes);
    let delivered = 0;
    let last: Revision = 0;
    let promised: Revision = 0;
    for (const call of calls) {
      if (call.type === 'end') continue;
      if (call.type === 'progress') {
        expectTrue(call.revision >= promised, `progress ${call.revision} does not go back behind ${promised}`);
        expectTrue(call.revision <= model.revision, `progress ${call.revision} is not of the future`);
        promised = call.revision;
        const missing = expected[delivered];
        expectTrue(
          missing === undefined || missing.revision > promised,
          `progress ${promised} comes after ${missing && line(missing)}`,
        );
        continue;
      }
      expectTrue(call.events[0]!.revision > last, `revision ${last} is not split over two calls`);
      for (const event of call.events) {
        const due = expected[delivered++];
        const expectedLine = due && line(this.#hasPrevious ? due : { ...due, previous: undefined });
        expectEqual(line(event), expectedLine, `event ${delivered} after ${base}`);
        expectTrue(event.revision > promised, `${line(event)} comes before progress ${promised}`);
        last = event.revision;
      }
    }
    const missing = expected[delivered];
    if (complete) expectTrue(missing === undefined, `all events come; ${missing && line(missing)} did not`);
    expectTrue(missing?.revision !== last, `revision ${last} is delivered whole`);
  }

  #horizon(storage: Storage): Revision {
    return this.options.lookBack ? oldestRevision(storage) : storage.horizon();
  }

  #record(call: Call): void {
    if (!this.#returned) this.#broken ??= `${call.type} came before watch() returned`;
    if (this.#inside) this.#broken ??= `${call.type} came inside another call`;
    if (this.ended !== undefined) this.#broken ??= `${call.type} came after the end`;
    if (this.#stopAsked && call.type !== 'end') this.#broken ??= `${call.type} came after stop()`;
    this.calls.push(call);
    if (call.type === 'progress') this.options.onSeen(call.revision);
    if (call.type === 'events') for (const event of call.events) this.options.onSeen(event.revision);
    const { inside } = this.options;
    if (inside === undefined || call.type === 'end' || inside.call !== this.calls.length - 1) return;
    this.#inside = true;
    try {
      inside.run(this);
    } finally {
      this.#inside = false;
    }
  }
}

function stateLines(model: Model, revision: Revision, prefixes: readonly string[]): string[] {
  return lines(model.items(revision, prefixes)).map((each) => `put ${each} was -`);
}
