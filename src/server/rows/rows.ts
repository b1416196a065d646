/**
 * The rows interface, as a specification: objects of one resource in a database of the author's choice. Every
 * implementation runs `rows.suite.ts`, which tests each statement of this file.
 *
 * Rows are typed, plain objects, one per name, or per namespace and name. The server does not query them for each
 * request: `rows-storage.ts` mirrors them in memory. Reads are answered from the mirror, so the database need not
 * support selectors, pages, watches and bookmarks. Writes go to the rows first, and the mirror shows a write once the
 * rows have it.
 *
 * Objects
 * - `object` is the whole object in the storage version, as JSON: `apiVersion`, `kind`, `metadata` and the fields of
 *   the resource. It has no `metadata.resourceVersion`. Integers beyond 2^53 are `bigint`.
 * - The rows must return an object as it was written; only the order of fields may differ. That includes `metadata`:
 *   uid, timestamps, labels, finalizers and managedFields of an object are stored nowhere else.
 * - Rows that another program inserted may lack `kind`, `apiVersion` and `metadata.uid`. The mirror adds the first two
 *   from the definition and derives a uid from the name. A row without a valid name is left out and reported.
 * - The server never modifies an object after it has passed it to the rows or received it from them. The rows must not
 *   do so either.
 *
 * Versions
 * - A version is an opaque string. Every write of a row sets a version that the key has never had before, also if the
 *   row was removed and inserted again. The mirror only compares versions for equality, unless the rows are
 *   `sequenced`.
 * - A write is atomic: it compares the version and writes in one step. Of two writers with the same expected version
 *   only one can succeed.
 * - A write is durable and visible to `get` and `list` when its promise resolves.
 *
 * Failures
 * - Expected outcomes are results: 'exists', 'conflict', 'missing', undefined. Everything else is thrown.
 * - A write that throws may or may not have taken place. The mirror reads the row again before it answers: the request
 *   succeeds if the row shows the write, and fails with a Status that asks for a retry if it does not.
 * - A StatusError that a write throws is sent to the client unchanged. It means that the row was not written, for
 *   example because of a constraint of the database.
 * - A list or a stream that throws is repeated with backoff, from 100 ms up to 5 s. The mirror serves its last state
 *   meanwhile. Before the first list has succeeded, requests fail with a Status that asks for a retry.
 *
 * Epochs: `resourceVersion` is a revision of the mirror, never a version of a row. Each start of the server begins a
 * new epoch: its first revision is derived from the clock and is above those of earlier starts. Watches and pages that
 * began before it get 410 and list again. Rows that are `sequenced` have no epochs: their versions are the revisions.
 */
import type { AbortSignalLike } from '../../base/abort-signal.ts';
import type { JsonObject } from '../../base/json-value.ts';

export const DEFAULT_POLL_INTERVAL_MS = 5000;

export interface RowKey {
  /** '' for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

export interface Row<T extends object = JsonObject> {
  readonly object: T;
  readonly version: string;
}

/** The result of a write: the new version of the row. */
export interface RowWritten {
  readonly version: string;
}

export type RowChange<T extends object = JsonObject> =
  /** All changes up to `cursor` have been delivered. It must be the first element of every stream without `since`. */
  | { readonly type: 'position'; readonly cursor: string }
  /** The row was written or removed. The mirror reads it with `get`. */
  | { readonly type: 'changed'; readonly key: RowKey; readonly cursor?: string }
  /** The row was written; `row` is its new state. Treated like `changed` unless the rows are `sequenced`. */
  | { readonly type: 'put'; readonly row: Row<T>; readonly cursor?: string }
  /**
   * The row was removed. `version` is the version of the removal. Treated like `changed` unless the rows are
   * `sequenced`.
   */
  | { readonly type: 'remove'; readonly key: RowKey; readonly version: string; readonly cursor?: string }
  /** The changes after `since` are no longer known. The mirror lists again and begins a stream without `since`. */
  | { readonly type: 'too-old' };

/** Rows that can only be read. The resource then has get, list and watch, and discovery shows no other verb. */
export interface ReadOnlyRows<T extends object = JsonObject> {
  /**
   * Returns every row exactly once, in any order. Called when the resource is opened, when a stream of changes was too
   * old, and, without `changes`, once per poll interval. Rows that are written while the list is read may be in it with
   * their old or new state, or, if they are inserted or removed, be missing.
   */
  list(): Promise<Iterable<Row<T>>> | AsyncIterable<Row<T>>;

  /**
   * Returns the current state of one row; undefined if it does not exist. Must see every write that was answered before
   * the call. Called after a conflict, after a write that threw, and for a `changed` element.
   */
  get(key: RowKey): Promise<Row<T> | undefined>;

  /**
   * Returns an endless stream of the changes after `since`; without `since`, of the changes after the call. The stream
   * must have the changes of all writers, including this process. The changes of one key are in the order of their
   * commits. Unless the rows are `sequenced`, a change may be delivered twice, and several changes of one key may be
   * merged into the last one.
   *
   * The `cursor` of an element is a position. When the mirror opens the stream again, it passes the last cursor that it
   * has seen as `since`. A stream that ends or throws is opened again with backoff. The stream must end soon after
   * `signal` aborts.
   *
   * Without `changes` the mirror polls: it lists all rows every `pollIntervalMs` and compares their versions.
   */
  changes?(since: string | undefined, signal: AbortSignalLike): AsyncIterable<RowChange<T>>;

  /**
   * Whether the versions of all rows form one sequence, in the order of commits. Required if several servers share the
   * rows. Default false. If it is true:
   * - every version is a decimal integer from 2 up to 2^53 - 1, and the position before the first change is 1;
   * - a write or a removal gets a number above all numbers that were committed before it, of any key and by any writer;
   * - `changes` exists, delivers `put` and `remove` elements with every number in ascending order, and uses the number
   *   as the cursor. A number that is delivered is never followed by a smaller one.
   *
   * The versions are then the revisions of the mirror: all servers over the rows show the same resourceVersions, every
   * watcher sees the changes of all servers once and in one order, and a client may move between servers. A write is
   * answered when the stream has reached it.
   */
  readonly sequenced?: boolean;

  /**
   * How often rows without `changes` are listed, in milliseconds, at least 10. Default 5,000. Infinity: never, because
   * only this server writes the rows.
   */
  readonly pollIntervalMs?: number;

  /** Called once, when the server has stopped and no other call is running or will follow. Default: nothing. */
  stop?(): Promise<void>;
}

/** Rows that the server reads and writes. Methods may be called concurrently, but at most one write per key. */
export interface Rows<T extends object = JsonObject> extends ReadOnlyRows<T> {
  /** Adds a row. Its key is in `object.metadata`. If the key exists, changes nothing and returns 'exists'. */
  insert(object: T): Promise<RowWritten | 'exists'>;

  /** Replaces the row if its version is `version`. Otherwise changes nothing and returns 'conflict' or 'missing'. */
  replace(object: T, version: string): Promise<RowWritten | 'conflict' | 'missing'>;

  /** Removes the row if its version is `version`. Otherwise changes nothing and returns 'conflict' or 'missing'. */
  remove(key: RowKey, version: string): Promise<'removed' | 'conflict' | 'missing'>;
}

/**
 * Whether rows can be written. Rows that have only some of the three write methods are refused when they are opened.
 */
export function isWritable<T extends object>(rows: ReadOnlyRows<T>): rows is Rows<T> {
  const { insert, replace, remove } = rows as Partial<Rows<T>>;
  return insert !== undefined && replace !== undefined && remove !== undefined;
}
