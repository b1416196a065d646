/** The object before a create, for built-in kinds. */
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { normalizeTyped } from '../codec/typed-normalize.ts';
import { formatGroupVersion, formatGvk, type GroupVersionKind } from '../meta/gvk.ts';
import type { StructView } from '../type-view.ts';

/**
 * The zero value of a kind in the form in which Go writes it: structs that are always written are there and empty. The
 * reference compares a create with this object, so that `metadata` and `spec` themselves get no owner.
 */
export function newObjectOf(view: StructView, gvk: GroupVersionKind): JsonObject {
  const normalized = normalizeTyped({ apiVersion: formatGroupVersion(gvk), kind: gvk.kind }, view);
  if (!normalized.ok) throw new BugError(`${formatGvk(gvk)} has no zero value: ${normalized.message}`);
  return normalized.object;
}
