/**
 * Reads single objects of a stored resource for the server's own use. It serves kinds with too many objects to keep all
 * of them parsed, as a lister does.
 */
import type { Status } from '../../apimachinery/status/status.ts';
import { statusOf } from '../../apimachinery/status/status.ts';
import { BugError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { RegistryStore } from '../registry/store.ts';
import type { RegistryHost } from '../resource/registry-host.ts';
import type { StoredDefinition } from '../resource/resource-definition.ts';
import { ownContext } from './own-context.ts';

/** The object, shared and read-only, or the Status that the store refused the read with. */
export type ObjectAnswer = { readonly object: JsonObject } | { readonly status: Status };

/**
 * Reads the object in its storage version, as fresh as a get without a resourceVersion. Answers without a promise when
 * the cache is as new as the storage. Throws, or rejects with, errors that are not a Status.
 */
export type ObjectReader = (namespace: string, name: string) => MaybePromise<ObjectAnswer>;

/** The parts of a StoredResource that a reader needs. */
export interface ReadableResource {
  readonly definition: Pick<StoredDefinition, 'storageVersion'>;
  readonly registry: Pick<RegistryStore, 'get'>;
  readonly host: Pick<RegistryHost, 'clock'>;
}

const CURRENT = { resourceVersion: '' };

/** Returns a reader over the registry store. It parses an object once per write, as long as the bytes are in memory. */
export function createObjectReader({ definition, registry, host }: ReadableResource): ObjectReader {
  const { storageVersion: version } = definition;
  // The cache hands out the same bytes until the object changes.
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
      const bytes = registry.get(ownContext(host.clock, 'get', { version, namespace, name }), CURRENT);
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
