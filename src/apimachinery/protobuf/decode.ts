/**
 * The protobuf decoder. The result is the JSON value that Go's encoder prints for the decoded object. Invariant: work
 * and result are bounded by the length of the input. Repeated fields merge as in the reference's generated code,
 * unknown fields are ignored, and an error has the offset of the bad bytes.
 */
import { type JsonArray, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';
import type { MapView, StructView, TypeView } from '../type-view.ts';
import { readAny } from './decode-any.ts';
import { isEmptyScalar, isPackable, readScalar, wireTypeOf, zeroScalar } from './decode-scalar.ts';
import { decodeEnvelope } from './envelope.ts';
import { type FieldPlan, hasBinaryForm, type MessagePlan, planOf, type StructPlan } from './plan.ts';
import { BYTES, type WireError, WireReader } from './wire.ts';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The type of an object by its type fields; undefined if it is unknown. */
export type ResolveType = (typeMeta: TypeMeta) => StructView | undefined;

export interface DecodeOptions {
  /** The deepest nesting of messages. Default 500. */
  readonly maxDepth?: number;
  /**
   * How many JSON values may be created per input byte, above a base of 10,000. It limits inputs that name thousands of
   * empty structs; the reference's encoder needs less than one per byte. Default 16.
   */
  readonly maxValuesPerByte?: number;
  /**
   * Resolves the types of objects that are embedded as protobuf. Default: none is known, and such bytes are refused.
   */
  readonly resolve?: ResolveType;
}

export type DecodeResult =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly error: WireError };

const DEFAULT_MAX_DEPTH = 500;
const DEFAULT_VALUES_PER_BYTE = 16;
const BASE_VALUES = 10_000;

/** Decodes a message without an envelope. The object has no `apiVersion` and no `kind`. */
export function decodeMessage(view: StructView, bytes: Uint8Array, options: DecodeOptions = {}): DecodeResult {
  return decodeAt(view, bytes, { base: 0, depth: 0, budget: budgetOf(bytes, options) }, options);
}

/**
 * Decodes an object in an envelope; `kind` and `apiVersion` come first. An unknown type, and content other than plain
 * protobuf, are errors.
 */
export function decodeObject(bytes: Uint8Array, resolve: ResolveType, options: DecodeOptions = {}): DecodeResult {
  return decodeNested(bytes, { base: 0, depth: 0, budget: budgetOf(bytes, options) }, { ...options, resolve });
}

/** The position of some bytes in the whole input. */
export interface Place {
  readonly base: number;
  readonly depth: number;
  readonly budget: Budget;
}

/** The number of values that may still be created, shared by everything inside one input. */
export interface Budget {
  left: number;
}

/** Decodes an envelope inside other bytes. See `decodeObject`. */
export function decodeNested(bytes: Uint8Array, place: Place, options: DecodeOptions): DecodeResult {
  const decoded = decodeEnvelope(bytes, place.base);
  if (!decoded.ok) return decoded;
  const { envelope, rawOffset } = decoded;
  const view = options.resolve?.(envelope);
  if (view === undefined) {
    return refused(
      `no type is known for ${JSON.stringify(envelope.apiVersion)}, ${JSON.stringify(envelope.kind)}`,
      place.base,
    );
  }
  if (envelope.contentEncoding !== '' || envelope.contentType !== '') {
    return refused('the content of the envelope is not plain protobuf', place.base);
  }
  const message = decodeAt(view, envelope.raw, { ...place, base: rawOffset }, options);
  if (!message.ok) return message;
  const value: JsonObject = {};
  if (envelope.kind !== '') value['kind'] = envelope.kind;
  if (envelope.apiVersion !== '') value['apiVersion'] = envelope.apiVersion;
  return { ok: true, value: Object.assign(value, message.value) };
}

function decodeAt(view: StructView, bytes: Uint8Array, place: Place, options: DecodeOptions): DecodeResult {
  if (!hasBinaryForm(view)) return refused(`${view.name || 'the type'} has no binary form`, place.base);
  const decoder = new Decoder(bytes, place, options);
  const plan = planOf(view);
  const slots: Slots = new Array(plan.fields.length);
  decoder.readMessage(plan.message, slots, bytes.length, place.depth);
  const value = decoder.reader.error === undefined ? decoder.build(plan, slots) : {};
  if (decoder.reader.error !== undefined) return { ok: false, error: decoder.reader.error };
  return { ok: true, value };
}

function budgetOf(bytes: Uint8Array, options: DecodeOptions): Budget {
  return { left: BASE_VALUES + bytes.length * (options.maxValuesPerByte ?? DEFAULT_VALUES_PER_BYTE) };
}

function refused(message: string, offset: number): DecodeResult {
  return { ok: false, error: { message, offset } };
}

/** The values of an open struct by slot. Nested structs may be open too, because a repeated field continues them. */
type Slots = (JsonValue | OpenStruct | undefined)[];

class OpenStruct {
  readonly plan: StructPlan;
  readonly slots: Slots;

  constructor(plan: StructPlan) {
    this.plan = plan;
    this.slots = new Array(plan.fields.length);
  }
}

class Decoder {
  readonly reader: WireReader;
  readonly #budget: Budget;
  readonly #options: DecodeOptions;
  readonly #maxDepth: number;
  readonly #base: number;

  constructor(bytes: Uint8Array, place: Place, options: DecodeOptions) {
    this.reader = new WireReader(bytes, 0, place.base);
    this.#base = place.base;
    this.#budget = place.budget;
    this.#options = options;
    this.#maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  }

  readMessage(message: MessagePlan, slots: Slots, end: number, depth: number): void {
    const { reader } = this;
    if (depth > this.#maxDepth) {
      reader.fail(`nested deeper than ${this.#maxDepth}`);
      return;
    }
    while (reader.pos < end && reader.readTag(end)) {
      const node = message.byNumber.get(reader.fieldNumber);
      if (node === undefined) reader.skip(end);
      else if (node.kind === 'inline') {
        const to = this.#readLength(end);
        // An inlined message is on the same level in JSON but nested on the wire.
        if (to >= 0) this.readMessage(node.message, slots, to, depth + 1);
      } else this.#readField(node.field, slots, end, depth);
    }
  }

  #readLength(end: number): number {
    if (this.reader.wireType === BYTES) return this.reader.readLength(end);
    this.reader.fail(`wire type ${this.reader.wireType} where bytes are expected`);
    return -1;
  }

  #readField(field: FieldPlan, slots: Slots, end: number, depth: number): void {
    const { type, slot } = field;
    if (type.kind === 'list') {
      slots[slot] ??= [];
      const list = slots[slot] as JsonArray;
      if (field.wrapped) this.#readWrapped(type.items, list, end, depth);
      else this.#readItem(type.items, list, end, depth);
    } else if (type.kind === 'map') {
      slots[slot] ??= {};
      this.#readEntry(type, slots[slot] as JsonObject, end, depth);
    } else if (type.kind === 'struct') {
      const to = this.#readLength(end);
      if (to < 0) return;
      slots[slot] ??= new OpenStruct(planOf(type));
      const open = slots[slot] as OpenStruct;
      this.readMessage(open.plan.message, open.slots, to, depth + 1);
    } else slots[slot] = this.#readSingle(type, end, depth);
  }

  /** Reads a value that does not merge with an earlier one. */
  #readSingle(type: TypeView, end: number, depth: number): JsonValue {
    const { reader } = this;
    if (!this.#spend(1)) return null;
    if (type.kind === 'scalar') return readScalar(reader, type.scalar, end);
    const to = this.#readLength(end);
    if (to < 0) return null;
    if (type.kind === 'struct') return this.#readStruct(type, to, depth);
    if (type.kind === 'any') {
      if (type.message !== undefined) {
        const fields = this.#readStruct(type.message.view(), to, depth);
        return reader.error === undefined ? type.message.fromFields(fields) : null;
      }
      const place = { depth: depth + 1, budget: this.#budget };
      return readAny(reader, to, (bytes, at) =>
        decodeNested(bytes, { ...place, base: this.#base + at }, this.#options),
      );
    }
    reader.fail('a value that no message can hold');
    return null;
  }

  #readStruct(view: StructView, end: number, depth: number): JsonObject {
    const plan = planOf(view);
    const slots: Slots = new Array(plan.fields.length);
    this.readMessage(plan.message, slots, end, depth + 1);
    return this.reader.error === undefined ? this.build(plan, slots) : {};
  }

  #readItem(items: TypeView, list: JsonArray, end: number, depth: number): void {
    const { reader } = this;
    if (items.kind === 'list') {
      const inner: JsonArray = [];
      this.#readWrapped(items.items, inner, end, depth + 1);
      list.push(inner);
      return;
    }
    if (items.kind === 'scalar' && isPackable(items.scalar) && reader.wireType === BYTES) {
      const to = reader.readLength(end);
      while (reader.pos < to) {
        reader.wireType = wireTypeOf(items.scalar);
        list.push(this.#readSingle(items, to, depth));
      }
      return;
    }
    list.push(this.#readSingle(items, end, depth));
  }

  #readWrapped(items: TypeView, list: JsonArray, end: number, depth: number): void {
    const { reader } = this;
    const to = this.#readLength(end);
    if (depth > this.#maxDepth) reader.fail(`nested deeper than ${this.#maxDepth}`);
    while (reader.pos < to && reader.readTag(to)) {
      if (reader.fieldNumber === 1) this.#readItem(items, list, to, depth);
      else reader.skip(to);
    }
  }

  #readEntry(type: MapView, map: JsonObject, end: number, depth: number): void {
    const { reader } = this;
    const to = this.#readLength(end);
    let key = '';
    let value: JsonValue | undefined;
    while (reader.pos < to && reader.readTag(to)) {
      if (reader.fieldNumber === 1) {
        const keyEnd = this.#readLength(to);
        if (keyEnd >= 0) key = reader.takeText(keyEnd);
      } else if (reader.fieldNumber === 2) {
        if (type.values.kind === 'list') {
          const list: JsonArray = [];
          this.#readWrapped(type.values.items, list, to, depth + 1);
          value = list;
        } else value = this.#readSingle(type.values, to, depth + 1);
      } else reader.skip(to);
    }
    if (this.#spend(1)) setField(map, key, value ?? this.#zeroEntry(type.values));
  }

  /** The value of a map entry without one. Nil bytes become empty here, as in the reference. */
  #zeroEntry(type: TypeView): JsonValue {
    if (type.kind === 'list') return [];
    if (type.kind === 'scalar' && type.scalar === 'bytes') return '';
    return this.#zero(type);
  }

  #spend(count: number): boolean {
    this.#budget.left -= count;
    return this.#budget.left >= 0 || this.reader.fail('more values than its length allows');
  }

  /** The JSON object of the slots. */
  build(plan: StructPlan, slots: Slots): JsonObject {
    const object: JsonObject = {};
    const { fields } = plan;
    if (!this.#spend(1)) return object;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as FieldPlan;
      const slot = slots[i];
      const value = slot instanceof OpenStruct ? this.build(slot.plan, slot.slots) : slot;
      if (value === undefined || isNil(field, value)) this.#buildAbsent(field, object);
      else if (field.pointer || !isDropped(field, value)) setField(object, field.name, value);
    }
    return object;
  }

  /** Sets a field that is not on the wire: it is nil or has its zero value. */
  #buildAbsent(field: FieldPlan, object: JsonObject): void {
    const { type } = field;
    if (field.pointer || type.kind === 'list' || type.kind === 'map') {
      if (!field.omitEmpty) setField(object, field.name, null);
      return;
    }
    if (type.kind === 'scalar' && type.scalar === 'bytes' && field.omitEmpty) return;
    if (!this.#spend(1)) return;
    const zero = this.#zero(type);
    if (!isDropped(field, zero)) setField(object, field.name, zero);
  }

  #zero(type: TypeView): JsonValue {
    if (type.kind === 'scalar') return zeroScalar(type.scalar);
    if (type.kind === 'struct') return this.build(planOf(type), []);
    if (type.kind !== 'any' || type.message === undefined) return null;
    return type.message.fromFields(this.build(planOf(type.message.view()), []));
  }
}

/** A list for which only an empty packed run was read is still nil. */
function isNil(field: FieldPlan, value: JsonValue): boolean {
  return field.type.kind === 'list' && !field.wrapped && (value as JsonArray).length === 0;
}

/**
 * Whether `omitempty` or `omitzero` drops a plain value. Go never drops structs, nor the scalars that are structs in
 * Go.
 */
function isDropped(field: FieldPlan, value: JsonValue): boolean {
  if (field.omitZero && value === null) return true;
  if (!field.omitEmpty) return false;
  if (field.type.kind === 'list') return (value as JsonArray).length === 0;
  return field.type.kind === 'scalar' && isEmptyScalar(field.type.scalar, value);
}
