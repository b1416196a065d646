/**
 * Answers with objects and lists.
 *
 * Invariant: plain JSON is never parsed. The bytes of an object are sent as they are. The items of a list are copied
 * once, into blocks that are made while the client reads; those of a repeated list are kept (`joined-items.ts`).
 */
import { PROTOBUF_MEDIA_TYPE } from '../../../apimachinery/codec/negotiation.ts';
import { formatGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { type Status, StatusError } from '../../../apimachinery/status/status.ts';
import { EMPTY_BYTES, encodeUtf8 } from '../../../base/bytes.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import type { Slab } from '../../../base/slab.ts';
import { type ChunkSource, chunksOf, drainChunks, totalLength } from '../../http/chunk-source.ts';
import type { Answer } from '../../http/exchange.ts';
import { contentHeaders, encodeValue, isPretty } from '../../http/respond.ts';
import type { ServerRequest } from '../../http/server-request.ts';
import type { ListPage, ObjectBytes } from '../../resource/resource-store.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';
import { parseObject } from '../decode/parse-object.ts';
import type { EndpointHost, RequestScope } from '../endpoint.ts';
import type { AnswerForm } from './answer-form.ts';
import { BLOCK_BYTES, blocksOf } from './blocks.ts';
import { repeatableListChunks } from './joined-items.ts';
import { listChunks } from './list-chunks.ts';
import { notAcceptableForm } from './not-acceptable.ts';
import { partialMetadata, partialMetadataList } from './partial-metadata.ts';
import { readTableOptions, tableOf } from './table.ts';

// Only larger answers are compressed, as in the reference (defaultGzipThresholdBytes).
const GZIP_THRESHOLD = 128 * 1024;
/** Above this size, a copy costs more than a second chunk. */
const COPY_LIMIT = 16 * 1024;
const SMALL_LIST = 64;

const JSON_TYPE = 'application/json';
const NEWLINE = encodeUtf8('\n');

function withNewline(slab: Slab, bytes: Uint8Array): Uint8Array {
  const size = bytes.length + 1;
  const copy = slab.cut(size);
  copy.set(bytes);
  copy[size - 1] = 0x0a;
  return copy;
}

/** Answers with one object in the negotiated form. */
export function objectAnswer(
  host: EndpointHost,
  scope: RequestScope,
  request: ServerRequest,
  form: AnswerForm,
  code: number,
  bytes: ObjectBytes,
): MaybePromise<Answer> {
  if (request.audit?.wantsResponseObject === true) request.audit.responseObject = bytes;
  if (form.shape === 'object' && form.mediaType === JSON_TYPE && !form.pretty && !isPretty(request)) {
    if (bytes.length < COPY_LIMIT)
      return { kind: 'bytes', status: code, headers: contentHeaders(JSON_TYPE), body: withNewline(host.slab, bytes) };
    return compressed(host, request, {
      kind: 'chunks',
      status: code,
      headers: contentHeaders(JSON_TYPE),
      chunks: chunksOf([bytes, NEWLINE]),
    });
  }
  if (isProtobuf(form) && host.protobuf !== undefined && form.shape !== 'PartialObjectMetadataList')
    return binaryAnswer(host, request, code, host.protobuf.object(scope.bodyVersion, form, bytes));
  return valueAnswer(host, request, form, code, shapedObject(host, scope, request, form, bytes));
}

function shapedObject(
  host: EndpointHost,
  scope: RequestScope,
  request: ServerRequest,
  form: AnswerForm,
  bytes: ObjectBytes,
): JsonObject {
  const object = parseObject(bytes);
  switch (form.shape) {
    case 'object':
      return object;
    case 'PartialObjectMetadata':
      return partialMetadata(object, form.apiVersion);
    case 'PartialObjectMetadataList':
      throw new StatusError(notAcceptableForm(form.shape, 'not a list', scope.bodyVersion));
    case 'Table':
      return tableOf(scope.bodyVersion, [object], {
        apiVersion: form.apiVersion,
        includeObject: readTableOptions(request.info.params).includeObject,
        now: host.clock.now(),
      });
  }
}

function isProtobuf({ mediaType }: AnswerForm): boolean {
  return mediaType === PROTOBUF_MEDIA_TYPE.mediaType;
}

/** Answers with pieces that may be shared with other answers. */
function binaryAnswer(
  host: EndpointHost,
  request: ServerRequest,
  status: number,
  pieces: readonly Uint8Array[],
): MaybePromise<Answer> {
  const headers = contentHeaders(PROTOBUF_MEDIA_TYPE.mediaType);
  const size = totalLength(pieces);
  if (size >= COPY_LIMIT)
    return compressed(host, request, { kind: 'chunks', status, headers, chunks: blocksOf(pieces) });
  const body = host.slab.cut(size);
  let at = 0;
  for (let i = 0; i < pieces.length; i++) {
    body.set(pieces[i] as Uint8Array, at);
    at += (pieces[i] as Uint8Array).length;
  }
  return { kind: 'bytes', status, headers, body };
}

/** Answers with a Status that is a result, not a failure. */
export function statusValueAnswer(
  host: EndpointHost,
  request: ServerRequest,
  form: AnswerForm,
  code: number,
  status: Status,
): MaybePromise<Answer> {
  if (isProtobuf(form) && host.protobuf !== undefined)
    return binaryAnswer(host, request, code, [host.protobuf.status(status)]);
  return valueAnswer(host, request, form, code, status as unknown as JsonObject);
}

/** Answers with a value that was made for this request. */
function valueAnswer(
  host: EndpointHost,
  request: ServerRequest,
  form: AnswerForm,
  code: number,
  value: JsonObject,
): MaybePromise<Answer> {
  const pretty = form.mediaType === JSON_TYPE && (form.pretty || isPretty(request));
  const body = encodeValue(value, form.mediaType, pretty);
  return compressed(host, request, { kind: 'bytes', status: code, headers: contentHeaders(form.mediaType), body });
}

/** Answers with a list in the negotiated form. */
export function listAnswer(
  host: EndpointHost,
  scope: RequestScope,
  request: ServerRequest,
  form: AnswerForm,
  page: ListPage,
): MaybePromise<Answer> {
  if (form.shape === 'object' && form.mediaType === JSON_TYPE && !form.pretty && !isPretty(request)) {
    const chunks = listSource(scope.bodyVersion, page);
    const headers = contentHeaders(JSON_TYPE);
    const isAudited = request.audit?.wantsResponseObject === true;
    if (!isAudited && !isSmall(page) && !mayCompress(host, request))
      return { kind: 'chunks', status: 200, headers, chunks };
    const body = drainChunks(chunks);
    if (isAudited && request.audit !== undefined) request.audit.responseObject = body;
    return compressed(host, request, { kind: 'bytes', status: 200, headers, body });
  }
  if (isProtobuf(form) && host.protobuf !== undefined && form.shape !== 'PartialObjectMetadata') {
    const { bodyVersion } = scope;
    if (request.audit?.wantsResponseObject === true)
      request.audit.responseObject = drainChunks(listSource(bodyVersion, page));
    return binaryAnswer(host, request, 200, host.protobuf.list(bodyVersion, form, page.items, listMetadata(page)));
  }
  const value = shapedList(host, scope, request, form, page);
  if (request.audit?.wantsResponseObject === true) request.audit.responseObject = value;
  return valueAnswer(host, request, form, 200, value);
}

function shapedList(
  host: EndpointHost,
  scope: RequestScope,
  request: ServerRequest,
  form: AnswerForm,
  page: ListPage,
): JsonObject {
  const { bodyVersion } = scope;
  if (form.shape === 'PartialObjectMetadata')
    throw new StatusError(notAcceptableForm(form.shape, 'a list', bodyVersion));
  const metadata = listMetadata(page);
  if (form.shape === 'Table') {
    const { includeObject } = readTableOptions(request.info.params);
    const objects = page.items.map(parseObject);
    return tableOf(bodyVersion, objects, {
      apiVersion: form.apiVersion,
      includeObject,
      now: host.clock.now(),
      metadata,
    });
  }
  if (form.shape === 'PartialObjectMetadataList')
    return partialMetadataList(page.items.map(parseObject), form.apiVersion, metadata);
  const items = page.items.map((bytes) => {
    const object = parseObject(bytes);
    if (bodyVersion.typedItems !== true) {
      delete object['kind'];
      delete object['apiVersion'];
    }
    return object;
  });
  return {
    kind: bodyVersion.listKind,
    apiVersion: formatGroupVersion(bodyVersion),
    metadata: objectListMetadata(bodyVersion, page),
    items,
  };
}

/** Reports whether a list has few items that fit into one block. Such a list is sent in one piece, with its length. */
function isSmall({ items }: ListPage): boolean {
  return items.length <= SMALL_LIST && totalLength(items) < BLOCK_BYTES;
}

function listMetadata(page: ListPage): JsonObject {
  const metadata: JsonObject = page.resourceVersion === '' ? {} : { resourceVersion: page.resourceVersion };
  if (page.continueToken !== '') metadata['continue'] = page.continueToken;
  if (page.remaining !== undefined && page.continueToken !== '') metadata['remainingItemCount'] = page.remaining;
  return metadata;
}

/** Lists of custom resources always have the field `continue`. */
function objectListMetadata({ typedItems }: VersionDefinition, page: ListPage): JsonObject {
  return typedItems === true && page.continueToken === ''
    ? { continue: '', ...listMetadata(page) }
    : listMetadata(page);
}

/** The first bytes of every item of a version: `{"kind":"ConfigMap","apiVersion":"v1",`. */
const itemPrefixes = new WeakMap<VersionDefinition, Uint8Array>();

function itemPrefixOf(version: VersionDefinition): Uint8Array {
  let prefix = itemPrefixes.get(version);
  if (prefix === undefined) {
    const text = writeJson({ kind: version.kind, apiVersion: formatGroupVersion(version) });
    prefix = encodeUtf8(`${text.slice(0, -1)},`);
    itemPrefixes.set(version, prefix);
  }
  return prefix;
}

/** Items of built-in kinds are sent without type fields, which are at the beginning of their bytes. */
function listSource(version: VersionDefinition, page: ListPage): ChunkSource {
  const head = writeJson({
    kind: version.listKind,
    apiVersion: formatGroupVersion(version),
    metadata: objectListMetadata(version, page),
  });
  const parts = {
    head: encodeUtf8(`${head.slice(0, -1)},"items":[`),
    items: page.items,
    prefix: version.typedItems === true ? EMPTY_BYTES : itemPrefixOf(version),
  };
  return page.items.length > SMALL_LIST ? repeatableListChunks(parts) : listChunks(parts);
}

type SizedAnswer = Extract<Answer, { kind: 'bytes' | 'chunks' }>;

/** Compresses the answer if it is large, the client accepts gzip and the platform has it. */
function compressed(host: EndpointHost, request: ServerRequest, answer: SizedAnswer): MaybePromise<Answer> {
  const { gzip } = host;
  if (gzip === undefined || !mayCompress(host, request) || !exceeds(answer, GZIP_THRESHOLD)) return answer;
  const whole = answer.kind === 'bytes' ? answer.body : drainChunks(answer.chunks);
  return gzip.compress(whole).then((body) => ({
    kind: 'bytes',
    status: answer.status,
    headers: { ...answer.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    body,
  }));
}

function exceeds(answer: SizedAnswer, limit: number): boolean {
  return answer.kind === 'bytes' ? answer.body.length > limit : (answer.chunks.size ?? limit) > limit;
}

/** Reports whether the platform has gzip and the client accepts it. */
function mayCompress(host: EndpointHost, request: ServerRequest): boolean {
  if (host.gzip === undefined) return false;
  const header = request.incoming.header('accept-encoding');
  return header?.split(',').some((token) => token.trim() === 'gzip') === true;
}
