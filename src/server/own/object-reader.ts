/**
 * Reads objects of one of the server's own stores, one at a time, for kinds of which a server holds too many to keep them all parsed. Invariant: what is read is as fresh
 * as a get without options, and an object that did not change is parsed once.
 */
import type { Status } from '../../apimachinery/status/status.ts';
import { statusOf } from '../../apimachinery/status/status.ts';
import type { Clock } from '../../base/clock.ts';
import { BugError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ResourceStore } from '../resource/resource-store.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { ownContext } from './own-context.ts';

/** The object, shared and not to be changed, or why there is none. */
export type ObjectAnswer = { readonly object: JsonObject } | { readonly status: Status };

export type ObjectReader = (namespace: string, name: string) => MaybePromise<ObjectAnswer>;

const CURRENT = { resourceVersion: '' };

/** Reads through the store's get; what is thrown there is an answer if it is a Status. */
export function createObjectReader(store: ResourceStore, version: VersionDefinition, clock: Clock): ObjectReader {
  // Keyed by the bytes that the cache hands out: they are the same as long as the object is.
  const parsed = new WeakMap<Uint8Array, JsonObject>();
  const parse = (bytes: Uint8Array): ObjectAnswer => {
    let object = parsed.get(bytes);
    if (object === undefined) {
      const read = readJson(bytes);
      if (!read.ok || !isJsonObject(read.value)) throw new BugError(`a store answered with no ${version.kind}`);
      object = read.value;
      parsed.set(bytes, object);
    }
    return { object };
  };
  return (namespace, name) => {
    try {
      const bytes = store.get?.(ownContext(clock, 'get', { version, namespace, name }), CURRENT);
      if (bytes === undefined) throw new BugError(`${version.kind} cannot be read`);
      return isPromise(bytes) ? bytes.then(parse, refused) : parse(bytes);
    } catch (error) {
      return refused(error);
    }
  };
}

function refused(error: unknown): ObjectAnswer {
  const status = statusOf(error);
  if (status === undefined) throw error;
  return { status };
}
