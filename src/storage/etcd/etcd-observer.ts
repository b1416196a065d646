/** The observer of an etcd driver, which feeds metrics. */
import type { StorageEvent } from '../storage.ts';

/** The names of requests in kube-apiserver's metrics. */
export type EtcdOperation = 'get' | 'list' | 'listWithCount' | 'create' | 'update' | 'delete';

/**
 * The methods are called while a request waits: they must be cheap and must not throw. A `key` is a key of the store,
 * not of etcd; for a list it is the prefix of the range.
 */
export interface EtcdObserver {
  /** Called when a request has ended. `ok` is true also for a failed comparison and for a missing key. */
  request(operation: EtcdOperation, key: string, ms: number, ok: boolean): void;
  /** Called once per list, after its last request. */
  listed(key: string, objects: number): void;
  /** Called when the hub has received events. */
  received(events: readonly StorageEvent[]): void;
  /**
   * Called when a lease was granted. `keys` counts the keys of the lease that it replaces, plus one for the key that
   * needs the new lease.
   */
  leaseGranted(keys: number): void;
}
