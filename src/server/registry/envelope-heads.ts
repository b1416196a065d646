/**
 * Reads the heads of protobuf envelopes (runtime.Unknown). A head is everything before the length of the object's
 * message. Objects of one type have equal heads, so the last head is cached.
 */
import { decodeEnvelope, ENVELOPE_PREFIX } from '../../apimachinery/protobuf/envelope.ts';
import { MessageCursor } from '../../apimachinery/protobuf/message-cursor.ts';
import { planOf, type StructPlan } from '../../apimachinery/protobuf/plan.ts';
import { BYTES } from '../../apimachinery/protobuf/wire.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import { copyBytes, encodeUtf8 } from '../../base/bytes.ts';

/** Returns the type of an object by its type fields; undefined if the object must be decoded instead of transcoded. */
export type TypeToTranscode = (typeMeta: {
  readonly apiVersion: string;
  readonly kind: string;
}) => StructView | undefined;

export interface EnvelopeHead {
  readonly typeOf: TypeToTranscode;
  readonly stored: Uint8Array;
  /** The beginning of the object's JSON bytes, with its type fields. */
  readonly json: Uint8Array;
  readonly plan: StructPlan;
}

/** The tag of the message in the envelope. */
const RAW_TAG = (2 << 3) | BYTES;

export class EnvelopeHeads {
  #last: EnvelopeHead | undefined;

  /**
   * Returns the head of a stored value; undefined if the value is not an envelope as kube-apiserver writes it, or if
   * its type is not transcoded.
   */
  of(stored: Uint8Array, typeOf: TypeToTranscode): EnvelopeHead | undefined {
    const last = this.#last;
    if (last !== undefined && last.typeOf === typeOf && startsWith(stored, last.stored)) return last;
    const decoded = decodeEnvelope(stored);
    if (!decoded.ok) return undefined;
    const { kind, apiVersion, raw } = decoded.envelope;
    const view = typeOf({ kind, apiVersion });
    if (view?.field('metadata') === undefined) return undefined;
    // The type fields come first, and the tag of the message after them.
    const size = stored.length;
    const cursor = new MessageCursor(stored);
    cursor.pos = ENVELOPE_PREFIX.length;
    cursor.small(size);
    cursor.pos = Math.max(0, cursor.length(size));
    const isPlain = cursor.small(size) === RAW_TAG;
    const to = cursor.pos;
    if (!isPlain || cursor.length(size) - cursor.pos !== raw.length) return undefined;
    const json = encodeUtf8(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`);
    this.#last = { typeOf, stored: copyBytes(stored.subarray(0, to)), json, plan: planOf(view) };
    return this.#last;
  }
}

function startsWith(bytes: Uint8Array, head: Uint8Array): boolean {
  for (let i = 0; i < head.length; i++) if (bytes[i] !== head[i]) return false;
  return true;
}
