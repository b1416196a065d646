/**
 * The decoder of request bodies.
 *
 * Invariant: a decoded object has the type fields of the expected kind, only fields of its type, normalized values and
 * its defaults. Every refusal has the reference's message.
 */

import { decodeCbor } from '../../../apimachinery/codec/cbor/cbor-decode.ts';
import { negotiateContentType, PROTOBUF_MEDIA_TYPE } from '../../../apimachinery/codec/negotiation.ts';
import {
  decodeStrictJson,
  decodeStrictYaml,
  type FieldValidation,
  formatStrictError,
  strictWarnings,
} from '../../../apimachinery/codec/strict.ts';
import { hasUnknownFields } from '../../../apimachinery/codec/unknown-fields.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { cannotUnmarshal } from '../../../apimachinery/go-json.ts';
import { hasEmptyManagedFields, setManagedFields } from '../../../apimachinery/managed-fields/object-managed-fields.ts';
import {
  formatGroupVersion,
  type GroupVersionKind,
  notRegistered,
  parseGroupVersion,
} from '../../../apimachinery/meta/gvk.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest, unsupportedMediaType } from '../../../apimachinery/status/status-catalogue.ts';
import { decodeUtf8, formatHex } from '../../../base/bytes.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import type { ServerRequest } from '../../http/server-request.ts';
import type { VersionDefinition } from '../../resource/version-definition.ts';
import { hubPackage } from '../encode/not-acceptable.ts';
import type { EndpointHost, RequestScope } from '../endpoint.ts';
import { readProtobuf } from './read-protobuf.ts';

/**
 * Returns the media type of the body. Throws the 415. Kinds without a protobuf form, such as custom resources, do not
 * accept protobuf.
 */
export function inputType(host: EndpointHost, scope: RequestScope, request: ServerRequest): string {
  const header = request.incoming.header('content-type');
  if (header === undefined || header === '' || header === 'application/json') return 'application/json';
  const accepted = scope.bodyVersion.protobuf === true ? host.inputTypes : host.textTypes;
  const negotiated = negotiateContentType(header, accepted);
  if (negotiated.ok) return negotiated.type.mediaType;
  throw new StatusError(unsupportedMediaType(accepted.map((type) => type.mediaType)));
}

/** Returns the level of field validation; `Warn` if the option is absent. */
export function fieldValidationOf(option: string): FieldValidation {
  return option === '' ? 'Warn' : (option as FieldValidation);
}

export interface BodyToDecode {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly fieldValidation: FieldValidation;
}

/**
 * Decodes the object of a create or an update. The caller must pass the result to `trackFields`: until then it has
 * empty lists that are not stored. Depending on `fieldValidation`, unknown and duplicate fields are ignored, become
 * warnings or throw the 400.
 */
export function decodeObject(
  host: EndpointHost,
  scope: RequestScope,
  request: ServerRequest,
  body: BodyToDecode,
): JsonObject {
  const expected = scope.bodyVersion;
  const decoded = readValue(body, expected);
  if (!decoded.ok) throw unrecognized(expected, decoded.message, body.bytes);
  // null decodes to an empty object.
  const value = decoded.value ?? {};
  const kind = bodyKind(value, expected, body);
  if ('message' in kind) throw unrecognized(expected, kind.message, body.bytes);
  if (kind.problem !== undefined) {
    // The reference's strict decoder does not know the expected kind, so the message differs.
    if (body.fieldValidation !== 'Ignore') throw unrecognized(expected, kind.problem, body.bytes);
    throw unhandled(kind.gvk, expected, kind.problem);
  }
  if (expected.unstructured !== true) checkKind(host, scope, kind.gvk);
  if (decoded.broken !== undefined) throw unhandled(kind.gvk, expected, decoded.broken);
  const object = value as JsonObject;
  if (expected.unstructured !== true) {
    object['kind'] = expected.kind;
    object['apiVersion'] = formatGroupVersion(expected);
  }
  const forgetsManagers = expected.unstructured !== true && hasEmptyManagedFields(object);
  const normalized = expected.normalize(object, true);
  if (!normalized.ok) throw unhandled(kind.gvk, expected, normalized.message);
  const problems = strictProblems(decoded.problems, normalized.problems, body.fieldValidation);
  if (problems.length > 0) {
    if (body.fieldValidation === 'Strict') throw unhandled(kind.gvk, expected, formatStrictError(problems));
    for (const warning of strictWarnings(problems)) request.warn(warning);
  }
  // For custom resources the version is checked after the whole body was decoded, as in the reference.
  if (expected.unstructured === true) checkKind(host, scope, kind.gvk);
  expected.setDefaults?.(normalized.object);
  if (forgetsManagers) setManagedFields(normalized.object, []);
  return normalized.object;
}

/** Returns the problems that the parser found, then those of the type. With `Ignore` there are none. */
export function strictProblems(
  read: readonly string[],
  normalized: readonly string[] | undefined,
  fieldValidation: FieldValidation,
): readonly string[] {
  if (normalized === undefined || normalized.length === 0 || fieldValidation === 'Ignore') return read;
  return [...read, ...normalized];
}

type ReadValue =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      readonly problems: readonly string[];
      /** The error of a body of which only the type fields could be decoded. */
      readonly broken?: string | undefined;
    }
  | { readonly ok: false; readonly message: string };

const NO_PROBLEMS: readonly string[] = [];

function readValue({ bytes, mediaType, fieldValidation }: BodyToDecode, version: VersionDefinition): ReadValue {
  if (mediaType === PROTOBUF_MEDIA_TYPE.mediaType) {
    const read = readProtobuf(bytes, version);
    return read.ok ? { ...read, problems: NO_PROBLEMS } : read;
  }
  if (version.unstructured === true) return readUnstructured(bytes, mediaType, fieldValidation);
  const view = version.type();
  if (mediaType === 'application/yaml') {
    const read = decodeStrictYaml(bytes, { fieldValidation, view });
    return read.ok ? read : { ok: false, message: read.error.message };
  }
  if (mediaType === 'application/cbor') {
    const read = decodeCbor(bytes);
    if (!read.ok) return { ok: false, message: read.error.message };
    if (!hasUnknownFields(read.value, view)) return { ok: true, value: read.value, problems: NO_PROBLEMS };
    // The CBOR decoder refuses duplicates itself. Unknown fields are found by decoding the value again as JSON.
    const strict = decodeStrictJson(writeJson(read.value, { escapeHtml: false }), { fieldValidation, view });
    return strict.ok ? strict : { ok: false, message: strict.error.message };
  }
  const read = decodeStrictJson(bytes, { fieldValidation, view });
  return read.ok ? read : { ok: false, message: `${NO_KIND} ${read.error.message}` };
}

function readUnstructured(bytes: Uint8Array, mediaType: string, fieldValidation: FieldValidation): ReadValue {
  if (mediaType === 'application/yaml') {
    const read = decodeStrictYaml(bytes, { fieldValidation });
    return read.ok ? read : { ok: false, message: read.error.message };
  }
  if (mediaType === 'application/cbor') {
    const read = decodeCbor(bytes);
    return read.ok
      ? { ok: true, value: read.value, problems: NO_PROBLEMS }
      : { ok: false, message: read.error.message };
  }
  const read = decodeStrictJson(bytes, { fieldValidation });
  return read.ok ? read : { ok: false, message: `${NO_KIND} ${read.error.message}` };
}

const NO_KIND = "couldn't get version/kind; json parse error:";
// The anonymous Go struct into which the reference decodes type fields. It appears in messages.
const TYPE_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

type BodyKind =
  /** `problem` is set if the kind is missing. */
  | { readonly gvk: GroupVersionKind; readonly problem?: string | undefined }
  /** The type fields cannot be decoded. */
  | { readonly message: string };

/**
 * Returns the kind of a body. Missing parts are those of the expected version. Messages show the body as it was sent,
 * or as JSON.
 */
function bodyKind(value: JsonValue, expected: VersionDefinition, body?: BodyToDecode): BodyKind {
  if (!isJsonObject(value))
    return { message: `${NO_KIND} ${cannotUnmarshal(value, `Go value of type ${TYPE_STRUCT}`)}` };
  for (const name of Object.keys(value)) {
    if (name !== 'kind' && name !== 'apiVersion') continue;
    const field = value[name] as JsonValue;
    if (typeof field !== 'string' && field !== null)
      return { message: `${NO_KIND} ${cannotUnmarshal(field, `Go struct field .${name} of type string`)}` };
  }
  const apiVersion = (getField(value, 'apiVersion') ?? '') as string;
  const kind = (getField(value, 'kind') ?? '') as string;
  const parsed = parseGroupVersion(apiVersion);
  if (!parsed.ok) return { message: parsed.message };
  let { group, version } = parsed.value;
  if (expected.unstructured === true && kind !== '') return { gvk: { group, version, kind } };
  if (version === '' && (group === '' || group === expected.group)) ({ group, version } = expected);
  const gvk = { group, version, kind: kind === '' ? expected.kind : kind };
  if (expected.unstructured !== true) return { gvk };
  const isShown = body !== undefined && (body.mediaType === 'application/json' || body.fieldValidation !== 'Ignore');
  const shown = isShown ? decodeUtf8(body.bytes) : writeJson(value);
  return { gvk, problem: `Object 'Kind' is missing in '${shown}'` };
}

function checkKind(host: EndpointHost, scope: RequestScope, gvk: GroupVersionKind): void {
  const { bodyVersion, versions } = scope;
  const { group, version, kind } = gvk;
  if (kind === bodyVersion.kind && version === bodyVersion.version && group === bodyVersion.group) return;
  if (
    kind === bodyVersion.kind &&
    bodyVersion.accepts?.some((other) => other.version === version && other.group === group)
  )
    return;
  if (bodyVersion.unstructured === true) {
    if (version === bodyVersion.version && group === bodyVersion.group) return;
    throw otherVersion(gvk, bodyVersion);
  }
  if (kind === bodyVersion.kind && versions.some((other) => other.version === version && other.group === group))
    throw otherVersion(gvk, bodyVersion);
  throw unhandled(gvk, bodyVersion, foreignKind(host, bodyVersion, gvk));
}

function otherVersion(gvk: GroupVersionKind, bodyVersion: VersionDefinition): StatusError {
  const [given, expected] = [formatGroupVersion(gvk), formatGroupVersion(bodyVersion)];
  return new StatusError(
    badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`),
  );
}

/** Returns what is wrong with the type fields of a patched value; undefined if it has the expected kind. */
export function kindProblem(host: EndpointHost, { bodyVersion }: RequestScope, value: JsonValue): string | undefined {
  const kind = bodyKind(value, bodyVersion);
  if ('message' in kind) return kind.message;
  const { gvk, problem } = kind;
  if (bodyVersion.unstructured === true) return problem;
  if (gvk.kind === bodyVersion.kind && gvk.version === bodyVersion.version && gvk.group === bodyVersion.group)
    return undefined;
  return foreignKind(host, bodyVersion, gvk);
}

function foreignKind(host: EndpointHost, bodyVersion: VersionDefinition, gvk: GroupVersionKind): string {
  if (host.knowsKind(gvk))
    return `converting (${gvk.version}.${gvk.kind}) to (${hubPackage(bodyVersion.group)}.${bodyVersion.kind}): unknown conversion`;
  return `${notRegistered(gvk)} in scheme "pkg/runtime/scheme.go:111"`;
}

function unhandled(gvk: GroupVersionKind, expected: VersionDefinition, problem: string): StatusError {
  const message = `${gvk.kind} in version ${quote(gvk.version)} cannot be handled as a ${expected.kind}: ${problem}`;
  return new StatusError(badRequest(message));
}

function unrecognized(expected: VersionDefinition, problem: string, body: Uint8Array): StatusError {
  const message = `the object provided is unrecognized (must be of type ${expected.kind}): ${problem} (${summary(body)})`;
  return new StatusError(badRequest(message));
}

const SUMMARY_BYTES = 30;

/** Returns the first bytes of a body for a message: as text if it looks like JSON, otherwise in hexadecimal. */
function summary(body: Uint8Array): string {
  if (body.byteLength === 0) return '<empty>';
  const start = body.subarray(0, SUMMARY_BYTES);
  const text = start[0] === 0x7b ? decodeUtf8(start) : formatHex(start);
  return body.byteLength > SUMMARY_BYTES ? `${text} ...` : text;
}
