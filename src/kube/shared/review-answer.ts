/** The answer of the review kinds. */

import { formatGroupVersion, type GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJsonBytes } from '../../base/json-write.ts';
import type { WriteAnswer } from '../../server/resource/resource-store.ts';

/** Returns the answer to a create of a review: `object` with its type fields first. Nothing is stored. */
export function reviewAnswer(kind: GroupVersionKind, object: JsonObject): WriteAnswer {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  const bytes = writeJsonBytes({ kind: kind.kind, apiVersion: formatGroupVersion(kind), ...rest });
  return { bytes, created: true };
}
