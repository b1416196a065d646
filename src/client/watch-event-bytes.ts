/**
 * Decodes the bytes of one watch event. If the event has the form in which Go prints it,
 * `{"type":"ADDED","object":{...}}`, the bytes of the object are passed to a decoder without parsing the event.
 */
import { decodeWatchEvent, type WatchEvent, type WatchEventType } from '../apimachinery/watch/watch-event.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { TransportError } from '../base/errors.ts';
import { readJson } from '../base/json-read.ts';
import { isJsonObject } from '../base/json-value.ts';
import { writeJsonBytes } from '../base/json-write.ts';
import type { ObjectDecoder } from './decode-object.ts';

interface Prefix {
  readonly type: WatchEventType;
  readonly bytes: Uint8Array;
}

const PREFIXES: readonly Prefix[] = (['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const).map((type) => ({
  type,
  bytes: encodeUtf8(`{"type":"${type}","object":`),
}));
/** The offset of the first letter of the type. The five types begin with different letters. */
const LETTER = 9;

/** Decodes an event. Throws the errors of the decoder, and TransportError for bytes that are not a watch event. */
export function decodeEvent<T>(frame: Uint8Array, decode: ObjectDecoder<T>): WatchEvent<T> {
  const prefix = prefixOf(frame);
  if (prefix === undefined) return decodeAnyForm(frame, decode);
  const object = frame.subarray(prefix.bytes.byteLength, frame.byteLength - 1);
  try {
    return eventOf(prefix.type, object, decode);
  } catch (caught) {
    // The event may have more fields after the object. If it has none, the first error is the better one.
    const read = readJson(frame);
    if (!read.ok || !isJsonObject(read.value) || Object.keys(read.value).length === 2) throw caught;
    return decodeAnyForm(frame, decode);
  }
}

function eventOf<T>(type: WatchEventType, object: Uint8Array, decode: ObjectDecoder<T>): WatchEvent<T> {
  if (type !== 'BOOKMARK' && type !== 'ERROR') return { type, object: decode(object) };
  const read = readJson(object);
  if (!read.ok) throw malformed(read.error.message);
  if (!isJsonObject(read.value)) throw malformed(`the object of a ${type} event must be an object`);
  return { type, object: read.value };
}

function decodeAnyForm<T>(frame: Uint8Array, decode: ObjectDecoder<T>): WatchEvent<T> {
  const read = readJson(frame);
  if (!read.ok) throw malformed(read.error.message);
  const decoded = decodeWatchEvent(read.value);
  if (!decoded.ok) throw malformed(decoded.error.message);
  return eventOf(decoded.event.type, writeJsonBytes(decoded.event.object), decode);
}

function prefixOf(frame: Uint8Array): Prefix | undefined {
  const letter = frame[LETTER];
  const prefix = PREFIXES.find(({ bytes }) => bytes[LETTER] === letter);
  if (prefix === undefined) return undefined;
  const { bytes } = prefix;
  for (let i = 0; i < bytes.byteLength; i++) if (frame[i] !== bytes[i]) return undefined;
  return prefix;
}

function malformed(message: string): TransportError {
  return new TransportError(message, { retryable: false });
}
