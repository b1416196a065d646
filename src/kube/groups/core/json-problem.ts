/** Checks that bytes are a JSON object. Invariant: a message contains at most one character of the bytes. */
import { cannotUnmarshal } from '../../../apimachinery/go-json.ts';
import { readJson } from '../../../base/json-read.ts';
import { isJsonObject } from '../../../base/json-value.ts';

/** The message of Go's decoder for bytes that do not decode into a map. Undefined for an object and for null. */
export function jsonObjectProblem(bytes: Uint8Array): string | undefined {
  const read = readJson(bytes);
  if (!read.ok) return read.error.message;
  if (read.value === null || isJsonObject(read.value)) return undefined;
  return cannotUnmarshal(read.value, 'Go value of type map[string]interface {}');
}
