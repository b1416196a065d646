/**
 * The interface to all objects of a resource, parsed and kept up to date by a watch. Servers read the objects that
 * configure them through it: roles, definitions, namespaces.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';

export interface ListerChange {
  readonly namespace: string;
  readonly name: string;
  /** Undefined for a deletion. In the storage version, with its resourceVersion. Shared and read-only. */
  readonly object: JsonObject | undefined;
}

export interface Lister {
  /**
   * Resolves when the state includes every write of the resource that was acknowledged through this server before the
   * call. Usually that is so already, and the answer is not a promise. Throws StorageError(Closed) once it is stopped.
   */
  fresh(): MaybePromise<void>;
  /**
   * Resolves when the state includes every write that any server acknowledged before the call. On a shared storage it
   * costs a request, so it is for the rare case that an object is missing or has changed. Absent: `fresh` is
   * enough, because no other server writes the objects (`catchUp`). Throws StorageError(Closed) once it is stopped.
   */
  current?(): MaybePromise<void>;
  /**
   * Returns the object in the storage version, without managedFields and kubectl's last-applied-configuration. Shared
   * and read-only; the same value until the object changes.
   */
  get(namespace: string, name: string): JsonObject | undefined;
  /** Returns the objects of a namespace, or of all namespaces for '' (the default), ordered by namespace and name. */
  list(namespace?: string): readonly JsonObject[];
  /**
   * Calls the listener with the current objects as changes, at once unless there are none, and then with every change,
   * in order. A `fresh()` that includes a change resolves after the listeners were called with it. A listener must not
   * throw.
   */
  subscribe(listener: (changes: readonly ListerChange[]) => void): { stop(): void };
}
