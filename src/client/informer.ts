/**
 * The interfaces of informers: a copy of a collection that follows the server, and the notifications of its changes.
 * Invariants:
 * - An object that a store hands out is frozen and never changes; a change of the server replaces it.
 * - An informer never stops by itself: every failure is reported, and retried with backoff.
 * - Each handler has a queue of its own. A handler that is slow, or that throws, delays no other handler and not the
 *   store. A handler receives the changes of one object in their order.
 */
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
  /** In no particular order. Default: of all namespaces. */
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

export interface EventHandler<T> {
  /** `isInInitialList`: the object existed when the handler was added or when the informer listed first. */
  onAdd?(object: Stored<T>, context: { readonly isInInitialList: boolean }): void | Promise<void>;
  /** On a resync both are the same object. */
  onUpdate?(before: Stored<T>, after: Stored<T>): void | Promise<void>;
  /**
   * `isFinalStateKnown` is false if the deletion was noticed by a new list: the object is the last state that was seen.
   */
  onDelete?(object: Stored<T>, context: { readonly isFinalStateKnown: boolean }): void | Promise<void>;
}

export interface HandlerRegistration {
  /** Resolves when the handler has processed every object of the first list. Rejects if the informer stops before. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** No call begins afterwards. */
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
   * which it may modify, and returns what is stored.
   */
  readonly transform?: (object: T) => T;
  /** Lists and watches PartialObjectMetadata. The objects have metadata only. Default false. */
  readonly metadataOnly?: boolean;
  /** Calls `onUpdate` for every object at this interval. Default 0: never. */
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
   * Resolves when the store has seen the revision or a newer one. Rejects with the signal's reason, or when the informer
   * stops. Revisions are compared as numbers, which Kubernetes guarantees since 1.35.
   */
  waitFor(resourceVersion: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Begins to list and watch. Idempotent. */
  start(): void;
  /** The last failure of the list or watch, undefined after a success. For health checks. */
  readonly lastFailure: Error | undefined;
}

/** The informers of a program: one per kind and options, shared by all its controllers. */
export interface InformerSet extends Stoppable {
  /**
   * The informer of a kind, made on the first call. Started at once if the set was started. Calls with the same kind,
   * namespace, selectors, transform and metadataOnly share one informer.
   */
  informer<T>(kind: Kind<T>, options?: InformerOptions<T>): Informer<T>;
  start(): void;
  /** Resolves when every informer that exists now has synced. */
  synced(): Promise<void>;
}
