/** A change of the cached state, and the type of event that it is for a watcher with a filter. */
import type { Revision } from '../storage/storage.ts';
import type { ChangeType, Entry, Facts, Filter } from './cache.ts';
import { withRevision } from './entry.ts';

/** One change of one key. Invariant: at least one of `entry` and `previous` is defined. */
export class Change {
  readonly key: string;
  readonly revision: Revision;
  /** The new version; undefined for a deletion. */
  readonly entry: Entry | undefined;
  /** The previous version; undefined for a creation. */
  readonly previous: Entry | undefined;
  #last: Entry | undefined;

  constructor(key: string, revision: Revision, entry: Entry | undefined, previous: Entry | undefined) {
    this.key = key;
    this.revision = revision;
    this.entry = entry;
    this.previous = previous;
  }

  /**
   * The previous version with the revision of the change: the object of a DELETED event. Needs `previous`. Made on
   * first use.
   */
  last(): Entry {
    this.#last ??= withRevision(this.previous!, this.revision);
    return this.#last;
  }
}

/** The type of event for a watcher: entering its filter is ADDED, leaving it DELETED. Undefined: no event. */
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
