/** A change of the cached state, and the type of its event for a watcher with a filter. */
import type { Revision } from '../storage/storage.ts';
import type { ChangeType, Entry, Facts, Filter } from './cache.ts';
import { withRevision } from './entry.ts';

/**
 * One change of one key.
 * Invariant: at least one of `entry` and `previous` is defined.
 */
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
   * The object of a DELETED event: the previous version with the revision of the change. `previous` must be defined.
   * Made on first use.
   */
  last(): Entry {
    this.#last ??= withRevision(this.previous!, this.revision);
    return this.#last;
  }
}

/**
 * Returns the type of the event for a watcher: an object that begins to match its filter is ADDED, one that no longer
 * matches is DELETED. Undefined: no event.
 */
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
