/** The wait for the writes of all servers on a storage. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Lister } from './lister.ts';

/** Resolves when the state of the lister includes every write that any server acknowledged before the call. */
export function catchUp(lister: Lister): MaybePromise<void> {
  return lister.current === undefined ? lister.fresh() : lister.current();
}
