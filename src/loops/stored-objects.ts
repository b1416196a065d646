/**
 * The interface to the objects of the server's storage for loops that concern every kind. One storage watch serves all
 * of them, so no watch cache is opened. Values are the stored bytes: in the storage version, without a
 * resourceVersion.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ServedResource } from './served-resources.ts';

/** Receives the changes of all stored objects, in the order of their revisions. The methods must not throw. */
export interface StoredObjectListener {
  /** The state is read from the beginning: objects that are not put before `synced` no longer exist. */
  reset(): void;
  /**
   * An object was written, or is part of the first state. `value` is shared and read-only. `previous` is the state
   * before an update, undefined for a new object and in the first state.
   */
  put(value: Uint8Array, revision: number, previous: Uint8Array | undefined): void;
  /** An object was deleted. `value` is its last state, `revision` that of the deletion. */
  delete(value: Uint8Array, revision: number): void;
  /** The first state after `reset` is complete. */
  synced(): void;
}

export interface FollowOptions {
  /**
   * `state`, the default: the first state has all objects. `now`: the first state is empty. Every change after `synced`
   * is reported.
   */
  readonly from?: 'state' | 'now';
}

export interface StoredObjects {
  /**
   * Follows every stored object, except Events. A failure of storage is logged and retried with backoff. The listener
   * is first called in a later turn of the event loop.
   */
  follow(listener: StoredObjectListener, options?: FollowOptions): { stop(): void };
  /** The number of stored objects of a resource in a namespace. Undefined for a resource that is not stored here. */
  count(resource: ServedResource, namespace: string): MaybePromise<number | undefined>;
  /** The stored objects of a resource in a namespace. None for a resource that is not stored here. */
  values(resource: ServedResource, namespace: string): AsyncIterable<Uint8Array>;
}
