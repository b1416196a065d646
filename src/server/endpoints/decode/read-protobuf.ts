/**
 * Bodies in protobuf, which typed clients send for built-in kinds (kubectl's `create` among them). Invariant: what
 * comes out is the JSON value that the same object would have been sent as, or the decoder's words.
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
  /** `broken` says what is wrong with the object's own message; only its type fields are there then. */
  | { readonly ok: true; readonly value: JsonObject; readonly broken: string | undefined }
  | { readonly ok: false; readonly message: string };

/** An object of the version's kind. One of another kind is not decoded: only its type fields come out. */
export function readProtobuf(bytes: Uint8Array, version: VersionDefinition): ReadProtobuf {
  const opened = openEnvelope(bytes);
  if ('message' in opened) return { ok: false, message: opened.message };
  const { kind, raw } = opened.envelope;
  // One that is no group and version counts for nothing.
  const apiVersion = parseGroupVersion(opened.envelope.apiVersion).ok ? opened.envelope.apiVersion : '';
  const typeFields: JsonObject = { kind, apiVersion };
  const isForeign =
    (kind !== '' && kind !== version.kind) || (apiVersion !== '' && apiVersion !== formatGroupVersion(version));
  if (isForeign) return { ok: true, value: typeFields, broken: undefined };
  const decoded = decodeMessage(version.type(), raw);
  if (!decoded.ok) return { ok: true, value: typeFields, broken: decoded.error.message };
  return { ok: true, value: { ...decoded.value, ...typeFields }, broken: undefined };
}

/** A message of one type, in its envelope, whatever that calls it. */
export function readProtobufMessage(bytes: Uint8Array, view: StructView): ReadProtobuf {
  const opened = openEnvelope(bytes);
  if ('message' in opened) return { ok: false, message: opened.message };
  const { kind, apiVersion, raw } = opened.envelope;
  const decoded = decodeMessage(view, raw);
  if (!decoded.ok) return { ok: false, message: decoded.error.message };
  return { ok: true, value: { ...decoded.value, kind, apiVersion }, broken: undefined };
}

/**
 * What the envelope says of the encoding and the type of its content is not looked at: the content is a message, or
 * broken.
 */
function openEnvelope(bytes: Uint8Array): { readonly envelope: Envelope } | { readonly message: string } {
  if (bytes.byteLength === 0) return { message: 'empty data' };
  if (!hasEnvelopePrefix(bytes))
    return {
      message: `provided data does not appear to be a protobuf message, expected prefix [${ENVELOPE_PREFIX.join(' ')}]`,
    };
  if (bytes.byteLength === ENVELOPE_PREFIX.byteLength) return { message: 'empty body' };
  const decoded = decodeEnvelope(bytes);
  if (!decoded.ok) return { message: decoded.error.message };
  return decoded;
}
