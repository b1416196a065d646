/** Lists objects at a revision that the cache no longer has, from the history of the storage. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { CacheList, CacheListOptions, CacheRange, Entry, Facts, FormKey } from '../../cache/cache.ts';
import { makeEntry } from '../../cache/entry.ts';
import type { Revision } from '../../storage/storage.ts';
import type { StoreCore } from './store-core.ts';

/** The page size of reads from storage. */
const PAGE = 500;

/**
 * Returns the same objects, in the same order and form, as a list of the cache. Undefined if storage has compacted the
 * revision.
 */
export function listHistory(
  core: StoreCore,
  range: CacheRange,
  revision: Revision,
  options: CacheListOptions,
): MaybePromise<CacheList | undefined> {
  if (revision < core.storage.horizon()) return undefined;
  return 'key' in range
    ? listKey(core, range.key, revision, options)
    : listPrefix(core, range.prefix, revision, options);
}

async function listKey(
  core: StoreCore,
  key: string,
  revision: Revision,
  { filter, form }: CacheListOptions,
): Promise<CacheList | undefined> {
  const result = await core.storage.get(key, { revision });
  if (result.outcome === 'compacted' || result.outcome === 'future') return undefined;
  const items: Uint8Array[] = [];
  if (result.outcome === 'found') {
    const { item } = result;
    const shown = await showEntry(core, entryOf(core, item.key, item.revision, item.value), form);
    if (filter === undefined || filter.matches(shown.facts, key)) items.push(shown.bytes);
  }
  return { revision, items, next: undefined, remaining: 0 };
}

async function listPrefix(
  core: StoreCore,
  prefix: string,
  revision: Revision,
  { filter, form, limit: wanted = 0, start: from }: CacheListOptions,
): Promise<CacheList | undefined> {
  const limit = wanted === 0 ? Number.POSITIVE_INFINITY : wanted;
  const items: Uint8Array[] = [];
  let start = from;
  for (;;) {
    const page = await core.storage.list(start === undefined ? { prefix } : { prefix, start }, {
      revision,
      limit: PAGE,
    });
    if (page.outcome !== 'ok') return undefined;
    for (let i = 0; i < page.items.length; i++) {
      const item = page.items[i]!;
      const shown = await showEntry(core, entryOf(core, item.key, item.revision, item.value), form);
      if (filter !== undefined && !filter.matches(shown.facts, item.key)) continue;
      if (items.length === limit) {
        const remaining = filter === undefined ? page.remaining + page.items.length - i : undefined;
        return { revision, items, next: item.key, remaining };
      }
      items.push(shown.bytes);
    }
    if (page.next === undefined) return { revision, items, next: undefined, remaining: 0 };
    start = page.next;
  }
}

function entryOf(core: StoreCore, key: string, revision: Revision, value: Uint8Array): Entry {
  const entry = makeEntry(core.versions.describe, key, revision, value);
  if (entry.broken !== undefined) throw entry.broken;
  return entry;
}

function showEntry(
  core: StoreCore,
  entry: Entry,
  form: FormKey | undefined,
): MaybePromise<{ readonly bytes: Uint8Array; readonly facts: Facts }> {
  return form === undefined ? entry : core.cache.form(entry, form);
}
