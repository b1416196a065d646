/**
 * Decodes objects in lists and watches.
 * Invariant: a decoded object has `apiVersion`, `kind`, and metadata with a name.
 */
import { formatGroupVersion } from '../apimachinery/meta/gvk.ts';
import { TransportError } from '../base/errors.ts';
import { readJson } from '../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Stored } from './object-types.ts';

/**
 * Decodes the JSON bytes of one object. The bytes belong to a larger buffer: the decoder must not modify or keep them.
 * It throws for bytes that it cannot decode; the request then fails with a TransportError that has the error as cause.
 */
export type ObjectDecoder<T> = (bytes: Uint8Array) => T;

/** Adds missing `apiVersion` and `kind` to a parsed object. Throws TransportError if it has no name. */
export type ObjectCompleter<T> = (value: JsonValue) => T;

/** Returns the decoder of the objects of a kind. Integers that a double would round become bigints. */
export function objectDecoder<T>(kind: Kind<T>): ObjectDecoder<Stored<T>> {
  const complete = objectCompleter(kind);
  return (bytes) => {
    const read = readJson(bytes);
    if (!read.ok) throw malformed(`is not JSON: ${read.error.message}`);
    return complete(read.value);
  };
}

/** Returns the completer of the objects of a kind. Servers omit `apiVersion` and `kind` in the items of lists. */
export function objectCompleter<T>(kind: Kind<T>): ObjectCompleter<Stored<T>> {
  const type = { apiVersion: formatGroupVersion(kind), kind: kind.kind };
  return (value) => {
    if (!isJsonObject(value)) throw malformed('is not an object');
    const metadata = value['metadata'];
    if (!isJsonObject(metadata) || typeof metadata['name'] !== 'string') throw malformed('has no metadata.name');
    return withType(value, type) as unknown as Stored<T>;
  };
}

/** Returns the object with `apiVersion` and `kind`. Existing ones are kept. */
export function withType(object: JsonObject, type: { readonly apiVersion: string; readonly kind: string }): JsonObject {
  if (object['kind'] !== undefined && object['apiVersion'] !== undefined) return object;
  return { apiVersion: type.apiVersion, kind: type.kind, ...object };
}

function malformed(problem: string): TransportError {
  return new TransportError(`an object of the response ${problem}`, { retryable: false });
}
