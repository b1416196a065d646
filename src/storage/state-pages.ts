/** Reads all items below a prefix in pages, all at one revision. */
import { StorageError } from './errors.ts';
import type { KeyValue, Revision, Storage } from './storage.ts';

export interface StatePage {
  readonly items: readonly KeyValue[];
  /** The revision of the state: the same for all pages. */
  readonly revision: Revision;
}

/**
 * Yields at least one page; the last page may be empty. `limit` is the most items of a page. Throws
 * StorageError(Unavailable) if the revision is compacted between two pages; the caller may start again.
 */
export async function* statePages(storage: Storage, prefix: string, limit: number): AsyncGenerator<StatePage> {
  let revision: Revision | undefined;
  let start: string | undefined;
  do {
    const range = { prefix, ...(start !== undefined && { start }) };
    const page = await storage.list(range, { limit, ...(revision !== undefined && { revision }) });
    if (page.outcome !== 'ok') throw new StorageError('Unavailable', 'the state was compacted while it was being read');
    yield page;
    ({ revision, next: start } = page);
  } while (start !== undefined);
}
