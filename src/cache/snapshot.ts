/**
 * An immutable state of a cache.
 * Invariant: its map never changes, so all pages of a list show one state.
 */
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { OrderedMap } from '../base/ordered-map.ts';
import type { Revision } from '../storage/storage.ts';
import type { CacheList, CacheListOptions, CacheRange, CacheSnapshot, Entry, FormKey, FormResult } from './cache.ts';
import { FORM_BATCH, type Forms } from './forms.ts';
import { boundsOf, checkRange } from './range.ts';

export class Snapshot implements CacheSnapshot {
  readonly revision: Revision;
  /** Must not be changed. */
  readonly map: OrderedMap<string, Entry>;
  readonly #forms: Forms;

  constructor(revision: Revision, map: OrderedMap<string, Entry>, forms: Forms) {
    this.revision = revision;
    this.map = map;
    this.#forms = forms;
  }

  get(key: string): Entry | undefined {
    const entry = this.map.get(key);
    if (entry?.broken !== undefined) throw entry.broken;
    return entry;
  }

  count(range: CacheRange): number {
    checkRange(range);
    const { start, end } = boundsOf(range);
    return this.map.count(start, end);
  }

  list(range: CacheRange, options: CacheListOptions = {}): MaybePromise<CacheList> {
    checkRange(range);
    const { start, end } = boundsOf(range, options.start);
    if (options.form !== undefined) return this.#listForm(start, end, options.form, options);
    return options.filter === undefined ? this.#listAll(start, end, options) : this.#listFiltered(start, end, options);
  }

  #listAll(start: string, end: string | undefined, options: CacheListOptions): CacheList {
    const page = this.map.page(start, end, options.limit);
    const entries = page.values;
    const items = new Array<Uint8Array>(entries.length);
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      if (entry.broken !== undefined) throw entry.broken;
      items[i] = entry.bytes;
    }
    return { revision: this.revision, items, next: page.next, remaining: page.remaining };
  }

  #listFiltered(start: string, end: string | undefined, options: CacheListOptions): CacheList {
    const filter = options.filter!;
    const limit = options.limit || Number.POSITIVE_INFINITY;
    const items: Uint8Array[] = [];
    let next: string | undefined;
    this.map.forEachFrom(start, end, (entry, key) => {
      if (entry.broken !== undefined) throw entry.broken;
      if (!filter.matches(entry.facts, key)) return true;
      if (items.length < limit) {
        items.push(entry.bytes);
        return true;
      }
      next = key;
      return false;
    });
    return { revision: this.revision, items, next, remaining: next === undefined ? 0 : undefined };
  }

  /** Makes forms in batches, one after the other, so that a list waits for at most one batch at a time. */
  #listForm(start: string, end: string | undefined, form: FormKey, options: CacheListOptions): MaybePromise<CacheList> {
    const { filter } = options;
    const limit = options.limit || Number.POSITIVE_INFINITY;
    const items: Uint8Array[] = [];
    let from: string | undefined = start;
    const finish = (next: string | undefined): CacheList => {
      const remaining = next === undefined ? 0 : filter === undefined ? this.map.count(next, end) : undefined;
      return { revision: this.revision, items, next, remaining };
    };
    const consume = (entries: readonly Entry[], made: readonly FormResult[]): CacheList | undefined => {
      for (let i = 0; i < entries.length; i++) {
        const result = made[i]!;
        const { key } = entries[i]!;
        if (filter !== undefined && result.facts !== undefined && !filter.matches(result.facts, key)) continue;
        if ('error' in result) throw result.error;
        if (items.length === limit) return finish(key);
        items.push(result.bytes);
      }
      return from === undefined || (filter === undefined && items.length === limit) ? finish(from) : undefined;
    };
    const run = (): MaybePromise<CacheList> => {
      for (;;) {
        const wanted = filter === undefined ? Math.min(FORM_BATCH, limit - items.length) : FORM_BATCH;
        const page = this.map.page(from, end, wanted);
        from = page.next;
        const made = this.#forms.make(form, page.values);
        if (isPromise(made)) return made.then((results) => consume(page.values, results) ?? run());
        const done = consume(page.values, made);
        if (done !== undefined) return done;
      }
    };
    return run();
  }
}
