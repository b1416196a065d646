/**
 * Metadata checks that endpoints run on a request body before the store sees it. The object belongs to the request and
 * is changed in place. Afterwards its namespace is that of the path.
 */
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest } from '../../apimachinery/status/status-catalogue.ts';
import { equalJson, getField, isJsonObject, type JsonArray, type JsonObject } from '../../base/json-value.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { drop } from '../registry/object-metadata.ts';

/** Returns the metadata of an object. Adds an empty one if it has none. */
export function ownMetadata(object: JsonObject): JsonObject {
  const metadata = getField(object, 'metadata');
  if (isJsonObject(metadata)) return metadata;
  const made: JsonObject = {};
  object['metadata'] = made;
  return made;
}

/** Removes the fields that only the server sets. */
export function wipeSystemFields(metadata: JsonObject): void {
  drop(metadata, 'creationTimestamp');
  drop(metadata, 'uid');
  drop(metadata, 'deletionTimestamp');
  drop(metadata, 'deletionGracePeriodSeconds');
  drop(metadata, 'selfLink');
}

/**
 * Sets the namespace of the path, or throws the 400 for another one. An object of a cluster-scoped resource (`expected`
 * is '') loses its namespace.
 */
export function ensureNamespace(metadata: JsonObject, expected: string): void {
  const given = getField(metadata, 'namespace') ?? '';
  if (given === expected) return;
  if (expected === '') {
    delete metadata['namespace'];
    return;
  }
  if (given !== '')
    throw new StatusError(
      badRequest('the namespace of the provided object does not match the namespace sent on the request'),
    );
  metadata['namespace'] = expected;
}

/** Throws the 400 if the object's name is not that of the path. */
export function checkName(object: JsonObject, name: string): void {
  const metadata = getField(object, 'metadata');
  const given = isJsonObject(metadata) ? getField(metadata, 'name') : undefined;
  if (given === name) return;
  throw new StatusError(
    badRequest(
      typeof given !== 'string' || given === ''
        ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
        : `the name of the object (${given}) does not match the name on the URL (${name})`,
    ),
  );
}

/** Removes owner references that are equal to earlier ones, with a warning. `when` is '' or AFTER_ADMISSION. */
export function dedupOwnerReferences(request: ServerRequest, object: JsonObject, when: string): void {
  const metadata = getField(object, 'metadata');
  const references = isJsonObject(metadata) ? getField(metadata, 'ownerReferences') : undefined;
  if (!Array.isArray(references) || references.length < 2) return;
  const kept: JsonArray = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    if (!kept.some((other) => equalJson(other, reference))) kept.push(reference);
    else duplicates.push(String(isJsonObject(reference) ? (getField(reference, 'uid') ?? '') : ''));
  }
  if (duplicates.length === 0) return;
  (metadata as JsonObject)['ownerReferences'] = kept;
  request.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
}

export const AFTER_ADMISSION = ' after mutating admission happens';
