/**
 * The protobuf envelope of an object: the bytes `k8s\0` and a runtime.Unknown message that names the type and holds the
 * object's message. A decoded envelope has the position of its content, so that errors inside have offsets of the whole
 * input.
 */
import { BYTES, type WireError, WireReader, WireWriter } from './wire.ts';

/** `k8s` and a zero byte, the only encoding style. */
export const ENVELOPE_PREFIX: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The object's message. Not copied by the decoder. */
  readonly raw: Uint8Array;
  /** The compression of `raw`. Only '', no compression, is in use. */
  readonly contentEncoding: string;
  /** The media type of `raw`; '' means protobuf. */
  readonly contentType: string;
}

export type DecodedEnvelope =
  | { readonly ok: true; readonly envelope: Envelope; readonly rawOffset: number }
  | { readonly ok: false; readonly error: WireError };

export function hasEnvelopePrefix(bytes: Uint8Array): boolean {
  return ENVELOPE_PREFIX.every((byte, i) => bytes[i] === byte);
}

/** Writes every field, empty or not, as the reference does. */
export function encodeEnvelope(envelope: Envelope): Uint8Array {
  const writer = new WireWriter(Number.MAX_SAFE_INTEGER);
  writeEnvelope(writer, envelope, () => writer.writeBytes(envelope.raw));
  return writer.finish();
}

/** Writes the envelope around the output of `writeRaw`. */
export function writeEnvelope(writer: WireWriter, envelope: Omit<Envelope, 'raw'>, writeRaw: () => void): void {
  writeTextField(writer, 4, envelope.contentType);
  writeTextField(writer, 3, envelope.contentEncoding);
  const raw = writer.size;
  writeRaw();
  writer.closeField(2, raw);
  const typeMeta = writer.size;
  writeTextField(writer, 2, envelope.kind);
  writeTextField(writer, 1, envelope.apiVersion);
  writer.closeField(1, typeMeta);
  writer.writeBytes(ENVELOPE_PREFIX);
}

/**
 * Decodes an envelope that fills `bytes`. Unknown fields are ignored, absent ones are empty. `base` is added to
 * offsets.
 */
export function decodeEnvelope(bytes: Uint8Array, base = 0): DecodedEnvelope {
  if (!hasEnvelopePrefix(bytes)) {
    return { ok: false, error: { message: 'the bytes do not begin with k8s\\0', offset: base } };
  }
  const reader = new WireReader(bytes, ENVELOPE_PREFIX.length, base);
  const typeMeta = { apiVersion: '', kind: '' };
  let raw = bytes.subarray(0, 0);
  let rawOffset = base + bytes.length;
  let contentEncoding = '';
  let contentType = '';
  while (reader.pos < bytes.length && reader.readTag(bytes.length)) {
    if (reader.fieldNumber > 4) {
      reader.skip(bytes.length);
      continue;
    }
    const end = readField(reader, bytes.length);
    if (end < 0) break;
    switch (reader.fieldNumber) {
      case 1:
        readTypeMeta(reader, end, typeMeta);
        break;
      case 2:
        rawOffset = reader.offsetOf(reader.pos);
        raw = reader.takeBytes(end);
        break;
      case 3:
        contentEncoding = reader.takeText(end);
        break;
      default:
        contentType = reader.takeText(end);
    }
  }
  if (reader.error !== undefined) return { ok: false, error: reader.error };
  return { ok: true, envelope: { ...typeMeta, raw, contentEncoding, contentType }, rawOffset };
}

function readTypeMeta(reader: WireReader, end: number, into: { apiVersion: string; kind: string }): void {
  while (reader.pos < end && reader.readTag(end)) {
    const number = reader.fieldNumber;
    if (number > 2) {
      reader.skip(end);
      continue;
    }
    const to = readField(reader, end);
    if (to < 0) return;
    if (number === 1) into.apiVersion = reader.takeText(to);
    else into.kind = reader.takeText(to);
  }
}

function readField(reader: WireReader, end: number): number {
  if (reader.wireType === BYTES) return reader.readLength(end);
  reader.fail(`wire type ${reader.wireType} for field ${reader.fieldNumber} of the envelope`);
  return -1;
}

function writeTextField(writer: WireWriter, fieldNumber: number, text: string): void {
  const mark = writer.size;
  writer.writeText(text);
  writer.closeField(fieldNumber, mark);
}
