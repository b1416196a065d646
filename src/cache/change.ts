/** Changes of the cached state, and what they mean to a watcher with a filter. */
import type { Revision } from '../storage/storage.ts';
import type { ChangeType, Entry, Facts, Filter } from './cache.ts';
import { withRevision } from './entry.ts';

/** One change of one key. Of `entry` and `previous` at least one is there. */
export class Change {
  readonly key: string;
  readonly revision: Revision;
  /** The new version; undefined for a deletion. */
  readonly entry: Entry | undefined;
  /** The version before; undefined for a creation. */
  readonly previous: Entry | undefined;
  #last: Entry | undefined;

  constructor(key: string, revision: Revision, entry: Entry | undefined, previous: Entry | undefined) {
    this.key = key;
    this.revision = revision;
    this.entry = entry;
    this.previous = previous;
  }

  /** The version before, with the revision of the change: what DELETED carries. Made once, when first asked for; needs `previous`. */
  last(): Entry {
    this.#last ??= withRevision(this.previous!, this.revision);
    return this.#last;
  }
}

/** What a change is to a watcher: entering its filter is an addition, leaving it a deletion. Undefined: nothing. */
export function changeType(
  filter: Filter | undefined,
  key: string,
  before: Facts | undefined,
  after: Facts | undefined,
): ChangeType | undefined {
  const was = before !== undefined && (filter === undefined || filter.matches(before, key));
  const is = after !== undefined && (filter === undefined || filter.matches(after, key));
  if (is) return was ? 'MODIFIED' : 'ADDED';
  return was ? 'DELETED' : undefined;
}
