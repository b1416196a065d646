/**
 * The initial load of a cache. It reads an older state if the store still has it, so that the changes since then fill
 * the event window and watches can resume across a restart of the server. Otherwise it reads the current state.
 */
import { OrderedMap } from '../base/ordered-map.ts';
import { StorageError } from '../storage/errors.ts';
import type { Revision, Storage } from '../storage/storage.ts';
import type { Describe, Entry } from './cache.ts';
import { makeEntry } from './entry.ts';

const PAGE = 2000;
// How often the load is tried if the store compacts the state that is being read.
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
  /** The most revisions to go back. */
  readonly backfill: number;
}

/** Throws the errors of the storage, and Unavailable if the state was compacted at every attempt. */
export async function loadState(options: LoadOptions): Promise<LoadedState> {
  const { storage, backfill } = options;
  const target = await storage.revision();
  const oldest = Math.max(storage.horizon(), target - backfill);
  const old = await loadAt(options, oldest);
  if (old !== undefined) return { map: old, revision: oldest, target };
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
  for (const prefix of options.prefixes) {
    let start: string | undefined;
    do {
      const page = await storage.list(start === undefined ? { prefix } : { prefix, start }, { revision, limit: PAGE });
      if (page.outcome !== 'ok') return undefined;
      for (const { key, value, revision: written } of page.items)
        map.set(key, makeEntry(describe, key, written, value));
      start = page.next;
    } while (start !== undefined);
  }
  return map;
}
