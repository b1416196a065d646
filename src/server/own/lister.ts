/**
 * A server's own objects: what it must know to do its work (roles, definitions, registrations), kept by watching. Invariant: after `fresh()` the state includes
 * every write of the resource that was acknowledged through this server before the call. Usually it is fresh already and nothing is awaited.
 */
import type { JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';

export interface ListerChange {
  readonly namespace: string;
  readonly name: string;
  /** Undefined for a deletion. In the storage version, with its resourceVersion; shared, nobody changes it. */
  readonly object: JsonObject | undefined;
}

export interface Lister {
  fresh(): MaybePromise<void>;
  /** In the storage version, without managedFields and kubectl's note of what it applied; parsed once per write and kept. */
  get(namespace: string, name: string): JsonObject | undefined;
  /** In order of namespace and name. */
  list(namespace?: string): readonly JsonObject[];
  /** Called first with the whole present state, change by change, then with every change, in order, before `fresh()` of a later call resolves. */
  subscribe(listener: (changes: readonly ListerChange[]) => void): { stop(): void };
}
