/** The observer of an etcd driver, for metrics. */
import type { StorageEvent } from '../storage.ts';

/** The names of requests in the reference's metrics. */
export type EtcdOperation = 'get' | 'list' | 'listWithCount' | 'create' | 'update' | 'delete';

/**
 * The methods are called on the path of requests: they must be cheap and must not throw. Keys are those of the store.
 * The key of a list is the prefix of its range.
 */
export interface EtcdObserver {
  /** A request about a key or a range has ended. A failed comparison and a missing key are not failures. */
  request(operation: EtcdOperation, key: string, ms: number, ok: boolean): void;
  /** A list is complete. It took one request or more. */
  listed(key: string, objects: number): void;
  /** The hub has received events. */
  received(events: readonly StorageEvent[]): void;
  /** A lease was granted. `keys`: the keys of the lease that it replaces, and the key that it was granted for. */
  leaseGranted(keys: number): void;
}
