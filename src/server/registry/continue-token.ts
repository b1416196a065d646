/**
 * Continue tokens in kube-apiserver's form: base64url of `{"v":"meta.k8s.io/v1","rv":N,"start":"..."}`. This server and
 * kube-apiserver accept each other's tokens. `start` is the key of the next object; in kube-apiserver's tokens it is
 * the last key of the page with a zero byte.
 *
 * Invariant: the start key of a decoded token is below the prefix of the list that it is used with.
 */
import { formatNumber } from '../../apimachinery/go-format.ts';
import { jsonKind } from '../../apimachinery/go-json.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest } from '../../apimachinery/status/status-catalogue.ts';
import { decodeBase64, encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { readJson } from '../../base/json-read.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { escapePath, unescapeSegment } from '../../storage/keys.ts';
import type { Revision } from '../../storage/storage.ts';

export interface ContinueToken {
  /**
   * The revision of the list. Negative: the list continues with the current state, which may differ from the state of
   * earlier pages.
   */
  readonly revision: Revision;
  /** The whole key at which the page starts. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';
const INVALID = 'continue key is not valid';

/** The revision in a token that continues with the current state. */
export const ANY_REVISION = -1;

export function encodeContinue(prefix: string, token: ContinueToken): string {
  const text = writeJson({ v: VERSION, rv: token.revision, start: unescapeSegment(token.start.slice(prefix.length)) });
  return encodeBase64(encodeUtf8(text)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Decodes a token. Throws a 400 for a token that this server cannot have made. */
export function decodeContinue(prefix: string, text: string): ContinueToken {
  const decoded = read(prefix, text);
  if (typeof decoded === 'string') throw new StatusError(badRequest(`invalid continue token: ${decoded}`));
  return decoded;
}

function read(prefix: string, text: string): ContinueToken | string {
  const bad = illegalByte(text);
  if (bad >= 0) return `${INVALID}: illegal base64 data at input byte ${bad}`;
  const padded = text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (text.length % 4)) % 4);
  const parsed = readJson(decodeBase64(padded) ?? new Uint8Array(0));
  if (!parsed.ok) return `${INVALID}: ${parsed.error.message}`;
  const { value } = parsed;
  if (!isJsonObject(value)) {
    return value === null
      ? unrecognized('')
      : `${INVALID}: json: cannot unmarshal ${jsonKind(value)} into Go value of type storage.continueToken`;
  }
  return readFields(prefix, value);
}

function readFields(prefix: string, value: JsonObject): ContinueToken | string {
  const version = getField(value, 'v') ?? '';
  const revision = getField(value, 'rv') ?? 0;
  const start = getField(value, 'start') ?? '';
  if (typeof version !== 'string') return mismatch(version, 'v', 'string');
  if (typeof revision !== 'bigint' && !(typeof revision === 'number' && Number.isInteger(revision)))
    return mismatch(revision, 'rv', 'int64', typeof revision === 'number' ? ` ${formatNumber(revision)}` : '');
  if (typeof start !== 'string') return mismatch(start, 'start', 'string');
  if (version !== VERSION) return unrecognized(version);
  if (Number(revision) === 0) return `${INVALID}: incorrect encoded start resourceVersion (version ${VERSION})`;
  if (start === '') return `${INVALID}: encoded start key empty (version ${VERSION})`;
  const relative = start.startsWith('/') ? start.slice(1) : start;
  if (!isClean(relative)) return `${INVALID}: ${start}`;
  return { revision: Math.min(Number(revision), Number.MAX_SAFE_INTEGER), start: prefix + escapePath(relative) };
}

function unrecognized(version: string): string {
  return `${INVALID}: server does not recognize this encoded version ${version}`;
}

function mismatch(value: JsonValue, field: string, type: string, literal = ''): string {
  return `${INVALID}: json: cannot unmarshal ${jsonKind(value)}${literal} into Go struct field continueToken.${field} of type ${type}`;
}

/** Whether a path has no empty segment, no `.`, no `..` and no slash at the end. */
function isClean(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/** Returns the offset at which Go's decoder of unpadded base64url fails; -1 if it does not fail. */
function illegalByte(text: string): number {
  const illegal = /[^A-Za-z0-9_-]/.exec(text);
  if (illegal !== null) return illegal.index;
  return text.length % 4 === 1 ? text.length - 1 : -1;
}
