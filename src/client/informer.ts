/**
 * The interfaces of informers. An informer keeps a copy of a collection up to date and notifies handlers of its
 * changes.
 * Invariants:
 * - Objects that a store returns are frozen and never change. A change on the server replaces the object.
 * - An informer never stops by itself: every failure is reported, and retried with backoff.
 * - Each handler has its own queue. A handler that is slow, or that throws, delays neither other handlers nor the
 *   store. A handler gets the changes of one object in order.
 */
import type { Transport } from '../apimachinery/http/transport.ts';
import type { ListWatchOptions } from '../apimachinery/watch/list-watch-state.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import type { Clock } from '../base/clock.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Stored } from './object-types.ts';

/** `namespace/name`, or `name` for a cluster-scoped object. */
export type ObjectKey = string;

/** The read side of a store. Reads are synchronous. */
export interface ObjectStore<T> {
  /** `namespace` is undefined for a cluster-scoped kind. */
  get(name: string, namespace?: string): Stored<T> | undefined;
  getByKey(key: ObjectKey): Stored<T> | undefined;
  /** Lists objects in no particular order. Default: of all namespaces. Throws ConfigError for a malformed selector. */
  list(options?: { readonly namespace?: string; readonly labelSelector?: string }): readonly Stored<T>[];
  /** Returns the objects for which the index function returned the value. Throws BugError for an unknown index. */
  byIndex(index: string, value: string): readonly Stored<T>[];
  keys(): Iterable<ObjectKey>;
  readonly size: number;
  /**
   * The newest revision that the store has seen, from objects and bookmarks. '' before the first list is complete.
   */
  readonly resourceVersion: string;
}

/**
 * The receiver of changes. Calls of one handler never overlap: the next call begins when the promise of the previous
 * call has settled. A call that throws or rejects is reported, and the next call follows. The store may be newer than
 * the notification.
 *
 * If a handler falls behind by more than 1,000 notifications, the pending changes of each object are merged into one:
 * an add or an update with the newest state, or a delete. An add that is followed by a delete is dropped. The queue has
 * at most two notifications per object beyond the 1,000.
 */
export interface EventHandler<T> {
  /**
   * Called for a new object. `isInInitialList`: the object existed when the handler was added, or in the first list.
   */
  onAdd?(object: Stored<T>, context: { readonly isInInitialList: boolean }): void | Promise<void>;
  /**
   * Called for a changed object. The uids are equal and the resourceVersions differ, except on a resync, where both are
   * the same object.
   */
  onUpdate?(before: Stored<T>, after: Stored<T>): void | Promise<void>;
  /**
   * Called for a deleted object. `isFinalStateKnown` is false if the deletion was detected by a new list: `object` is
   * then the last known state. An object that was deleted and created again between two lists causes a delete and an
   * add.
   */
  onDelete?(object: Stored<T>, context: { readonly isFinalStateKnown: boolean }): void | Promise<void>;
}

export interface HandlerRegistration {
  /**
   * Resolves when the handler has processed every object of the first list. Rejects with an AbortError if the handler is
   * removed or the informer stops before.
   */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** Removes the handler. No call begins afterwards; a running call is not interrupted. */
  remove(): void;
}

/**
 * Returns the values under which an object is found. Must be pure. If it throws, the error is reported and the object
 * is not indexed.
 */
export type IndexFunction<T> = (object: Stored<T>) => readonly string[];

export interface InformerOptions<T> {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Changes an object before it is stored, usually to remove fields and save memory. It may modify the object that it
   * gets, except for the values of `fieldsV1`, and returns the object to store. Must keep the name, namespace, uid and
   * resourceVersion. If it throws or returns no object, this is reported, and the object is stored as the transform has
   * left it, because a missing object would be reported as deleted.
   */
  readonly transform?: (object: T) => T;
  /**
   * Whether to list and watch PartialObjectMetadata. The objects have `metadata`, and `apiVersion` and `kind` of the
   * informer's kind. Default false.
   */
  readonly metadataOnly?: boolean;
  /**
   * The interval of resyncs, which call `onUpdate` for every object. A handler that still has pending notifications
   * skips the resync. Default 0: never.
   */
  readonly resyncMs?: number;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
}

export interface Informer<T> extends Stoppable {
  readonly kind: Kind<T>;
  readonly store: ObjectStore<T>;
  /** Resolves when the first list is in the store. Rejects if the informer stops before. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** Adds a handler, also while the informer runs. The handler first gets every object of the store as an add. */
  addHandler(handler: EventHandler<T>, options?: { readonly resyncMs?: number }): HandlerRegistration;
  /** Adds an index, also while the informer runs. Throws BugError if an index with this name exists. */
  addIndex(name: string, index: IndexFunction<T>): void;
  /**
   * Resolves when the store has seen this revision or a newer one; '': when the first list is in the store. Rejects
   * with the signal's reason, or with an AbortError when the informer stops. Throws BugError for a revision that is not
   * a number: revisions are compared as numbers, which Kubernetes guarantees since 1.35. If the selectors exclude the
   * change, the store learns of its revision only with the next change or bookmark, so such a wait needs a signal with
   * a timeout.
   */
  waitFor(resourceVersion: string, options?: { readonly signal?: AbortSignalLike }): Promise<void>;
  /** Begins to list and watch. Idempotent. Does nothing after `stop`. */
  start(): void;
  /** The last failure of the list or watch, for health checks; undefined after a success. */
  readonly lastFailure: Error | undefined;
}

/** The informers of a program: one per kind and options, shared by all its controllers. */
export interface InformerSet extends Stoppable {
  /**
   * Returns the informer of a kind, which is created on the first call, and started at once if the set was started.
   * Calls with the same kind, namespace, selectors, transform and metadataOnly share one informer: missing indexes are
   * added, and resyncMs is that of the first call. Throws BugError after `stop`, and if the informer has another index
   * with the same name.
   */
  informer<T>(kind: Kind<T>, options?: InformerOptions<T>): Informer<T>;
  start(): void;
  /** Resolves when every informer that exists now has synced. */
  synced(): Promise<void>;
}

/** The origin of a failure. The informer continues after every failure. */
export interface InformerFailure {
  readonly kind: Kind<unknown>;
  /** Undefined for a cluster-scoped kind and for all namespaces. */
  readonly namespace: string | undefined;
  /** `reflector`: the list or watch failed and is retried. */
  readonly source: 'reflector' | 'handler' | 'transform' | 'index';
}

export interface InformerSetOptions {
  readonly transport: Transport;
  /** Called for every failure. Must not throw. Default: only `lastFailure` shows the failures of lists and watches. */
  readonly onFailure?: (error: Error, failure: InformerFailure) => void;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Returns a number in [0, 1), for the jitter of pauses and watches. Default Math.random. */
  readonly random?: () => number;
  /** Options of the list-then-watch protocol. Default: those of client-go. */
  readonly listWatch?: Partial<ListWatchOptions>;
}
