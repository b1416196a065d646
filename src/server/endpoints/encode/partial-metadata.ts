/**
 * Objects as their metadata alone (PartialObjectMetadata), for clients that cache many of them. Invariant: the metadata
 * is taken as it stands and is not copied.
 */
import { metadataOf } from '../../../apimachinery/meta/meta.ts';
import type { JsonObject } from '../../../base/json-value.ts';

/** `apiVersion` is that of the form: `meta.k8s.io/v1`. */
export function partialMetadata(object: JsonObject, apiVersion: string): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: metadataOf(object) ?? {} };
}

/** `metadata` is that of the list. */
export function partialMetadataList(
  objects: readonly JsonObject[],
  apiVersion: string,
  metadata: JsonObject,
): JsonObject {
  const items = objects.map((object) => partialMetadata(object, apiVersion));
  return { kind: 'PartialObjectMetadataList', apiVersion, metadata, items };
}
