/** What is wrong with bytes that must be a JSON object. Invariant: the text is that of the reference's decoder and shows at most one character of the bytes. */
import { cannotUnmarshal } from '../../apimachinery/go-json.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject } from '../../base/json-value.ts';

/** Undefined if it is an object, or null. */
export function jsonObjectProblem(bytes: Uint8Array): string | undefined {
  const read = readJson(bytes);
  if (!read.ok) return read.error.message;
  if (read.value === null || isJsonObject(read.value)) return undefined;
  return cannotUnmarshal(read.value, 'Go value of type map[string]interface {}');
}
