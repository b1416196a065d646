/**
 * The rows interface, as a specification: objects of one resource in a database of the author's choice. Every
 * implementation runs `rows.suite.ts`, which tests each of its sentences.
 *
 * Rows are typed, plain objects, one per name, or per namespace and name. The server does not query them for each
 * request. `rows-storage.ts` mirrors them in memory, so selectors, pages, watches and bookmarks need nothing from the
 * database. A request that reads is answered from the mirror. A request that writes is written to the rows first, and
 * the mirror shows it once the rows have it.
 *
 * Objects
 * - `object` is the whole object in the storage version, as JSON: `apiVersion`, `kind`, `metadata` and the fields of the
 *   resource. It has no `metadata.resourceVersion`. Integers beyond 2^53 are `bigint`.
 * - The rows must return an object as it was written; only the order of fields may differ. That includes `metadata`:
 *   uid, timestamps, labels, finalizers and managedFields of an object are stored nowhere else.
 * - Rows that another program inserted may lack `kind`, `apiVersion` and `metadata.uid`. The mirror adds the first two
 *   from the definition and derives a uid from the name. A row without a valid name is left out and reported.
 * - The server never modifies an object after it has passed it to the rows or received it from them. The rows must not
 *   do so either.
 *
 * Versions
 * - A version is an opaque string. Every write of a row gives it a version that this key has never had before. A row
 *   that was removed and inserted again does not repeat one. The mirror only compares versions for equality, unless the
 *   rows are `sequenced`.
 * - A write is atomic: it compares the version and writes in one step. Two writers who name the same version cannot both
 *   succeed.
 * - A write is durable and visible to `get` and `list` when its promise resolves.
 *
 * Failures
 * - Expected outcomes are results: 'exists', 'conflict', 'missing', undefined. Everything else is thrown.
 * - A write that throws may or may not have taken place. The mirror reads the row again before it answers: the request
 *   succeeds if the row shows the write, and fails with a Status that asks for a retry if it does not.
 * - A StatusError of a write goes to the client as it is. It says that the row was not written, for example because of a
 *   constraint of the database.
 * - A list or a stream that throws is repeated with backoff, from 100 ms up to 5 s. The mirror serves its last state
 *   meanwhile. Before the first list has succeeded, requests fail with a Status that asks for a retry.
 *
 * Epochs: `resourceVersion` is a revision of the mirror, never a version of a row. Each start of the server begins a new
 * epoch: its first revision is derived from the clock and is above those of earlier starts. Watches and pages that began
 * before it get 410 and list again. Rows that are `sequenced` have no epochs: their versions are the revisions.
 */
import type { AbortSignalLike } from '../../base/abort-signal.ts';
import type { JsonObject } from '../../base/json-value.ts';

export const DEFAULT_POLL_INTERVAL_MS = 5000;

/** Names a row. */
export interface RowKey {
  /** '' for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

export interface Row<T extends object = JsonObject> {
  readonly object: T;
  readonly version: string;
}

/** The version that a write gave to its row. */
export interface RowWritten {
  readonly version: string;
}

export type RowChange<T extends object = JsonObject> =
  /** Everything up to `cursor` has been delivered. The first element of every stream that has no `since`. */
  | { readonly type: 'position'; readonly cursor: string }
  /** The row was written or removed. The mirror reads it with `get`. */
  | { readonly type: 'changed'; readonly key: RowKey; readonly cursor?: string }
  /** The row was written, and this is its new state. Unless the rows are `sequenced`, it is treated as `changed`. */
  | { readonly type: 'put'; readonly row: Row<T>; readonly cursor?: string }
  /** The row was removed. `version` is the version of the removal. Unless `sequenced`, it is treated as `changed`. */
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
   * Returns the present state of one row, undefined if there is none. It sees every write that was answered before the
   * call. Called after a conflict, after a write that threw, and for a `changed` element.
   */
  get(key: RowKey): Promise<Row<T> | undefined>;

  /**
   * Returns the changes after `since`, without end; without `since`, those after the call. Changes by every writer must
   * appear, those of this process included. The changes of one key come in the order of their commits. A change may be
   * delivered twice, and several changes of one key may be merged into the last, unless the rows are `sequenced`.
   *
   * `cursor` of an element is a position: the mirror passes the last one it has seen as `since` when it connects again.
   * A stream that ends or throws is opened again with backoff. The stream must end soon after `signal` aborts.
   *
   * Without `changes` the mirror polls: it lists all rows every `pollIntervalMs` and compares their versions.
   */
  changes?(since: string | undefined, signal: AbortSignalLike): AsyncIterable<RowChange<T>>;

  /**
   * The versions of all rows are one committed sequence. Servers that share rows need this. Default false. It promises:
   * - every version is a decimal integer from 2 up to 2^53 - 1, and the position before the first change is 1;
   * - a write or a removal takes a number above all numbers that were committed before it, of any key by any writer;
   * - `changes` exists, delivers `put` and `remove` elements with every number in ascending order, and uses the number as
   *   the cursor. A number that is delivered is never followed by a smaller one.
   *
   * The versions are then the revisions of the mirror: all servers over the rows show the same resourceVersions, every
   * watcher sees the changes of all servers once and in one order, and a client may move between servers. A write is
   * answered when the stream has reached it.
   */
  readonly sequenced?: boolean;

  /**
   * In milliseconds, at least 10: how often rows without `changes` are listed. Default 5,000. Infinity: never, because
   * only this server writes them.
   */
  readonly pollIntervalMs?: number;

  /** Called once, when the server has stopped and no other call is running or will follow. Default: nothing. */
  stop?(): Promise<void>;
}

/** Rows that the server reads and writes. Methods may be called at the same time, but at most one write per key. */
export interface Rows<T extends object = JsonObject> extends ReadOnlyRows<T> {
  /** Adds a row whose key, in `object.metadata`, does not exist. Changes nothing and returns 'exists' if it does. */
  insert(object: T): Promise<RowWritten | 'exists'>;

  /** Replaces the row whose version is `version`. Changes nothing and returns 'conflict' or 'missing' otherwise. */
  replace(object: T, version: string): Promise<RowWritten | 'conflict' | 'missing'>;

  /** Removes the row whose version is `version`. Changes nothing and returns 'conflict' or 'missing' otherwise. */
  remove(key: RowKey, version: string): Promise<'removed' | 'conflict' | 'missing'>;
}

/** Reports whether rows can be written. Rows with some of the three methods are refused when they are opened. */
export function isWritable<T extends object>(rows: ReadOnlyRows<T>): rows is Rows<T> {
  const { insert, replace, remove } = rows as Partial<Rows<T>>;
  return insert !== undefined && replace !== undefined && remove !== undefined;
}
