/**
 * The decoder of protobuf bodies, which typed clients send for built-in kinds. It returns the JSON value of the object,
 * or the reference's message.
 */

import { formatGroupVersion, parseGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { decodeMessage } from '../../../apimachinery/protobuf/decode.ts';
import {
  decodeEnvelope,
  ENVELOPE_PREFIX,
  type Envelope,
  hasEnvelopePrefix,
} from '../../../apimachinery/protobuf/envelope.ts';
import type { StructView } from '../../../apimachinery/type-view.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';

export type ReadProtobuf =
  /** `broken` is the error of the object's own message. `value` then has only the type fields. */
  | { readonly ok: true; readonly value: JsonObject; readonly broken: string | undefined }
  | { readonly ok: false; readonly message: string };

/** Decodes an object of the version's kind. Of an object of another kind only the type fields are returned. */
export function readProtobuf(bytes: Uint8Array, version: VersionDefinition): ReadProtobuf {
  const opened = openEnvelope(bytes);
  if ('message' in opened) return { ok: false, message: opened.message };
  const { kind, raw } = opened.envelope;
  // A malformed apiVersion counts as absent.
  const apiVersion = parseGroupVersion(opened.envelope.apiVersion).ok ? opened.envelope.apiVersion : '';
  const typeFields: JsonObject = { kind, apiVersion };
  const isForeign =
    (kind !== '' && kind !== version.kind) || (apiVersion !== '' && apiVersion !== formatGroupVersion(version));
  if (isForeign) return { ok: true, value: typeFields, broken: undefined };
  const decoded = decodeMessage(version.type(), raw);
  if (!decoded.ok) return { ok: true, value: typeFields, broken: decoded.error.message };
  return { ok: true, value: { ...decoded.value, ...typeFields }, broken: undefined };
}

/** Decodes a message of one type in its envelope. The kind in the envelope is ignored. */
export function readProtobufMessage(bytes: Uint8Array, view: StructView): ReadProtobuf {
  const opened = openEnvelope(bytes);
  if ('message' in opened) return { ok: false, message: opened.message };
  const { kind, apiVersion, raw } = opened.envelope;
  const decoded = decodeMessage(view, raw);
  if (!decoded.ok) return { ok: false, message: decoded.error.message };
  return { ok: true, value: { ...decoded.value, kind, apiVersion }, broken: undefined };
}

/** Encoding and content type of the envelope are ignored: the content must be a message. */
function openEnvelope(bytes: Uint8Array): { readonly envelope: Envelope } | { readonly message: string } {
  if (bytes.length === 0) return { message: 'empty data' };
  if (!hasEnvelopePrefix(bytes))
    return {
      message: `provided data does not appear to be a protobuf message, expected prefix [${ENVELOPE_PREFIX.join(' ')}]`,
    };
  if (bytes.length === ENVELOPE_PREFIX.length) return { message: 'empty body' };
  const decoded = decodeEnvelope(bytes);
  if (!decoded.ok) return { message: decoded.error.message };
  return decoded;
}
