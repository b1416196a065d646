/** The lookup of one object in a lister, correct even if other servers write to the same storage. */
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Lister } from './lister.ts';

/**
 * Returns the object, fresh to the last write that this server has answered. An object that the lister does not have
 * may have been created through another server a moment ago, so the lister catches up with the storage before the
 * object counts as missing.
 */
export function findObject(lister: Lister, namespace: string, name: string): MaybePromise<JsonObject | undefined> {
  return andThen(lister.fresh(), () => lister.get(namespace, name) ?? findCurrent(lister, namespace, name));
}

function findCurrent(lister: Lister, namespace: string, name: string): MaybePromise<JsonObject | undefined> {
  return andThen(lister.current?.(), () => lister.get(namespace, name));
}
