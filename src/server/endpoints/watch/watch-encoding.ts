/**
 * Encodings of watch events, one per form.
 *
 * Invariant: encodings of one resource with the same key produce the same bytes, so that watchers share them. An event
 * is one allocation of its exact size.
 */

import { encodeCbor } from '../../../apimachinery/codec/cbor/cbor.ts';
import { CBOR_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE } from '../../../apimachinery/codec/negotiation.ts';
import { formatGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import type { Status } from '../../../apimachinery/status/status.ts';
import { createBookmark } from '../../../apimachinery/watch/watch-event.ts';
import { allocateBytes, encodeUtf8 } from '../../../base/bytes.ts';
import type { Clock } from '../../../base/clock.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import type { ChangeType, EventEncoding } from '../../../cache/cache.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';
import { parseObject } from '../decode/parse-object.ts';
import type { AnswerForm } from '../encode/answer-form.ts';
import { partialMetadata } from '../encode/partial-metadata.ts';
import type { ProtobufWriter } from '../encode/protobuf-writer.ts';
import { columnDefinitions, type IncludeObject, tableDefinitionOf, tableOf } from '../encode/table.ts';

type EventType = ChangeType | 'BOOKMARK' | 'ERROR';

const PREFIXES: Readonly<Record<EventType, Uint8Array>> = {
  ADDED: encodeUtf8('{"type":"ADDED","object":'),
  MODIFIED: encodeUtf8('{"type":"MODIFIED","object":'),
  DELETED: encodeUtf8('{"type":"DELETED","object":'),
  BOOKMARK: encodeUtf8('{"type":"BOOKMARK","object":'),
  ERROR: encodeUtf8('{"type":"ERROR","object":'),
};

function jsonEvent(type: EventType, object: Uint8Array): Uint8Array {
  const prefix = PREFIXES[type];
  const event = allocateBytes(prefix.length + object.length + 2);
  event.set(prefix);
  event.set(object, prefix.length);
  event[event.length - 2] = 0x7d;
  event[event.length - 1] = 0x0a;
  return event;
}

function valueEvent(type: EventType, object: JsonObject, form: AnswerForm): Uint8Array {
  if (form.streamMediaType === CBOR_MEDIA_TYPE.streamMediaType) return encodeCbor({ type, object });
  return encodeUtf8(`{"type":"${type}","object":${writeJson(object)}}\n`);
}

/** The encodings of one version of a resource. Each is made once. */
export class WatchEncodings {
  readonly #version: VersionDefinition;
  readonly #clock: Clock;
  readonly #protobuf: ProtobufWriter | undefined;
  readonly #made = new Map<string, EventEncoding>();

  /** Without a `protobuf` writer there are no watches in protobuf. */
  constructor(version: VersionDefinition, clock: Clock, protobuf: ProtobufWriter | undefined) {
    this.#version = version;
    this.#clock = clock;
    this.#protobuf = protobuf;
  }

  /** Encodes the ERROR event that ends a watch. */
  errorEvent(status: Status, form: AnswerForm): Uint8Array {
    return this.#writerFor(form)?.errorEvent(status) ?? valueEvent('ERROR', status as unknown as JsonObject, form);
  }

  of(form: AnswerForm, includeObject: IncludeObject): EventEncoding {
    const table = form.shape === 'Table' ? ` ${includeObject}` : '';
    // The key contains the version, because all versions of a resource share one cache.
    const key = `${formatGroupVersion(this.#version)} ${form.streamMediaType} ${form.shape} ${form.apiVersion}${table}`;
    let encoding = this.#made.get(key);
    if (encoding === undefined) {
      encoding = this.#make(key, form, includeObject);
      this.#made.set(key, encoding);
    }
    return encoding;
  }

  #make(key: string, form: AnswerForm, includeObject: IncludeObject): EventEncoding {
    const writer = this.#writerFor(form);
    if (writer !== undefined) return this.#makeBinary(key, form, writer);
    const shape = this.#shape(form, includeObject);
    const isPlain = shape === undefined && form.streamMediaType !== CBOR_MEDIA_TYPE.streamMediaType;
    const encode = (type: EventType, object: JsonObject): Uint8Array =>
      valueEvent(type, shape === undefined ? object : shape(object), form);
    return {
      key,
      event: (type, bytes) => (isPlain ? jsonEvent(type, bytes) : encode(type, parseObject(bytes))),
      bookmark: (revision, initialEventsEnd) => encode('BOOKMARK', this.#bookmark(String(revision), initialEventsEnd)),
    };
  }

  #makeBinary(key: string, form: AnswerForm, writer: ProtobufWriter): EventEncoding {
    const version = this.#version;
    return {
      key,
      event: (type, bytes) => writer.event(type, version, form, bytes),
      bookmark: (revision, initialEventsEnd) =>
        writer.valueEvent('BOOKMARK', version, form, this.#bookmark(String(revision), initialEventsEnd)),
    };
  }

  #writerFor({ mediaType }: AnswerForm): ProtobufWriter | undefined {
    return mediaType === PROTOBUF_MEDIA_TYPE.mediaType ? this.#protobuf : undefined;
  }

  #shape(form: AnswerForm, includeObject: IncludeObject): ((object: JsonObject) => JsonObject) | undefined {
    const { apiVersion } = form;
    if (form.shape === 'object') return undefined;
    if (form.shape !== 'Table') return (object) => partialMetadata(object, apiVersion);
    return (object) =>
      tableOf(this.#version, [object], { apiVersion, includeObject, now: this.#clock.now(), noHeaders: true });
  }

  /** Returns an empty object of the kind at a revision, normalized like other objects of the kind. */
  #bookmark(revision: string, initialEventsEnd: boolean): JsonObject {
    const { kind } = this.#version;
    const apiVersion = formatGroupVersion(this.#version);
    const { object } = createBookmark({ apiVersion, kind }, revision, { initialEventsEnd });
    const normalized = this.#version.normalize({ kind, apiVersion, metadata: object['metadata'] as JsonObject });
    return normalized.ok ? normalized.object : object;
  }
}

const NO_COLUMNS = encodeUtf8('"columnDefinitions":null');

/** Returns the first event of a Table watch with its columns, which later events omit. */
export function withColumns(event: Uint8Array, version: VersionDefinition): Uint8Array {
  const at = indexOf(event, NO_COLUMNS);
  if (at < 0) return event;
  const columns = encodeUtf8(`"columnDefinitions":${writeJson(columnDefinitions(tableDefinitionOf(version)))}`);
  const whole = allocateBytes(event.length - NO_COLUMNS.length + columns.length);
  whole.set(event.subarray(0, at));
  whole.set(columns, at);
  whole.set(event.subarray(at + NO_COLUMNS.length), at + columns.length);
  return whole;
}

function indexOf(bytes: Uint8Array, part: Uint8Array): number {
  const last = bytes.length - part.length;
  for (let at = bytes.indexOf(0x22); at >= 0 && at <= last; at = bytes.indexOf(0x22, at + 1)) {
    let same = 1;
    while (same < part.length && bytes[at + same] === part[same]) same++;
    if (same === part.length) return at;
  }
  return -1;
}
