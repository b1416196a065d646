/**
 * JSON Web Signatures (RFC 7515) in compact form, as go-jose writes and reads them.
 * Invariant: a key verifies only its own algorithm, so the header of a token never chooses how the token is checked.
 */
import { encodeUtf8 } from '../base/bytes.ts';
import { readJson } from '../base/json-read.ts';
import { getField, isJsonObject, type JsonObject } from '../base/json-value.ts';
import { writeJsonBytes } from '../base/json-write.ts';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';
import { type PrivateKey, type PublicKey, signBytes, verifyBytes } from './keys.ts';

/** A parsed token. It is untrusted until `verifyJws` returns true. */
export interface Jws {
  readonly algorithm: string;
  /** Empty if the header names no key. */
  readonly keyId: string;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly signedText: string;
  /** The header has a `crit` field. No critical extension is supported, so such a token never verifies. */
  readonly critical: boolean;
}

/** go-jose's text for every signature that does not verify, for any cause. */
export const SIGNATURE_FAILURE = 'go-jose/go-jose: error in cryptographic primitive';

/** Claims are two levels deep. The limit only has to stay far below the depth of the call stack. */
const MAX_DEPTH = 200;

/** Signs a token. Sorts the keys of the payload at every level, as Go prints maps. */
export async function signJws(key: PrivateKey, payload: JsonObject): Promise<string> {
  const header = { alg: key.algorithm, kid: key.publicKey.keyId };
  const parts = [header, sortKeys(payload)].map((part) => encodeBase64Url(writeJsonBytes(part)));
  const signature = await signBytes(key, encodeUtf8(parts.join('.')));
  return [...parts, encodeBase64Url(signature)].join('.');
}

/** Parses a compact token; undefined if it is malformed. Never throws. */
export function parseJws(token: string): Jws | undefined {
  const parts = token.split('.', 4);
  if (parts.length !== 3) return undefined;
  const [headerBytes, payload, signature] = parts.map(decodeBase64Url);
  if (headerBytes === undefined || payload === undefined || signature === undefined) return undefined;
  const header = readJson(headerBytes, { duplicates: 'report', maxDepth: MAX_DEPTH });
  if (!header.ok || header.duplicates.length > 0 || !isJsonObject(header.value)) return undefined;
  const algorithm = getField(header.value, 'alg') ?? '';
  const keyId = getField(header.value, 'kid') ?? '';
  if (typeof algorithm !== 'string' || typeof keyId !== 'string') return undefined;
  const critical = getField(header.value, 'crit') !== undefined;
  return { algorithm, keyId, payload, signature, signedText: `${parts[0]}.${parts[1]}`, critical };
}

/** Returns whether the key made the signature. */
export async function verifyJws(jws: Jws, key: PublicKey): Promise<boolean> {
  if (jws.critical || jws.algorithm !== key.algorithm) return false;
  return verifyBytes(key, jws.signature, encodeUtf8(jws.signedText));
}

/**
 * Reads the payload as an object, or returns the reference's error text. Duplicate keys are an error unless
 * `duplicates` is `ignore`.
 */
export function readJwsPayload(payload: Uint8Array, duplicates: 'report' | 'ignore' = 'report'): JsonObject | string {
  const result = readJson(payload, { duplicates, maxDepth: MAX_DEPTH });
  if (!result.ok) return result.error.message;
  if (result.duplicates[0] !== undefined) return `json: duplicate key '${result.duplicates[0]}' in object`;
  return isJsonObject(result.value) ? result.value : 'json: cannot unmarshal the payload: it is not an object';
}

/** Recursion depth is bounded: only this server's own claims are sorted, and they are two levels deep. */
function sortKeys(object: JsonObject): JsonObject {
  const sorted: JsonObject = {};
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    if (value !== undefined) sorted[key] = isJsonObject(value) ? sortKeys(value) : value;
  }
  return sorted;
}
