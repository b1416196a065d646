/**
 * PartialObjectMetadata: objects reduced to their metadata, for clients that cache many of them. The metadata is shared
 * with the object, not copied.
 */
import { metadataOf } from '../../../apimachinery/meta/meta.ts';
import type { JsonObject } from '../../../base/json-value.ts';

/** `apiVersion` is the negotiated one: `meta.k8s.io/v1`. */
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
