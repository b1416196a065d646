/** The parser for object bytes that stores return. */
import { BugError } from '../../../base/errors.ts';
import { readJson } from '../../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import type { ObjectBytes } from '../../resource/resource-store.ts';

/** Parses the bytes. The value belongs to the caller. Throws BugError for bytes that are not a JSON object. */
export function parseObject(bytes: ObjectBytes): JsonObject {
  const read = readJson(bytes);
  if (read.ok && isJsonObject(read.value)) return read.value;
  throw new BugError('a store handed out bytes that are no JSON object');
}
