/** Counts the keys below a prefix of a storage. */
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { StorageError } from '../../storage/errors.ts';
import type { Storage } from '../../storage/storage.ts';

/** Throws, or rejects with, a StorageError. */
export function countKeys(storage: Storage, prefix: string): MaybePromise<number> {
  return andThen(storage.list({ prefix }, { countOnly: true }), (result) => {
    if (result.outcome === 'ok') return result.remaining;
    throw new StorageError('Unavailable', `keys cannot be counted: ${result.outcome}`);
  });
}
