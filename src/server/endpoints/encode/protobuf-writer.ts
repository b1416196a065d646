/**
 * The protobuf encoder of answers.
 *
 * Invariant: the message of an object is encoded once per bytes of the store, for all clients and for both objects and
 * lists. That works because an object is field 2 of its envelope and field 2 of a list of its kind, so the tag is the
 * same.
 */
import { formatGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { encodeMessage } from '../../../apimachinery/protobuf/encode.ts';
import { ENVELOPE_PREFIX } from '../../../apimachinery/protobuf/envelope.ts';
import type { Status } from '../../../apimachinery/status/status.ts';
import type { StructView } from '../../../apimachinery/type-view.ts';
import { formatPath } from '../../../apimachinery/validation/field-path.ts';
import { allocateBytes, encodeUtf8 } from '../../../base/bytes.ts';
import { BugError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { encodeStatus } from '../../http/respond.ts';
import { META_TYPES, type MetaTypes } from '../../resource/meta-types.ts';
import type { ObjectBytes } from '../../resource/resource-store.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';
import { parseObject } from '../decode/parse-object.ts';
import type { AnswerForm } from './answer-form.ts';
import { partialMetadata } from './partial-metadata.ts';

/** Tags of length-delimited fields. */
const FIRST = 0x0a;
const SECOND = 0x12;
const FIRST_TAG = Uint8Array.of(FIRST);
/** The end of every envelope: an empty encoding and an empty content type. */
const ENVELOPE_END = Uint8Array.of(0x1a, 0, 0x22, 0);
/** The size of the length that precedes each event. */
const FRAME_BYTES = 4;
/** The only list type whose message has its items before its metadata. */
const ITEMS_FIRST = 'meta.k8s.io/v1beta1';

/** Encoded messages by the bytes that they were made from. An entry lives as long as the cache keeps the bytes. */
type Memo = WeakMap<ObjectBytes, Uint8Array>;

export class ProtobufWriter {
  readonly #types: MetaTypes;
  readonly #objects: Memo = new WeakMap();
  readonly #metadata: Memo = new WeakMap();
  /** The beginnings of envelopes by apiVersion and kind. */
  readonly #heads = new Map<string, Uint8Array>();

  constructor(types: MetaTypes) {
    this.#types = types;
  }

  /** Encodes one object, or its metadata, in an envelope. */
  object(version: VersionDefinition, form: AnswerForm, bytes: ObjectBytes): Uint8Array[] {
    return [this.#objectHead(version, form), this.#field(version, form, bytes), ENVELOPE_END];
  }

  /** Encodes a list in its envelope. `metadata` is that of the list. */
  list(
    version: VersionDefinition,
    form: AnswerForm,
    items: readonly ObjectBytes[],
    metadata: JsonObject,
  ): Uint8Array[] {
    const itemsFirst = form.shape !== 'object' && form.apiVersion === ITEMS_FIRST;
    const listMeta = asField(
      itemsFirst ? SECOND : FIRST,
      messageOf(this.#types.view(`${META_TYPES}ListMeta`), metadata),
    );
    const chunks: Uint8Array[] = [];
    let size = listMeta.length;
    for (const item of items) {
      const field = this.#field(version, form, item);
      size += field.length;
      if (itemsFirst) chunks.push(FIRST_TAG, field.subarray(1));
      else chunks.push(field);
    }
    const header = allocateBytes(1 + varintSize(size));
    header[0] = SECOND;
    putVarint(header, 1, size);
    chunks.unshift(this.#listHead(version, form), header);
    if (itemsFirst) chunks.push(listMeta);
    else chunks.splice(2, 0, listMeta);
    chunks.push(ENVELOPE_END);
    return chunks;
  }

  /** Encodes one event with its length. */
  event(type: string, version: VersionDefinition, form: AnswerForm, bytes: ObjectBytes): Uint8Array {
    return frame(type, this.#objectHead(version, form), this.#field(version, form, bytes), ENVELOPE_END);
  }

  /** Encodes an event whose object is not shared with other watchers. */
  valueEvent(type: string, version: VersionDefinition, form: AnswerForm, object: JsonObject): Uint8Array {
    return frame(type, this.#objectHead(version, form), this.#makeField(version, form, object), ENVELOPE_END);
  }

  errorEvent(status: Status): Uint8Array {
    return frame('ERROR', this.status(status));
  }

  /** Encodes a Status in its envelope. */
  status(status: Status): Uint8Array {
    return encodeStatus(this.#types, status);
  }

  #field(version: VersionDefinition, form: AnswerForm, bytes: ObjectBytes): Uint8Array {
    const memo = form.shape === 'object' ? this.#objects : this.#metadata;
    let field = memo.get(bytes);
    if (field === undefined) {
      field = this.#makeField(version, form, parseObject(bytes));
      memo.set(bytes, field);
    }
    return field;
  }

  #makeField(version: VersionDefinition, form: AnswerForm, object: JsonObject): Uint8Array {
    if (form.shape === 'object') return asField(SECOND, messageOf(version.type(), object));
    const view = this.#types.view(`${META_TYPES}PartialObjectMetadata`);
    return asField(SECOND, messageOf(view, partialMetadata(object, form.apiVersion)));
  }

  #objectHead(version: VersionDefinition, form: AnswerForm): Uint8Array {
    return form.shape === 'object'
      ? this.#head(formatGroupVersion(version), version.kind)
      : this.#head(form.apiVersion, 'PartialObjectMetadata');
  }

  #listHead(version: VersionDefinition, form: AnswerForm): Uint8Array {
    return form.shape === 'object'
      ? this.#head(formatGroupVersion(version), version.listKind)
      : this.#head(form.apiVersion, 'PartialObjectMetadataList');
  }

  #head(apiVersion: string, kind: string): Uint8Array {
    const key = `${apiVersion} ${kind}`;
    let head = this.#heads.get(key);
    if (head === undefined) {
      const typeMeta = joined(asField(FIRST, encodeUtf8(apiVersion)), asField(SECOND, encodeUtf8(kind)));
      head = joined(ENVELOPE_PREFIX, asField(FIRST, typeMeta));
      this.#heads.set(key, head);
    }
    return head;
  }
}

function messageOf(view: StructView, object: JsonObject): Uint8Array {
  const encoded = encodeMessage(view, object);
  if (encoded.ok) return encoded.bytes;
  const { message, path } = encoded.error;
  throw new BugError(`an object does not fit its type ${view.name}: ${formatPath(path)}: ${message}`);
}

/** Writes the length and `{type, object: {raw: <parts>}}` in one allocation. */
function frame(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const name = encodeUtf8(type);
  let raw = 0;
  for (const part of parts) raw += part.length;
  const extension = 1 + varintSize(raw) + raw;
  const size = 1 + varintSize(name.length) + name.length + 1 + varintSize(extension) + extension;
  const bytes = allocateBytes(FRAME_BYTES + size);
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(0, size);
  let at = FRAME_BYTES;
  bytes[at++] = FIRST;
  at = putVarint(bytes, at, name.length);
  bytes.set(name, at);
  at += name.length;
  bytes[at++] = SECOND;
  at = putVarint(bytes, at, extension);
  bytes[at++] = FIRST;
  at = putVarint(bytes, at, raw);
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns an event without its length, for messages of a WebSocket. */
export function withoutFrame(event: Uint8Array): Uint8Array {
  return event.subarray(FRAME_BYTES);
}

function asField(tag: number, content: Uint8Array): Uint8Array {
  const bytes = allocateBytes(1 + varintSize(content.length) + content.length);
  bytes[0] = tag;
  bytes.set(content, putVarint(bytes, 1, content.length));
  return bytes;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = allocateBytes(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** Returns the position behind the number. */
function putVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 0x80;
  bytes[at++] = rest;
  return at;
}
