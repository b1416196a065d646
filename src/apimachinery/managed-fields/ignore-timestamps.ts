/** Writes that would change nothing but timestamps of managedFields. */
import { equalJson, getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { metadataOf } from '../meta/meta.ts';
import { managedFieldsOf } from './object-managed-fields.ts';

/**
 * Gives `next` the managedFields of `live` if the two objects differ in nothing but the times of managedFields entries,
 * so that the write is a no-op. Called after validation, with both objects in one version. Changes `next` in place;
 * returns whether it did.
 */
export function ignoreManagedFieldsTimestamps(next: JsonObject, live: JsonObject): boolean {
  const [entries, before] = [managedFieldsOf(next), managedFieldsOf(live)];
  if (entries === before || !Array.isArray(entries) || !Array.isArray(before)) return false;
  if (entries.length === 0 || entries.length !== before.length) return false;
  if (!entries.some((entry, i) => timeOf(entry) !== timeOf(before[i] as JsonValue))) return false;
  if (!entries.every((entry, i) => equalWithout(entry, before[i] as JsonValue, 'time'))) return false;
  const [metadata, liveMetadata] = [metadataOf(next) as JsonObject, metadataOf(live) as JsonObject];
  if (!equalWithout(next, live, 'metadata') || !equalWithout(metadata, liveMetadata, 'managedFields')) return false;
  metadata['managedFields'] = before;
  return true;
}

function timeOf(entry: JsonValue): JsonValue | undefined {
  return isJsonObject(entry) ? getField(entry, 'time') : undefined;
}

/** Deep equality of two objects, one field aside. */
function equalWithout(a: JsonValue, b: JsonValue, ignored: string): boolean {
  if (a === b) return true;
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  let count = 0;
  for (const key in a) {
    if (key === ignored) continue;
    count++;
    const other = getField(b, key);
    if (other === undefined || !equalJson(a[key] as JsonValue, other)) return false;
  }
  for (const key in b) if (key !== ignored) count--;
  return count === 0;
}
