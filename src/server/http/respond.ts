/**
 * Answers made from values, Statuses and errors, in the media type that the request accepts.
 *
 * Invariant: a failed negotiation never hides a Status: it is then sent as JSON.
 */

import { encodeCbor } from '../../apimachinery/codec/cbor/cbor.ts';
import {
  JSON_MEDIA_TYPE,
  negotiateAccept,
  PROTOBUF_MEDIA_TYPE,
  type SupportedMediaType,
  wantsPretty,
  YAML_MEDIA_TYPE,
} from '../../apimachinery/codec/negotiation.ts';
import { writeYaml } from '../../apimachinery/codec/yaml/yaml-write.ts';
import { encodeObject } from '../../apimachinery/protobuf/encode.ts';
import { type Status, statusOf } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { BugError, toError } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { META_TYPES, type MetaTypes } from '../resource/meta-types.ts';
import type { Answer, AnswerHeaders } from './exchange.ts';
import type { ServerRequest } from './server-request.ts';

/** The media types of every server. CBOR is added behind its feature gate. */
export const STANDARD_MEDIA_TYPES: readonly SupportedMediaType[] = [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE];

const BINARY_MEDIA_TYPES: readonly SupportedMediaType[] = [...STANDARD_MEDIA_TYPES, PROTOBUF_MEDIA_TYPE];

const NO_CACHE = 'no-cache, private';
const HEADERS = new Map<string, AnswerHeaders>();

/** Returns the headers of an answer of one media type. All answers of that type share one object. */
export function contentHeaders(mediaType: string): AnswerHeaders {
  let headers = HEADERS.get(mediaType);
  if (headers === undefined) {
    headers = { 'cache-control': NO_CACHE, 'content-type': mediaType };
    HEADERS.set(mediaType, headers);
  }
  return headers;
}

/**
 * Encodes a value in one of the server's media types. JSON ends with a newline unless it is indented, as in the
 * reference.
 */
export function encodeValue(value: JsonValue, mediaType: string, pretty: boolean): Uint8Array {
  switch (mediaType) {
    case 'application/yaml':
      return encodeUtf8(writeYaml(value));
    case 'application/cbor':
    case 'application/cbor-seq':
      return encodeCbor(value);
    default:
      return encodeUtf8(pretty ? writeJson(value, { indent: 2 }) : `${writeJson(value)}\n`);
  }
}

/** Encodes a Status in protobuf, with the `k8s\0` envelope. */
export function encodeStatus(types: MetaTypes, status: Status): Uint8Array {
  const encoded = encodeObject(types.view(`${META_TYPES}Status`), status as unknown as JsonObject);
  if (encoded.ok) return encoded.bytes;
  throw new BugError(`a Status does not fit its type: ${encoded.error.message}`);
}

/** Reports whether JSON is to be indented: the query says so, or the user agent is a browser, curl or wget. */
export function isPretty(request: ServerRequest): boolean {
  const { params } = request.info;
  return wantsPretty(params.size === 0 ? undefined : params.get('pretty')?.[0], request.incoming.header('user-agent'));
}

/**
 * Answers with a Status in the media type that the request accepts. Uses JSON without a request, and if the request
 * accepts none of the media types. The HTTP code is that of the Status; by default 500 for a failure and 200 for a
 * success. `mediaTypes` defaults to JSON, YAML, and protobuf if the request has types for it.
 */
export function statusAnswer(
  request: ServerRequest | undefined,
  status: Status,
  mediaTypes?: readonly SupportedMediaType[],
): Answer {
  const value = status as unknown as JsonObject;
  const code = status.code ?? (status.status === 'Success' ? 200 : 500);
  if (request === undefined) return statusBytes(status, code, 'application/json', encodeValue(value, '', false));
  const { types } = request;
  const supported = mediaTypes ?? (types === undefined ? STANDARD_MEDIA_TYPES : BINARY_MEDIA_TYPES);
  const negotiated = negotiateAccept(request.incoming.header('accept'), { supported });
  if (!negotiated.ok) return statusBytes(status, code, 'application/json', encodeValue(value, '', true));
  const { accepted, pretty } = negotiated.media;
  if (types !== undefined && accepted === PROTOBUF_MEDIA_TYPE)
    return statusBytes(status, code, accepted.mediaType, encodeStatus(types, status));
  return statusBytes(
    status,
    code,
    accepted.mediaType,
    encodeValue(value, accepted.mediaType, pretty || isPretty(request)),
  );
}

function statusBytes(status: Status, code: number, mediaType: string, body: Uint8Array): Answer {
  const retryAfter = status.details?.retryAfterSeconds ?? 0;
  const headers = contentHeaders(mediaType);
  return {
    kind: 'bytes',
    status: code,
    headers: retryAfter > 0 ? { ...headers, 'retry-after': String(retryAfter) } : headers,
    body,
  };
}

/**
 * Returns the Status that an error carries. Any other error becomes a 500 without a reason, with the error's message,
 * as in the reference.
 */
export function statusOfError(error: unknown): Status {
  return statusOf(error) ?? unknown(toError(error).message);
}
