/** Stores that can report the size of their database. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Storage } from './storage.ts';

export interface SizedStorage extends Storage {
  /** The bytes that the database has allocated on its medium. Throws StorageError if the size cannot be read. */
  size(): MaybePromise<number>;
}

export function isSized(storage: Storage): storage is SizedStorage {
  return typeof (storage as Partial<SizedStorage>).size === 'function';
}
