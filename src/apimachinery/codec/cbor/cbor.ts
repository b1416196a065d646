/**
 * The CBOR encoder, equal to the reference's for generic objects: strings as byte strings, floats in the shortest
 * width, keys in the order of RFC 8949 section 4.2.1, a self-described tag in front. Invariant: a JSON value survives
 * encoding and decoding, and equal values give equal bytes. The cbor-x package supports neither byte strings for text,
 * 16-bit floats nor the refusal of duplicate keys, so it is not used.
 */
import { encodeUtf8 } from '../../../base/bytes.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../../base/json-value.ts';
import { CborSink } from './cbor-sink.ts';

/** The tag 55799, which marks bytes as CBOR. */
export const CBOR_PREFIX: Uint8Array = new Uint8Array([0xd9, 0xd9, 0xf7]);

export interface CborEncodeOptions {
  /** Whether the bytes begin with CBOR_PREFIX, as in everything the reference serves. Default true. */
  readonly selfDescribed?: boolean;
}

interface Frame {
  readonly source: JsonArray | JsonObject;
  /** The encoded keys with their names, in order; undefined for an array. */
  readonly keys: readonly (readonly [Uint8Array, string])[] | undefined;
  readonly size: number;
  next: number;
}

/**
 * The bytes of a value. Safe integers become integers, other numbers floats. A float that is not finite becomes null,
 * as in JSON; no reader returns one.
 */
export function encodeCbor(value: JsonValue, options: CborEncodeOptions = {}): Uint8Array {
  const sink = new CborSink();
  if (options.selfDescribed !== false) sink.bytes(CBOR_PREFIX);
  const frames: Frame[] = [];
  encodeItem(sink, value, frames);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.next === frame.size) {
      frames.pop();
      continue;
    }
    const at = frame.next++;
    if (frame.keys === undefined) encodeItem(sink, (frame.source as JsonArray)[at] as JsonValue, frames);
    else {
      const [bytes, name] = frame.keys[at] as readonly [Uint8Array, string];
      sink.head(2, bytes.byteLength);
      sink.bytes(bytes);
      encodeItem(sink, (frame.source as JsonObject)[name] as JsonValue, frames);
    }
  }
  return sink.finish();
}

function encodeItem(sink: CborSink, value: JsonValue, frames: Frame[]): void {
  switch (typeof value) {
    case 'boolean':
      sink.byte(value ? 0xf5 : 0xf4);
      return;
    case 'string': {
      const text = encodeUtf8(value);
      sink.head(2, text.byteLength);
      sink.bytes(text);
      return;
    }
    case 'number':
      if (Number.isSafeInteger(value)) sink.integer(value);
      else if (Number.isFinite(value)) sink.float(value);
      else sink.byte(0xf6);
      return;
    case 'bigint':
      sink.integer(value);
      return;
    default:
      if (value === null) sink.byte(0xf6);
      else if (Array.isArray(value)) {
        sink.head(4, value.length);
        frames.push({ source: value, keys: undefined, size: value.length, next: 0 });
      } else {
        const keys = sortedKeys(value);
        sink.head(5, keys.length);
        frames.push({ source: value, keys, size: keys.length, next: 0 });
      }
  }
}

/** Byte order of the encoded keys. The length comes first, so shorter keys come first. */
function sortedKeys(object: JsonObject): [Uint8Array, string][] {
  const keys: [Uint8Array, string][] = [];
  for (const name of Object.keys(object)) if (object[name] !== undefined) keys.push([encodeUtf8(name), name]);
  return keys.sort(([a], [b]) => {
    if (a.byteLength !== b.byteLength) return a.byteLength - b.byteLength;
    for (let i = 0; i < a.byteLength; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
    return 0;
  });
}
