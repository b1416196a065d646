/**
 * The protobuf encoder, equal to the reference's generated code: plain fields are always written, pointers only if
 * present, fields in the order of their numbers, maps in the order of their keys. Fields that the view does not list
 * are dropped. A value that does not fit its type is refused with its path.
 */
import { EMPTY_BYTES } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';
import { getField, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { sortUtf8 } from '../../base/utf8.ts';
import { keepProtobuf, protobufOfShared } from '../managed-fields/shared-entries.ts';
import type { AnyView, ListView, MapView, StructView, TypeView } from '../type-view.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import { writeScalar, writeZeroScalar } from './encode-scalar.ts';
import { writeEnvelope } from './envelope.ts';
import { type FieldPlan, hasBinaryForm, type MessagePlan, planOf, type StructPlan } from './plan.ts';
import { BYTES, WireWriter } from './wire.ts';

export interface EncodeOptions {
  /** The deepest nesting of objects and lists. Default 500. */
  readonly maxDepth?: number;
  /** The longest result. Default 256 MiB. */
  readonly maxBytes?: number;
  /**
   * The result may be a part of a larger buffer that it keeps alive, so it must not be kept for long. Default false.
   */
  readonly transient?: boolean;
}

export interface EncodeError {
  readonly message: string;
  /** The path of the value; undefined for the root. */
  readonly path: FieldPath | undefined;
}

export type EncodeResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly error: EncodeError };

const DEFAULT_MAX_DEPTH = 500;
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/** Encodes a message without an envelope. `apiVersion` and `kind` are not part of it. */
export function encodeMessage(view: StructView, value: JsonValue, options: EncodeOptions = {}): EncodeResult {
  return encodeWith(view, options, (encoder) => encoder.writeStruct(view, value, 0));
}

/** Encodes an object in its envelope, which takes `apiVersion` and `kind` from the object. */
export function encodeObject(view: StructView, object: JsonObject, options: EncodeOptions = {}): EncodeResult {
  const apiVersion = getField(object, 'apiVersion');
  const kind = getField(object, 'kind');
  const typeMeta = {
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
    kind: typeof kind === 'string' ? kind : '',
    contentEncoding: '',
    contentType: '',
  };
  return encodeWith(view, options, (encoder) => {
    let ok = true;
    writeEnvelope(encoder.writer, typeMeta, () => {
      ok = encoder.writeStruct(view, object, 0);
    });
    return ok;
  });
}

function encodeWith(view: StructView, options: EncodeOptions, write: (encoder: Encoder) => boolean): EncodeResult {
  if (!hasBinaryForm(view)) return refused(`${view.name || 'the type'} has no binary form`, undefined);
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const encoder = new Encoder(maxBytes, options.maxDepth ?? DEFAULT_MAX_DEPTH);
  const ok = write(encoder);
  if (!ok) return refused(encoder.message, encoder.path());
  if (encoder.writer.full) return refused(`the result is longer than ${maxBytes} bytes`, undefined);
  return { ok: true, bytes: options.transient === true ? encoder.writer.finishView() : encoder.writer.finish() };
}

function refused(message: string, path: FieldPath | undefined): EncodeResult {
  return { ok: false, error: { message, path } };
}

type PathStep = (parent: FieldPath | undefined) => FieldPath;

/**
 * Writes from back to front. Methods return false after a failure; each level on the way out adds its step to the path.
 */
class Encoder {
  readonly writer: WireWriter;
  readonly #maxDepth: number;
  readonly #steps: PathStep[] = [];
  message = '';

  constructor(maxBytes: number, maxDepth: number) {
    this.writer = new WireWriter(maxBytes);
    this.#maxDepth = maxDepth;
  }

  path(): FieldPath | undefined {
    let path: FieldPath | undefined;
    for (const step of this.#steps.reverse()) path = step(path);
    return path;
  }

  #fail(message: string): false {
    this.message = message;
    return false;
  }

  #within(step: PathStep): false {
    this.#steps.push(step);
    return false;
  }

  writeStruct(view: StructView, value: JsonValue, depth: number): boolean {
    if (!isJsonObject(value)) return this.#fail('must be an object');
    if (depth > this.#maxDepth) return this.#fail(`nested deeper than ${this.#maxDepth}`);
    return this.#writeMessage(planOf(view).message, value, depth);
  }

  /** Writes a message with nothing set. */
  writeEmpty(message: MessagePlan): void {
    this.#writeMessage(message, {}, 0);
  }

  #writeMessage(message: MessagePlan, object: JsonObject, depth: number): boolean {
    const { nodes } = message;
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i];
      if (node === undefined) continue;
      if (node.kind === 'inline') {
        const mark = this.writer.size;
        if (!this.#writeMessage(node.message, object, depth)) return false;
        this.writer.closeField(node.number, mark);
      } else if (!this.#writeField(node.number, node.field, getField(object, node.field.name), depth)) {
        return this.#within((parent) => childPath(parent, node.field.name));
      }
    }
    return true;
  }

  #writeField(number: number, field: FieldPlan, value: JsonValue | undefined, depth: number): boolean {
    const { type } = field;
    if (value === undefined || value === null) {
      if (!field.pointer) this.#writeZero(number, type);
      return true;
    }
    if (type.kind === 'map') return this.#writeMap(number, type, value, depth);
    if (type.kind !== 'list') return this.#writeSingle(number, type, value, depth);
    if (field.wrapped) return this.#writeWrapped(number, type, value, depth);
    return this.#writeList(number, type, value, depth);
  }

  /** Writes a plain field that JSON does not set. Lists, maps and bytes are nil then and not written. */
  #writeZero(number: number, type: TypeView): void {
    switch (type.kind) {
      case 'scalar':
        if (type.scalar !== 'bytes') writeZeroScalar(this.writer, number, type.scalar);
        return;
      case 'struct':
        this.#writeZeroMessage(number, type);
        return;
      case 'any':
        this.#writeZeroMessage(number, type.message?.view());
        return;
      default:
        return;
    }
  }

  #writeZeroMessage(number: number, view: StructView | undefined): void {
    const bytes = view === undefined ? EMPTY_BYTES : zeroOf(planOf(view));
    this.writer.writeBytes(bytes);
    this.writer.writeVarint(bytes.length);
    this.writer.writeTag(number, BYTES);
  }

  /**
   * Writes one value with its tag: the value of a field, an item of a list, or the value of a map entry. Null is the
   * zero value.
   */
  #writeSingle(number: number, type: TypeView, value: JsonValue, depth: number): boolean {
    if (value === null && type.kind !== 'list' && !(type.kind === 'scalar' && type.scalar === 'bytes')) {
      this.#writeZero(number, type);
      return true;
    }
    switch (type.kind) {
      case 'scalar': {
        const problem = writeScalar(this.writer, number, type.scalar, value ?? '');
        return problem === undefined || this.#fail(problem);
      }
      case 'struct': {
        const mark = this.writer.size;
        if (!this.writeStruct(type, value, depth + 1)) return false;
        this.writer.closeField(number, mark);
        return true;
      }
      case 'any':
        return this.#writeAny(number, type, value, depth);
      case 'list':
        return this.#writeWrapped(number, type, value ?? [], depth);
      case 'map':
        return this.#fail('a map has no binary form here');
    }
  }

  #writeAny(number: number, type: AnyView, value: JsonValue, depth: number): boolean {
    const mark = this.writer.size;
    if (type.message === undefined) {
      this.writer.writeText(writeJson(value));
      this.writer.closeField(1, mark);
    } else {
      const fields = type.message.toFields(value);
      if (fields === undefined) return this.#fail('has none of the forms of its type');
      if (!this.writeStruct(type.message.view(), fields, depth + 1)) return false;
    }
    this.writer.closeField(number, mark);
    return true;
  }

  #writeWrapped(number: number, type: ListView, value: JsonValue, depth: number): boolean {
    const mark = this.writer.size;
    if (!this.#writeList(1, type, value, depth)) return false;
    this.writer.closeField(number, mark);
    return true;
  }

  #writeList(number: number, type: ListView, value: JsonValue, depth: number): boolean {
    if (!Array.isArray(value)) return this.#fail('must be a list');
    const items: JsonArray = value;
    const known = protobufOfShared(items);
    if (known !== undefined) {
      this.writer.writeBytes(known);
      return true;
    }
    const mark = this.writer.size;
    for (let i = items.length - 1; i >= 0; i--) {
      if (!this.#writeSingle(number, type.items, items[i] ?? null, depth + 1)) {
        return this.#within((parent) => indexPath(parent, i));
      }
    }
    keepProtobuf(items, () => this.writer.copySince(mark));
    return true;
  }

  #writeMap(number: number, type: MapView, value: JsonValue, depth: number): boolean {
    if (!isJsonObject(value)) return this.#fail('must be a map');
    const keys = Object.keys(value);
    sortUtf8(keys);
    const bytes = type.values.kind === 'scalar' && type.values.scalar === 'bytes';
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i] as string;
      const entry = value[key] ?? null;
      const mark = this.writer.size;
      // Only map entries omit nil bytes.
      if (!(bytes && entry === null) && !this.#writeSingle(2, type.values, entry, depth + 1)) {
        return this.#within((parent) => keyPath(parent, key));
      }
      const end = this.writer.size;
      this.writer.writeText(key);
      this.writer.closeField(1, end);
      this.writer.closeField(number, mark);
    }
    return true;
  }
}

function zeroOf(plan: StructPlan): Uint8Array {
  if (plan.zero === undefined) {
    if (plan.busy) throw new BugError(`${plan.name} holds itself without a pointer`);
    plan.busy = true;
    const encoder = new Encoder(DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH);
    encoder.writeEmpty(plan.message);
    plan.zero = encoder.writer.finish();
    plan.busy = false;
  }
  return plan.zero;
}
