/**
 * One store of the model test and its model. The items of a burst begin one after the other, and are checked when all
 * of them are answered.
 * Invariant: every result is compared with the model at a revision that was current at some time between the request
 * and its answer.
 */
import { BugError, toError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { VirtualClock } from '../../base/virtual-clock.ts';
import { isForkable } from '../embedded-storage.ts';
import { isStorageError } from '../errors.ts';
import type { Revision, Storage, WatchOptions } from '../storage.ts';
import { expectEqual, expectStorageError, expectTrue } from '../suite-assert.ts';

import { oldestRevision } from './context.ts';
import { describe, type Model } from './model.ts';
import { ReadChecks } from './model-reads.ts';
import { at, type Inside, type Item } from './model-script.ts';
import { SnapshotChecks } from './model-snapshots.ts';
import { ModelWatch } from './model-watch.ts';
import { type WriteCheckOptions, WriteChecks } from './model-writes.ts';

/** The longest delay of an expiry in milliseconds. `WriteOptions.ttlMs` allows "at most a few seconds". */
const LATE = 5_000;
/** The most turns of the event loop in which a store must have finished its work. */
const MAX_TURNS = 2_000;

/**
 * Thrown when a compaction has overtaken the watch that records all writes (the tap), so the results cannot be
 * compared. This may happen on a store behind a network, whose watches lag.
 */
export class TapOvertaken extends Error {
  override readonly name: string = 'TapOvertaken';

  constructor() {
    super('a compaction has overtaken the watch of the model');
  }
}

export interface ScriptOptions extends WriteCheckOptions {
  /** Whether a compaction waits until the tap has received all writes. Default false. */
  readonly tapFirst?: boolean;
}

export interface ModelStoreOptions extends ScriptOptions {
  /** Resolves when work that the driver has scheduled has run. */
  settle(): Promise<void>;
}

export class ModelStore {
  readonly clock: VirtualClock;
  readonly options: ModelStoreOptions;
  storage: Storage;
  model: Model;
  /** The highest revision that any method has returned. */
  seen: Revision;
  /** The compaction horizon of the model. */
  horizon: Revision;
  stopping: Promise<void> | undefined;
  readonly forks: ModelStore[] = [];
  #oldest: Revision;
  #tap: ModelWatch;
  #watches: ModelWatch[] = [];
  #pending: Promise<void>[] = [];
  #reads: ReadChecks;
  readonly #writes: WriteChecks;
  readonly #snapshots: SnapshotChecks;
  #now = 0;

  constructor(storage: Storage, model: Model, clock: VirtualClock, options: ModelStoreOptions) {
    this.options = options;
    this.storage = storage;
    this.model = model;
    this.clock = clock;
    this.seen = model.revision;
    this.horizon = storage.horizon();
    this.#oldest = oldestRevision(storage);
    this.#tap = this.#watchAll();
    this.#reads = new ReadChecks(this);
    this.#writes = new WriteChecks(this);
    this.#snapshots = new SnapshotChecks(this);
  }

  /** Begins an item. `finish` checks its result. */
  begin(item: Item): MaybePromise<void> {
    switch (item.op) {
      case 'create':
      case 'write':
      case 'delete':
      case 'transact':
        this.#await(this.#writes.begin(item));
        return;
      case 'get':
      case 'list':
      case 'next page':
        this.#await(this.#read(this.#reads.begin(item)));
        return;
      case 'watch': {
        const { from } = item;
        const after = typeof from === 'number' ? { after: Math.max(0, this.model.revision - from) } : from;
        this.#startWatch(item.prefixes, after, item, item.inside);
        return;
      }
      case 'stop watch':
        at(this.#live, item.index)?.stop();
        return;
      case 'ask for progress':
        at(this.#live, item.index)?.requestProgress();
        return;
      case 'compact': {
        const compact = (): void => this.#compact(Math.max(0, this.model.revision - item.back));
        if (this.options.tapFirst) return this.#compactAlone(compact);
        compact();
        return;
      }
      case 'snapshot':
        this.#await(this.#snapshots.take());
        return;
      case 'read snapshot': {
        const held = this.#snapshots.at(item.index);
        if (held !== undefined) this.#await(this.#read(this.#reads.readSnapshot(held.snapshot, item)));
        return;
      }
      case 'stop snapshot':
        this.#await(this.#snapshots.stop(item.index));
        return;
      case 'advance':
        this.#await(this.clock.advance(item.ms));
        return;
      case 'pause':
        return item.turns === 'turn' ? this.options.settle() : Promise.resolve();
      case 'fork':
        this.#await(this.#fork(item.snapshot));
        return;
      case 'reopen':
      case 'stop':
        throw new BugError(`${item.op} cannot begin here`);
    }
  }

  /** Waits until no request is in flight, and compares every result with the model. */
  async finish(): Promise<void> {
    for (let turn = 0; ; turn++) {
      while (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
      if (this.stopping !== undefined) {
        await this.stopping;
        if (this.#pending.length === 0) break;
        continue;
      }
      const revision = await this.storage.revision();
      this.#tap.requestProgress();
      await this.#until(() => {
        this.#checkTap();
        return this.#tap.progressed >= revision || this.stopping !== undefined;
      }, 'progress comes on request');
      const isCurrent = this.#tap.progressed === (await this.storage.revision());
      // A sink may have begun a write meanwhile.
      if (isCurrent && this.#pending.length === 0 && this.stopping === undefined) break;
      expectTrue(turn < MAX_TURNS, 'the store becomes quiet');
    }
    this.#writes.commit(this.#tap);
    const storage = this.stopping === undefined ? this.storage : undefined;
    if (storage !== undefined) this.#checkHorizon(storage);
    this.#reads.check(storage);
    for (const watch of this.#watches) {
      watch.begun(storage);
      if (watch.ended !== undefined) watch.verify(this.model);
    }
    this.#watches = this.#watches.filter((watch) => watch.ended === undefined);
    this.#tap.begun(storage);
  }

  /** Called after the clock has moved: expired keys are deleted soon. */
  async expire(): Promise<void> {
    for (let late = 0; this.#dueKeys(0).length > 0; late += 500) {
      // The clock is virtual, but the disk is real. A write gives the store time to delete expired keys.
      this.begin({ op: 'transact', checks: [], writes: [{ type: 'put', key: 'tick', value: String(this.#now++) }] });
      await this.finish();
      const overdue = this.#dueKeys(LATE);
      if (overdue.length === 0) return;
      expectTrue(late < LATE, `what is due is deleted soon: ${overdue.join(' ')}`);
      await this.clock.advance(500);
    }
  }

  /** Begins to stop the store, inside a call of a sink if `inside` is set. `finish` checks the requests in flight. */
  async stop(inside: boolean): Promise<void> {
    if (inside) {
      const from = this.seen % 2 === 0 ? 'now' : 'state';
      this.#startWatch([''], from, {}, { call: this.seen % 3, act: 'write and stop the store' });
      this.begin({ op: 'write', key: 'tick', expected: 'right', value: `${this.#now++}` });
      for (let turn = 0; turn < 20 && this.stopping === undefined; turn++) await this.options.settle();
    }
    this.stopping ??= this.storage.stop();
  }

  /** Called after a stop: all watches have ended, and all snapshots are Closed. */
  async checkStopped(): Promise<void> {
    await this.finish();
    this.#checkTap();
    expectEqual(this.#tap.ended, { reason: 'closed' }, 'the end of a watch whose store is stopped');
    this.#tap.verify(this.model);
    expectEqual(this.#watches.length, 0, 'watches that go on after the store is stopped');
    await this.#snapshots.checkClosed();
    await expectStorageError(() => this.storage.get('a'), 'Closed');
  }

  /** Stops the store and opens its data again. Watches continue after the last revision that they have got. */
  async reopen(open: (storage: Storage) => Promise<Storage>): Promise<void> {
    const resumed = this.#live.map((watch) => watch);
    let reopened: Storage | undefined;
    this.stopping = open(this.storage).then((storage) => {
      reopened = storage;
    });
    await this.checkStopped();
    this.storage = reopened!;
    this.stopping = undefined;
    if (!this.storage.embedded) {
      // A store that is not embedded loses its knowledge of the horizon.
      this.horizon = this.storage.horizon();
      this.#oldest = this.horizon;
    }
    expectEqual(await this.storage.revision(), this.model.revision, 'the revision after a restart');
    const { items } = this.model.page(this.model.revision, { prefix: '' }, 0);
    expectEqual(describe(await this.storage.list({ prefix: '' })), describe(listed(items, this.model.revision)));
    this.#tap = this.#watchAll();
    this.#reads = new ReadChecks(this);
    for (const { options, position } of resumed)
      if (position > 0) this.#startWatch(options.prefixes, { after: position }, options);
    await this.finish();
  }

  /** Checks that all watches that have not ended have all events. */
  async verifyWatches(): Promise<void> {
    const heard = (watch: ModelWatch): boolean => watch.ended !== undefined || watch.progressed >= this.model.revision;
    // The action of a sink may begin more watches and writes.
    for (let late = this.#live; late.length > 0; late = this.#live.filter((watch) => !heard(watch))) {
      for (const watch of late) {
        watch.requestProgress();
        await this.#until(() => heard(watch), 'progress comes on request');
      }
      await this.finish();
    }
    for (const watch of [this.#tap, ...this.#live]) watch.verify(this.model);
  }

  see(revision: Revision): void {
    this.seen = Math.max(this.seen, revision);
  }

  get #live(): ModelWatch[] {
    return this.#watches.filter((watch) => !watch.isOver);
  }

  #watchAll(): ModelWatch {
    const from = { after: this.model.revision };
    const onSeen = (revision: Revision): void => {
      this.see(revision);
      this.#writes.arrived(revision);
    };
    return new ModelWatch(this.storage, {
      prefixes: [''],
      from,
      lookBack: false,
      previous: true,
      seen: this.seen,
      onSeen,
    });
  }

  #startWatch(
    prefixes: readonly string[],
    from: WatchOptions['from'],
    { lookBack = false, previous = false }: { readonly lookBack?: boolean; readonly previous?: boolean } = {},
    inside?: Inside,
  ): void {
    const run = inside && {
      call: inside.call,
      run: (watch: ModelWatch) => this.#act(inside.act, watch),
    };
    const onSeen = (revision: Revision): void => this.see(revision);
    const options = { prefixes, from, lookBack, previous, seen: this.seen, onSeen, inside: run };
    this.#watches.push(new ModelWatch(this.storage, options));
  }

  /** Runs the action of a sink inside a call. */
  #act(act: Inside['act'], watch: ModelWatch): void {
    if (this.stopping !== undefined) return;
    switch (act) {
      case 'stop':
        watch.requestProgress();
        watch.stop();
        return;
      case 'stop another':
        this.#live.find((other) => other !== watch)?.stop();
        return;
      case 'write':
        void this.begin({ op: 'write', key: 'b/1', expected: 'right', value: `inside ${this.seen}` });
        return;
      case 'read':
        void this.begin({ op: 'get', key: 'b/1', at: { now: true } });
        void this.begin({ op: 'list', prefix: '', at: { now: true } });
        return;
      case 'ask for progress':
        watch.requestProgress();
        return;
      case 'watch':
        this.#startWatch([''], 'state');
        this.#startWatch(['a'], { after: this.seen });
        return;
      case 'throw':
        throw watch.sinkError();
      case 'write and stop the store':
        void this.begin({ op: 'write', key: 'b/1', expected: 'right', value: `inside ${this.seen}` });
        this.stopping = this.storage.stop();
    }
  }

  /** Compacts when the tap has every write that has begun, or has ended. Resolves before the next write begins. */
  async #compactAlone(compact: () => void): Promise<void> {
    await Promise.allSettled(this.#pending);
    await this.#until(() => {
      if (this.#tap.ended !== undefined || this.#tap.progressed >= this.seen) return true;
      this.#tap.requestProgress();
      return false;
    }, 'the progress of the watch of the model');
    compact();
    await Promise.allSettled(this.#pending);
  }

  /**
   * Throws TapOvertaken if a compaction has ended the tap. If the tap was above the horizon, this is a fault of the
   * store, which `verify` reports.
   */
  #checkTap(): void {
    const { ended, progressed } = this.#tap;
    if (this.storage.embedded || ended?.reason !== 'compacted') return;
    if (progressed < ended.horizon) throw new TapOvertaken();
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    for (let turn = 0; !holds(); turn++) {
      expectTrue(turn < MAX_TURNS, what);
      await this.options.settle();
    }
  }

  #await(promise: Promise<void>): void {
    this.#pending.push(promise);
  }

  #dueKeys(late: number): string[] {
    const now = this.clock.now();
    return [...this.model.now]
      .filter(([, { due }]) => due !== undefined && due.latest + late <= now)
      .map(([key]) => key);
  }

  /** Awaits a read. A read may fail with Closed if the store was stopped meanwhile. */
  async #read(read: Promise<void>): Promise<void> {
    try {
      await read;
    } catch (caught) {
      if (!isStorageError(caught, 'Closed') || this.stopping === undefined) throw toError(caught);
    }
  }

  #compact(revision: Revision): void {
    const { storage, seen } = this;
    const run = async (): Promise<void> => {
      try {
        await storage.compact(revision);
        this.see(revision);
        this.horizon = Math.max(this.horizon, revision);
        expectTrue(
          this.stopping !== undefined || storage.horizon() >= revision,
          `the horizon is at ${revision} at least`,
        );
      } catch (caught) {
        if (!isStorageError(caught, 'InvalidArgument') || revision <= seen) throw toError(caught);
      }
    };
    this.#await(run());
  }

  #checkHorizon(storage: Storage): void {
    const horizon = storage.horizon();
    const oldest = oldestRevision(storage);
    expectTrue(oldest <= horizon, `the oldest revision ${oldest} is not above the horizon ${horizon}`);
    expectTrue(oldest >= this.#oldest, `the oldest revision ${oldest} does not go back behind ${this.#oldest}`);
    const expected = Math.max(this.horizon, oldest);
    expectEqual(horizon, expected, 'the horizon, which moves with compaction and with what is forgotten');
    this.horizon = horizon;
    this.#oldest = oldest;
  }

  /** Forks the store. The fork is checked from the end of this burst on; no item writes to it before. */
  async #fork(index: number | undefined): Promise<void> {
    if (!isForkable(this.storage)) return;
    const { seen } = this;
    const held = index === undefined ? undefined : this.#snapshots.at(index);
    const fork = this.storage.fork(held?.snapshot);
    const revision = await fork.revision();
    if (held === undefined) expectTrue(revision >= seen, `the fork ${revision} is not older than ${seen}`);
    else expectEqual(revision, held.snapshot.revision, 'the revision of a fork from a snapshot');
    expectTrue(
      fork.horizon() >= (held?.horizon ?? this.horizon) && fork.horizon() <= revision,
      'the horizon of a fork',
    );
    this.#reads.later(() => this.forks.push(new ModelStore(fork, this.model.cut(revision), this.clock, this.options)));
  }
}

function listed(items: readonly unknown[], revision: Revision): unknown {
  return { outcome: 'ok', items, next: undefined, remaining: 0, revision };
}
