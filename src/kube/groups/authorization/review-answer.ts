/** What the review kinds share. Invariant: a review is answered with the object that was asked, its status filled in; nothing is stored. */

import { formatGroupVersion, type GroupVersionKind } from '../../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { writeJsonBytes } from '../../../base/json-write.ts';
import type { WriteAnswer } from '../../../server/resource/resource-store.ts';

/** The answer to a create; the type fields come first whatever the object has. */
export function reviewAnswer(kind: GroupVersionKind, object: JsonObject): WriteAnswer {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  const bytes = writeJsonBytes({ kind: kind.kind, apiVersion: formatGroupVersion(kind), ...rest });
  return { bytes, created: true };
}
