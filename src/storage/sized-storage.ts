/** The stores that know the size of their medium. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Storage } from './storage.ts';

export interface SizedStorage extends Storage {
  /** The bytes that the database has allocated on its medium. Throws StorageError if that cannot be read. */
  size(): MaybePromise<number>;
}

export function isSized(storage: Storage): storage is SizedStorage {
  return typeof (storage as Partial<SizedStorage>).size === 'function';
}
