/** The result of a server-side apply, brought into the form of its type. */
import {
  managedFieldsOf,
  setManagedFields,
  withManagedFields,
} from '../../apimachinery/managed-fields/object-managed-fields.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import type { NormalizeResult, VersionDefinition } from './version-definition.ts';

/**
 * Returns a copy of `applied`, normalized and with defaults. The copy belongs to the caller, except for the entries of
 * managedFields, which are shared with `applied`. Fails if a value does not have its type.
 */
export function normalizeApplied(version: VersionDefinition, applied: JsonObject): NormalizeResult {
  const entries = managedFieldsOf(applied);
  const normalized = version.normalize(cloneJson(withManagedFields(applied, undefined)));
  if (!normalized.ok) return normalized;
  version.setDefaults?.(normalized.object, true);
  if (Array.isArray(entries)) setManagedFields(normalized.object, entries);
  return normalized;
}
