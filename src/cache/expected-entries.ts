/**
 * The entries of writes whose events have not arrived yet. A store that is not embedded may answer a write before its
 * watch delivers the event. The entry that was made for the response is then used for the event, too.
 * Invariant: an entry is used only for the revision and the array of bytes that it was made of, so it equals the entry
 * that would be made from the event.
 */
import { LruMap } from '../base/lru-map.ts';
import type { Revision } from '../storage/storage.ts';
import type { Entry } from './cache.ts';

/** The most entries. If the event of an older write arrives, its entry is made again. */
const MAX_ENTRIES = 256;
/** Larger entries are not kept, but made again. */
const MAX_BYTES = 64 * 1024;

export class ExpectedEntries {
  readonly #entries = new LruMap<string, { readonly entry: Entry; readonly value: Uint8Array }>(MAX_ENTRIES);

  /** Adds the entry that was made of the stored bytes `value`. */
  add(entry: Entry, value: Uint8Array): void {
    if (entry.bytes.length <= MAX_BYTES) this.#entries.set(entry.key, { entry, value });
  }

  /** Removes the entry of a key. Returns the entry if it belongs to the event with this revision and value. */
  take(key: string, revision: Revision, value: Uint8Array): Entry | undefined {
    const found = this.#entries.take(key);
    return found !== undefined && found.value === value && found.entry.revision === revision ? found.entry : undefined;
  }
}
