/**
 * Transcodes the protobuf of a stored object to the JSON bytes that stores expect, without making a JavaScript object.
 * A cache that loads from etcd, and events of other servers, spend most of their time here.
 *
 * Invariant: the result equals `encodeStored` of the decoded object, or is undefined. The transcoder supports messages
 * as kube-apiserver writes them. For other messages (repeated fields that are not adjacent, packed numbers, map keys
 * that are integers or not sorted, wrapped lists) the result is undefined, and the caller decodes the object.
 */
import { isEmptyScalar, readScalar, wireTypeOf, zeroScalar } from '../../apimachinery/protobuf/decode-scalar.ts';
import { hasEnvelopePrefix } from '../../apimachinery/protobuf/envelope.ts';
import { MessageCursor } from '../../apimachinery/protobuf/message-cursor.ts';
import {
  isDropped,
  isDroppedIfAbsent,
  isDroppedIfZero,
  type Written,
} from '../../apimachinery/protobuf/omitted-fields.ts';
import { type FieldPlan, type MessagePlan, planOf, type StructPlan } from '../../apimachinery/protobuf/plan.ts';
import { BYTES, WireReader } from '../../apimachinery/protobuf/wire.ts';
import type { AnyView, MapView, ScalarType, StructView, TypeView } from '../../apimachinery/type-view.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { JsonBytesWriter } from '../../base/json-bytes-writer.ts';
import { EnvelopeHeads, type TypeToTranscode } from './envelope-heads.ts';
import { SharedTexts, SharedTimes } from './shared-texts.ts';

/** Messages that nest deeper are decoded instead. */
const MAX_DEPTH = 50;

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const NULL = encodeUtf8('null');
const TRUE = encodeUtf8('true');
const FALSE = encodeUtf8('false');

/** The tags of a map entry: its key, and its value without the wire type. */
const KEY_TAG = (1 << 3) | BYTES;
const VALUE_NUMBER = 2;

/** The empty content encoding and content type after the message. */
const NO_CONTENT_TYPE = Uint8Array.of(0x1a, 0, 0x22, 0);
const NOTHING = new MessageCursor(NULL);

/** Fields of metadata that are never stored. */
const UNSTORED: ReadonlySet<string> = new Set(['resourceVersion', 'selfLink']);

/** One transcoder serves all values, one after the other. */
export class StoredTranscoder {
  readonly #writer = new JsonBytesWriter();
  readonly #texts = new SharedTexts();
  readonly #times = new SharedTimes();
  readonly #heads = new EnvelopeHeads();
  /** Created when a value first needs it. */
  #reader: WireReader | undefined;
  #cursor = NOTHING;
  /** The start and the end of each field of the open messages; -1 if the field is absent. */
  #spans = new Int32Array(1024);
  /** The end of the part of `#spans` that is in use. */
  #top = 0;

  /**
   * Returns the JSON bytes of an object in an envelope. Undefined: the object has to be decoded, which also reports
   * malformed bytes.
   */
  transcode(stored: Uint8Array, typeOf: TypeToTranscode): Uint8Array | undefined {
    const head = this.#heads.of(stored, typeOf);
    if (head === undefined) return undefined;
    const cursor = new MessageCursor(stored);
    this.#cursor = cursor;
    cursor.pos = head.stored.length;
    const end = cursor.length(stored.length);
    if (end < 0 || !endsWith(stored, end, NO_CONTENT_TYPE)) return undefined;
    const writer = this.#writer;
    writer.clear();
    this.#top = 0;
    writer.raw(head.json);
    this.#fields(head.plan, end, { depth: 0, isFirst: false, isMetadata: false });
    writer.byte(CLOSE_BRACE);
    const isComplete = !cursor.isRefused && this.#reader?.error === undefined;
    this.#cursor = NOTHING;
    this.#reader = undefined;
    return isComplete ? writer.finish() : undefined;
  }

  /** Writes the fields of the message that ends at `to`, in the order of the JSON encoding. */
  #fields(
    plan: StructPlan,
    to: number,
    { depth, isFirst, isMetadata }: { depth: number; isFirst: boolean; isMetadata: boolean },
  ): void {
    const { fields } = plan;
    const base = this.#top;
    this.#top = base + fields.length * 2;
    if (this.#top > this.#spans.length) this.#growSpans();
    this.#spans.fill(-1, base, this.#top);
    if (depth > MAX_DEPTH) this.#cursor.refuse();
    else this.#scan(plan.message, to, base);
    const names = namesOf(plan);
    const writer = this.#writer;
    const { bytes } = this.#cursor;
    let isNext = !isFirst;
    for (let slot = 0; slot < fields.length && !this.#cursor.isRefused; slot++) {
      const field = fields[slot] as FieldPlan;
      const from = this.#spans[base + slot * 2] as number;
      // A fast path: most fields are left out, because they are absent or a zero in one byte.
      if (from < 0 ? isDroppedIfAbsent(field) : bytes[from] === 0 && isDroppedIfZero(field)) continue;
      if (isMetadata && UNSTORED.has(field.name)) continue;
      const mark = writer.length;
      writer.raw(names[slot] as Uint8Array, isNext ? 0 : 1);
      let isKept: boolean;
      if (from < 0) isKept = this.#absent(field, isMetadata, depth);
      else {
        this.#cursor.pos = from;
        isKept = this.#present(field, this.#spans[base + slot * 2 + 1] as number, isMetadata, depth);
      }
      if (isKept) isNext = true;
      else writer.length = mark;
    }
    this.#top = base;
    this.#cursor.pos = to;
  }

  /** Finds the fields of a message. The span of a list or a map begins with its first tag, others after the tag. */
  #scan(message: MessagePlan, to: number, base: number): void {
    const spans = this.#spans;
    while (this.#cursor.pos < to) {
      const tagAt = this.#cursor.pos;
      const tag = this.#cursor.small(to);
      const wireType = tag & 7;
      const node = message.byNumber.get(tag >>> 3);
      if (node === undefined) {
        if (tag < 8) this.#cursor.refuse();
        else this.#cursor.skip(wireType, to);
      } else if (node.kind === 'inline') {
        const end = wireType === BYTES ? this.#cursor.length(to) : -1;
        if (end < 0) this.#cursor.refuse();
        else this.#scan(node.message, end, base);
      } else {
        const { type, slot, wrapped } = node.field;
        const at = base + slot * 2;
        if (type.kind !== 'list' && type.kind !== 'map') {
          // Only the decoder can merge a field that occurs twice.
          if (spans[at] !== -1 || wireType !== wireTypeFor(type)) this.#cursor.refuse();
          spans[at] = this.#cursor.pos;
        } else if (wrapped) this.#cursor.refuse();
        else if (spans[at] === -1) spans[at] = tagAt;
        else if (spans[at + 1] !== tagAt) this.#cursor.refuse();
        this.#cursor.skip(wireType, to);
        spans[at + 1] = this.#cursor.pos;
      }
    }
    if (this.#cursor.pos !== to) this.#cursor.refuse();
  }

  /** Writes a field that is on the wire. Returns false if `omitempty` drops it, or if nulls are dropped. */
  #present(field: FieldPlan, to: number, isMetadata: boolean, depth: number): boolean {
    const { type } = field;
    switch (type.kind) {
      case 'list':
        this.#list(type.items, to, depth);
        return true;
      case 'map':
        this.#map(type, to, depth);
        return true;
      case 'struct': {
        const isNestedMetadata = depth === 0 && field.name === 'metadata';
        this.#struct(type, this.#cursor.length(to), { depth: depth + 1, isMetadata: isNestedMetadata });
        return true;
      }
      default: {
        const written = type.kind === 'scalar' ? this.#scalar(type.scalar, to) : this.#any(type, to);
        if (written === 'null' && isMetadata) return false;
        return field.pointer || !isDropped(field, written);
      }
    }
  }

  /** Writes a field that is not on the wire: it is nil or has its zero value. Returns false if it is left out. */
  #absent(field: FieldPlan, isMetadata: boolean, depth: number): boolean {
    const { type } = field;
    const writer = this.#writer;
    if (field.pointer || type.kind === 'list' || type.kind === 'map') {
      if (field.omitEmpty || isMetadata) return false;
      writer.raw(NULL);
      return true;
    }
    if (type.kind === 'struct') {
      this.#cursor.pos = 0;
      const isNestedMetadata = depth === 0 && field.name === 'metadata';
      this.#struct(type, 0, { depth: depth + 1, isMetadata: isNestedMetadata });
      return true;
    }
    if (type.kind === 'any') {
      if (type.message !== undefined) this.#cursor.refuse();
      if (isDropped(field, 'null') || isMetadata) return false;
      writer.raw(NULL);
      return true;
    }
    if (type.scalar === 'bytes' && field.omitEmpty) return false;
    const zero = zeroScalar(type.scalar);
    const written = zero === null ? 'null' : isEmptyScalar(type.scalar, zero) ? 'empty' : 'value';
    if ((written === 'null' && isMetadata) || isDropped(field, written)) return false;
    writer.value(zero);
    return true;
  }

  #struct(view: StructView, to: number, { depth, isMetadata }: { depth: number; isMetadata: boolean }): void {
    if (to < 0) return;
    this.#writer.byte(OPEN_BRACE);
    this.#fields(planOf(view), to, { depth, isFirst: true, isMetadata });
    this.#writer.byte(CLOSE_BRACE);
  }

  /** Writes a value after its tag, in a list or a map. */
  #value(type: TypeView, wireType: number, to: number, depth: number): void {
    if (type.kind === 'list' || type.kind === 'map' || wireType !== wireTypeFor(type)) this.#cursor.refuse();
    else if (type.kind === 'scalar') this.#scalar(type.scalar, to);
    else if (type.kind === 'any') this.#any(type, to);
    else this.#struct(type, this.#cursor.length(to), { depth: depth + 1, isMetadata: false });
  }

  #list(items: TypeView, to: number, depth: number): void {
    const writer = this.#writer;
    writer.byte(OPEN_BRACKET);
    for (let isFirst = true; this.#cursor.pos < to; isFirst = false) {
      if (!isFirst) writer.byte(COMMA);
      this.#value(items, this.#cursor.small(to) & 7, to, depth);
    }
    writer.byte(CLOSE_BRACKET);
  }

  #map({ values }: MapView, to: number, depth: number): void {
    const writer = this.#writer;
    writer.byte(OPEN_BRACE);
    let lastFrom = 0;
    let lastTo = -1;
    while (this.#cursor.pos < to) {
      this.#cursor.small(to);
      const end = this.#cursor.length(to);
      const keyTo = this.#cursor.small(end) === KEY_TAG ? this.#cursor.length(end) : -1;
      const keyFrom = this.#cursor.pos;
      if (keyTo < 0 || !this.#isNextKey(keyFrom, keyTo, lastFrom, lastTo)) {
        this.#cursor.refuse();
        return;
      }
      if (lastTo >= 0) writer.byte(COMMA);
      this.#text(keyFrom, keyTo);
      writer.byte(COLON);
      this.#cursor.pos = keyTo;
      const tag = this.#cursor.small(end);
      if (tag >>> 3 === VALUE_NUMBER) this.#value(values, tag & 7, end, depth + 1);
      else this.#cursor.refuse();
      if (this.#cursor.pos !== end) this.#cursor.refuse();
      lastFrom = keyFrom;
      lastTo = keyTo;
    }
    writer.byte(CLOSE_BRACE);
  }

  /**
   * Whether a map key is above the last one in the order of bytes. Integer keys are refused, because JavaScript sorts
   * them before other keys.
   */
  #isNextKey(from: number, to: number, lastFrom: number, lastTo: number): boolean {
    const bytes = this.#cursor.bytes;
    let at = from;
    while (at < to && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at++;
    if (at === to && to > from) return false;
    if (lastTo < 0) return true;
    for (let i = 0; ; i++) {
      if (from + i === to) return false;
      if (lastFrom + i === lastTo) return true;
      const difference = (bytes[from + i] as number) - (bytes[lastFrom + i] as number);
      if (difference !== 0) return difference > 0;
    }
  }

  #scalar(scalar: ScalarType, to: number): Written {
    const writer = this.#writer;
    const start = this.#cursor.pos;
    switch (scalar) {
      case 'string': {
        const end = this.#cursor.length(to);
        if (end < 0) return 'value';
        const from = this.#cursor.pos;
        this.#text(from, end);
        this.#cursor.pos = end;
        return from === end ? 'empty' : 'value';
      }
      case 'boolean': {
        const value = this.#cursor.small(to);
        writer.raw(value === 0 ? FALSE : TRUE);
        return value === 0 ? 'empty' : 'value';
      }
      case 'int32':
      case 'int64':
      case 'uint32':
      case 'uint64': {
        // A fast path for integers of one byte, which most are.
        const value = this.#cursor.bytes[start] as number;
        if (start < to && value < 0x80) {
          this.#cursor.pos = start + 1;
          writer.integer(value);
          return value === 0 ? 'empty' : 'value';
        }
      }
    }
    const known = scalar === 'time' ? this.#times.find(this.#cursor.bytes, start, to) : undefined;
    if (known !== undefined) {
      this.#cursor.pos = to;
      writer.raw(known);
      return 'value';
    }
    const reader = this.#readerAt(start);
    reader.wireType = wireTypeOf(scalar);
    const value = readScalar(reader, scalar, to);
    this.#cursor.pos = reader.pos;
    if (reader.error !== undefined) this.#cursor.refuse();
    const mark = writer.length;
    writer.value(value);
    if (scalar === 'time' && value !== null && reader.pos === to)
      this.#times.add(this.#cursor.bytes.subarray(start, to), writer.copyFrom(mark));
    if (value === null) return 'null';
    return isEmptyScalar(scalar, value) ? 'empty' : 'value';
  }

  /** Writes a string. */
  #text(from: number, to: number): void {
    if (this.#writer.plainString(this.#cursor.bytes, from, to)) return;
    this.#writer.value(this.#readerAt(from).takeText(to));
  }

  #readerAt(pos: number): WireReader {
    this.#reader ??= new WireReader(this.#cursor.bytes);
    this.#reader.pos = pos;
    return this.#reader;
  }

  /** Writes a raw JSON value: a message with the text in field 1. */
  #any(type: AnyView, to: number): Written {
    const end = type.message === undefined ? this.#cursor.length(to) : -1;
    if (end < 0) {
      this.#cursor.refuse();
      return 'value';
    }
    if (this.#cursor.pos === end) {
      this.#writer.raw(NULL);
      return 'null';
    }
    const textEnd = this.#cursor.small(end) === KEY_TAG ? this.#cursor.length(end) : -1;
    const raw = this.#cursor.bytes.subarray(this.#cursor.pos, Math.max(this.#cursor.pos, textEnd));
    const text = textEnd !== end || raw.length === 0 || hasEnvelopePrefix(raw) ? undefined : this.#texts.canonical(raw);
    if (text === undefined) {
      this.#cursor.refuse();
      return 'value';
    }
    this.#cursor.pos = end;
    this.#writer.raw(text);
    return text.length === NULL.length && text[0] === NULL[0] ? 'null' : 'value';
  }

  #growSpans(): void {
    const grown = new Int32Array(this.#top * 2);
    grown.set(this.#spans);
    this.#spans = grown;
  }
}

function endsWith(bytes: Uint8Array, from: number, tail: Uint8Array): boolean {
  if (bytes.length - from !== tail.length) return false;
  for (let i = 0; i < tail.length; i++) if (bytes[from + i] !== tail[i]) return false;
  return true;
}

function wireTypeFor(type: TypeView): number {
  return type.kind === 'scalar' ? wireTypeOf(type.scalar) : BYTES;
}

const names = new WeakMap<StructPlan, readonly Uint8Array[]>();

/** Returns the JSON bytes before the value of each field: a comma, the name and a colon. */
function namesOf(plan: StructPlan): readonly Uint8Array[] {
  let found = names.get(plan);
  if (found === undefined) {
    found = plan.fields.map(({ name }) => encodeUtf8(`,${JSON.stringify(name)}:`));
    names.set(plan, found);
  }
  return found;
}
