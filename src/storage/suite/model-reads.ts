/**
 * The reads of the model test. A read is checked once the model has every revision that the read may have seen.
 * Invariants: a read of the current state is at or above every revision that was seen before it began; every read
 * equals the state of the model at the revision that it returns.
 */
import type { Snapshot } from '../embedded-storage.ts';
import type { Compacted, Future, KeyValue, ListResult, ReadOptions, Revision, Storage } from '../storage.ts';
import { expectEqual, expectTrue } from '../suite-assert.ts';
import { oldestRevision } from './context.ts';
import { describe, type Model } from './model.ts';
import type { At, Item } from './model-script.ts';

/** The parts of the model test that reads need. */
export interface ReadContext {
  readonly storage: Storage;
  readonly model: Model;
  readonly seen: Revision;
  readonly horizon: Revision;
  see(revision: Revision): void;
}

type ReadItem = Extract<Item, { readonly op: 'get' | 'list' | 'next page' }>;

/** The knowledge of the test when a read began. */
interface Asked {
  readonly options: ReadOptions;
  readonly seen: Revision;
  readonly horizon: Revision;
}

interface Page {
  readonly range: { readonly prefix: string; readonly start?: string };
  readonly limit: number;
  readonly countOnly: boolean;
}

export class ReadChecks {
  readonly #context: ReadContext;
  #checks: ((storage: Storage | undefined) => void)[] = [];
  #cursor: { readonly page: Page; readonly revision: Revision } | undefined;

  constructor(context: ReadContext) {
    this.#context = context;
  }

  async begin(item: ReadItem): Promise<void> {
    switch (item.op) {
      case 'get':
        return this.#get(item.key, this.#options(item.at));
      case 'list': {
        const { prefix, start, limit = 0, countOnly = false } = item;
        const range = { prefix, ...(start === undefined ? {} : { start }) };
        return this.#list({ range, limit, countOnly }, this.#options(item.at));
      }
      case 'next page': {
        const cursor = this.#cursor;
        this.#cursor = undefined;
        if (cursor !== undefined) await this.#list(cursor.page, { revision: cursor.revision });
      }
    }
  }

  async readSnapshot(snapshot: Snapshot, item: { key: string; prefix: string; limit: number }): Promise<void> {
    const { key, prefix, limit } = item;
    const [found, page] = await Promise.all([snapshot.get(key), snapshot.list({ prefix }, { limit })]);
    this.later(() => {
      const { model } = this.#context;
      const { revision } = snapshot;
      expectEqual(describe(found), describe(model.at(revision).get(key)?.item), `${key} in the snapshot ${revision}`);
      const expected = model.page(revision, { prefix }, limit);
      expectEqual(describe(page), describe(expected), `a list of the snapshot ${revision}`);
    });
  }

  /** Registers a check to run when the burst is over and the model is up to date. */
  later(check: (storage: Storage | undefined) => void): void {
    this.#checks.push(check);
  }

  check(storage: Storage | undefined): void {
    for (const check of this.#checks.splice(0)) check(storage);
  }

  async #get(key: string, options: ReadOptions): Promise<void> {
    const asked = this.#asked(options);
    const result = await this.#context.storage.get(key, options);
    this.#see(result);
    this.later((storage) => {
      const revision = this.#verify(result, asked, storage);
      if (revision === undefined) return;
      const item = this.#context.model.at(revision).get(key)?.item;
      const expected = item === undefined ? { outcome: 'missing', revision } : { outcome: 'found', item, revision };
      expectEqual(describe(result), describe(expected), `get ${describe({ key, ...options })}`);
    });
  }

  async #list(page: Page, options: ReadOptions): Promise<void> {
    const { range, limit, countOnly } = page;
    const asked = this.#asked(options);
    const more = { ...(limit === 0 ? {} : { limit }), ...(countOnly ? { countOnly } : {}) };
    const result = await this.#context.storage.list(range, { ...options, ...more });
    this.#see(result);
    this.#keepCursor(page, result);
    this.later((storage) => {
      const revision = this.#verify(result, asked, storage);
      if (revision === undefined) return;
      const { model } = this.#context;
      const found = countOnly
        ? {
            items: [] as KeyValue[],
            next: undefined,
            remaining: model.items(revision, [range.prefix], range.start).length,
          }
        : model.page(revision, range, limit);
      const expected = { outcome: 'ok', ...found, revision };
      expectEqual(describe(result), describe(expected), `list ${describe({ ...page, ...options })}`);
    });
  }

  #keepCursor(page: Page, result: ListResult): void {
    if (result.outcome !== 'ok' || result.next === undefined) return;
    const range = { prefix: page.range.prefix, start: result.next };
    this.#cursor = { page: { ...page, range }, revision: result.revision };
  }

  #options(at: At): ReadOptions {
    const { revision } = this.#context.model;
    if ('now' in at) return {};
    if ('atLeastBack' in at) return { atLeast: Math.max(0, revision - at.atLeastBack) };
    const exact = { revision: Math.max(0, revision - at.back) };
    return at.lookBack ? { ...exact, lookBack: true } : exact;
  }

  #asked(options: ReadOptions): Asked {
    return { options, seen: this.#context.seen, horizon: oldest(this.#context.storage, options) };
  }

  #see(result: { readonly revision: Revision } | Compacted | Future): void {
    if ('revision' in result) this.#context.see(result.revision);
    else if (result.outcome === 'future') this.#context.see(result.current);
    else this.#context.see(result.horizon);
  }

  /** The revision of the returned state; undefined if the read was refused correctly. */
  #verify(
    result: { readonly outcome: string; readonly revision: Revision } | Compacted | Future,
    { options, seen, horizon }: Asked,
    storage: Storage | undefined,
  ): Revision | undefined {
    const { revision, atLeast } = options;
    const present = this.#context.model.revision;
    const horizonNow = storage === undefined ? Number.POSITIVE_INFINITY : oldest(storage, options);
    const what = `${describe(result)} answers ${describe(options)} with ${seen} to ${present}, horizon ${horizon} to ${horizonNow}`;
    if (result.outcome === 'compacted') {
      const answered = (result as Compacted).horizon;
      expectTrue(revision !== undefined && revision < answered, what);
      expectTrue(answered >= horizon && answered <= horizonNow, what);
      return undefined;
    }
    if (result.outcome === 'future') {
      const { current } = result as Future;
      expectTrue((revision ?? atLeast ?? 0) > current && current >= seen && current <= present, what);
      return undefined;
    }
    const answered = (result as { readonly revision: Revision }).revision;
    if (revision !== undefined) expectTrue(answered === revision && revision >= horizon, what);
    else expectTrue(answered >= (atLeast ?? seen), what);
    expectTrue(answered <= present, what);
    return answered;
  }
}

function oldest(storage: Storage, options: ReadOptions): Revision {
  return options.lookBack ? oldestRevision(storage) : storage.horizon();
}
