/** Opens an etcd cluster as a store. */
import { systemClock } from '../../base/clock.ts';
import { EtcdStorage, type EtcdStorageOptions } from './etcd-storage.ts';

export type EtcdOptions = Omit<EtcdStorageOptions, 'clock'> & Partial<Pick<EtcdStorageOptions, 'clock'>>;

/**
 * Returns a store over the cluster. It connects with the first call, so a cluster that does not answer is reported by
 * that call. Throws ConfigError for an invalid URL.
 */
export function openEtcdStorage(options: EtcdOptions): EtcdStorage {
  return new EtcdStorage({ ...options, clock: options.clock ?? systemClock });
}
