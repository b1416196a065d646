/**
 * The decoder of RawExtension and similar types: a message whose field 1 holds JSON, or an object in an envelope of its
 * own. The content is decoded completely, so the result is always a JSON value.
 */
import { readJson } from '../../base/json-read.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { hasEnvelopePrefix } from './envelope.ts';
import { BYTES, type WireError, type WireReader } from './wire.ts';

/** Decodes an object in an envelope. `at` is the position of its bytes in the reader. */
export type DecodeEnveloped = (
  bytes: Uint8Array,
  at: number,
) => { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly error: WireError };

/** Reads the message up to `end`. Returns null if it is empty. After a failure the result is undefined. */
export function readAny(reader: WireReader, end: number, decodeEnveloped: DecodeEnveloped): JsonValue {
  let start = -1;
  let raw: Uint8Array | undefined;
  while (reader.pos < end && reader.readTag(end)) {
    if (reader.fieldNumber !== 1) {
      reader.skip(end);
      continue;
    }
    if (reader.wireType !== BYTES) {
      reader.fail(`wire type ${reader.wireType} where ${BYTES} is expected`);
      return null;
    }
    const to = reader.readLength(end);
    if (to < 0) return null;
    start = reader.pos;
    raw = reader.takeBytes(to);
  }
  if (raw === undefined || raw.length === 0 || reader.error !== undefined) return null;
  if (hasEnvelopePrefix(raw)) {
    const decoded = decodeEnveloped(raw, start);
    if (decoded.ok) return decoded.value;
    reader.failAt(decoded.error);
    return null;
  }
  const parsed = readJson(raw);
  if (parsed.ok) return parsed.value;
  reader.fail(parsed.error.message, start + parsed.error.offset);
  return null;
}
