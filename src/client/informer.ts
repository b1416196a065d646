/**
 * The interfaces of informers: a copy of a collection that follows the server, and the notifications of its changes.
 * Invariants:
 * - An object that a store hands out is frozen and never changes; a change of the server replaces it.
 * - An informer never stops by itself: every failure is reported, and retried with backoff.
 * - Each handler has a queue of its own. A handler that is slow, or that throws, delays no other handler and not the
 *   store. A handler receives the changes of one object in their order.
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
  /**
   * In no particular order. Default: of all namespaces. Throws ConfigError for a malformed selector.
   */
  list(options?: { readonly namespace?: string; readonly labelSelector?: string }): readonly Stored<T>[];
  /** The objects for which the index function returned the value. Throws BugError for an unknown index. */
  byIndex(index: string, value: string): readonly Stored<T>[];
  keys(): Iterable<ObjectKey>;
  readonly size: number;
  /**
   * The newest revision that the store has seen, from objects and bookmarks. '' before the first list is complete.
   */
  readonly resourceVersion: string;
}

/**
 * The notifications of changes. Calls of one handler never overlap: the next call begins when the promise of the last
 * one has settled. A call that throws or rejects is reported, and the next call follows. The store may be newer than
 * the notification.
 *
 * A handler that falls behind by more than 1,000 notifications gets the pending changes of one object as one: an add or
 * an update with the newest state, or a delete. An add that is followed by a delete is left out. Its queue holds at most
 * two notifications per object beyond the 1,000.
 */
export interface EventHandler<T> {
  /** `isInInitialList`: the object existed when the handler was added or when the informer listed first. */
  onAdd?(object: Stored<T>, context: { readonly isInInitialList: boolean }): void | Promise<void>;
  /** On a resync both are the same object. Otherwise the resourceVersions differ and the uids are equal. */
  onUpdate?(before: Stored<T>, after: Stored<T>): void | Promise<void>;
  /**
   * `isFinalStateKnown` is false if the deletion was noticed by a new list: the object is the last state that was seen.
   * An object that was deleted and created again between two lists is a delete and an add.
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
  /** No call begins afterwards. A call that runs is not interrupted. */
  remove(): void;
}

/** Returns the values under which an object is found. Must be pure. One that throws is reported, and indexes nothing. */
export type IndexFunction<T> = (object: Stored<T>) => readonly string[];

export interface InformerOptions<T> {
  /** Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Changes an object before it is stored, usually to remove fields and save memory. Receives an object of its own,
   * which it may modify except for the values of `fieldsV1`, and returns what is stored. Must keep the name, namespace,
   * uid and resourceVersion. If it throws or returns no object, that is reported and the received object is stored as
   * the transform left it: a store without the object would report it as deleted.
   */
  readonly transform?: (object: T) => T;
  /**
   * Lists and watches PartialObjectMetadata. The objects have `metadata`, and `apiVersion` and `kind` of the informer's
   * kind. Default false.
   */
  readonly metadataOnly?: boolean;
  /**
   * Calls `onUpdate` for every object at this interval. A handler that still has pending notifications skips that
   * resync. Default 0: never.
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
  /** Also possible while the informer runs: the handler first gets every object of the store as an add. */
  addHandler(handler: EventHandler<T>, options?: { readonly resyncMs?: number }): HandlerRegistration;
  /** Also possible while the informer runs. Throws BugError if an index of that name exists. */
  addIndex(name: string, index: IndexFunction<T>): void;
  /**
   * Resolves when the store has seen the revision or a newer one; '' stands for the first list. Rejects with the
   * signal's reason, or with an AbortError when the informer stops. Throws BugError for a revision that is not a number:
   * they are compared as numbers, which Kubernetes guarantees since 1.35. A change that the selectors exclude is seen
   * with the next change or bookmark only, so such a wait needs a signal with a timeout.
   */
  waitFor(resourceVersion: string, options?: { readonly signal?: AbortSignalLike }): Promise<void>;
  /** Begins to list and watch. Idempotent. Does nothing after `stop`. */
  start(): void;
  /** The last failure of the list or watch, undefined after a success. For health checks. */
  readonly lastFailure: Error | undefined;
}

/** The informers of a program: one per kind and options, shared by all its controllers. */
export interface InformerSet extends Stoppable {
  /**
   * The informer of a kind, made on the first call. Started at once if the set was started. Calls with the same kind,
   * namespace, selectors, transform and metadataOnly share one informer: indexes that it lacks are added, and resyncMs
   * is that of the first call. Throws BugError after `stop`, and if the informer has another index of the same name.
   */
  informer<T>(kind: Kind<T>, options?: InformerOptions<T>): Informer<T>;
  start(): void;
  /** Resolves when every informer that exists now has synced. */
  synced(): Promise<void>;
}

/** Where a failure came from. Every one of them is handled: the informer goes on. */
export interface InformerFailure {
  readonly kind: Kind<unknown>;
  /** undefined for a cluster-scoped kind and for all namespaces. */
  readonly namespace: string | undefined;
  /** `reflector`: the list or watch failed and is retried. */
  readonly source: 'reflector' | 'handler' | 'transform' | 'index';
}

export interface InformerSetOptions {
  readonly transport: Transport;
  /** Receives every failure. Must not throw. Default: only `lastFailure` shows the failures of lists and watches. */
  readonly onFailure?: (error: Error, failure: InformerFailure) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Returns a number in [0, 1), for the jitter of pauses and watches. Default Math.random. */
  readonly random?: () => number;
  /** Changes to the list-then-watch protocol. Default: those of client-go. */
  readonly listWatch?: Partial<ListWatchOptions>;
}
