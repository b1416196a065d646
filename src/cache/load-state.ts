/**
 * The initial load of a cache. From an embedded store it reads an older state if the store still has one. The changes
 * since that state then fill the event window, so that watches can resume across a restart of the server. From another
 * store it reads the current state; `older-changes.ts` reads earlier changes if a watch needs them.
 */
import { OrderedMap } from '../base/ordered-map.ts';
import { StorageError } from '../storage/errors.ts';
import type { Revision, Storage } from '../storage/storage.ts';
import type { Describe, Entry } from './cache.ts';
import { makeEntry } from './entry.ts';
import { createEntrySlab } from './entry-slab.ts';

/** The items of the first page. Later pages have about `PAGE_BYTES`, so that large objects do not fill the memory. */
const FIRST_PAGE = 500;
const PAGE_BYTES = 4 * 1024 * 1024;
const MAX_PAGE = 10_000;
// How often the load is attempted if the store compacts the state while it is read.
const ATTEMPTS = 3;

export interface LoadedState {
  readonly map: OrderedMap<string, Entry>;
  readonly revision: Revision;
  /** The store's revision when the load began. The cache is ready once it has reached this revision. */
  readonly target: Revision;
}

export interface LoadOptions {
  readonly storage: Storage;
  readonly prefixes: readonly string[];
  readonly describe: Describe;
  /** How many revisions before the current one the loaded state may be, at most. */
  readonly backfill: number;
}

/** Throws the errors of the storage, and Unavailable if the state was compacted at every attempt. */
export async function loadState(options: LoadOptions): Promise<LoadedState> {
  const { storage, backfill } = options;
  if (storage.embedded) {
    const target = await storage.revision();
    const oldest = Math.max(storage.horizon(), target - backfill);
    const old = await loadAt(options, oldest);
    if (old !== undefined) return { map: old, revision: oldest, target };
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const revision = await storage.revision();
    const map = await loadAt(options, revision);
    if (map !== undefined) return { map, revision, target: revision };
  }
  throw new StorageError('Unavailable', 'the state was compacted while it was being read');
}

async function loadAt(options: LoadOptions, revision: Revision): Promise<OrderedMap<string, Entry> | undefined> {
  const { storage, describe } = options;
  const map = new OrderedMap<string, Entry>();
  const slab = createEntrySlab();
  let bytes = 0;
  let limit = FIRST_PAGE;
  for (const prefix of options.prefixes) {
    let start: string | undefined;
    do {
      const nextLimit = map.size === 0 ? FIRST_PAGE : pageLimit(bytes / map.size);
      const range = start === undefined ? { prefix } : { prefix, start };
      const page = await storage.list(range, { revision, limit, nextLimit });
      if (page.outcome !== 'ok') return undefined;
      for (const { key, value, revision: written } of page.items) {
        bytes += value.length;
        map.set(key, makeEntry(describe, key, written, value, slab.cut));
      }
      start = page.next;
      limit = nextLimit;
    } while (start !== undefined);
  }
  return map;
}

function pageLimit(averageBytes: number): number {
  return Math.max(1, Math.min(MAX_PAGE, Math.floor(PAGE_BYTES / Math.max(1, averageBytes))));
}
