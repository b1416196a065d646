/**
 * JSON Web Signatures in compact form, as the reference's go-jose makes and takes them. Invariant: a key verifies only its own algorithm,
 * so that the header of a token never chooses how the token is checked.
 */
import { encodeUtf8 } from '../base/bytes.ts';
import { readJson } from '../base/json-read.ts';
import { getField, isJsonObject, type JsonObject } from '../base/json-value.ts';
import { writeJsonBytes } from '../base/json-write.ts';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';
import { type PrivateKey, type PublicKey, signBytes, verifyBytes } from './keys.ts';

/** A token taken apart. Nothing in it can be trusted before `verifyJws` said yes. */
export interface Jws {
  readonly algorithm: string;
  /** '' if the header names no key. */
  readonly keyId: string;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  readonly signedText: string;
  /** The header demands something that nobody here understands. */
  readonly critical: boolean;
}

/** go-jose's text for every signature that does not verify, whatever the cause. */
export const SIGNATURE_FAILURE = 'go-jose/go-jose: error in cryptographic primitive';

// Claims are two levels deep; the bound only has to be far from the call stack's.
const MAX_DEPTH = 200;

/** A signed token; the keys of the payload are sorted at every level, as Go's maps print. */
export async function signJws(key: PrivateKey, payload: JsonObject): Promise<string> {
  const header = { alg: key.algorithm, kid: key.publicKey.keyId };
  const parts = [header, sortKeys(payload)].map((part) => encodeBase64Url(writeJsonBytes(part)));
  const signature = await signBytes(key, encodeUtf8(parts.join('.')));
  return [...parts, encodeBase64Url(signature)].join('.');
}

/** Takes a compact token apart; undefined if it is none. Never throws. */
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

/** Whether the key made the signature. */
export async function verifyJws(jws: Jws, key: PublicKey): Promise<boolean> {
  if (jws.critical || jws.algorithm !== key.algorithm) return false;
  return verifyBytes(key, jws.signature, encodeUtf8(jws.signedText));
}

/** The payload as an object, or the reference's complaint. Equal keys are refused unless told to be ignored. */
export function readJwsPayload(payload: Uint8Array, duplicates: 'report' | 'ignore' = 'report'): JsonObject | string {
  const result = readJson(payload, { duplicates, maxDepth: MAX_DEPTH });
  if (!result.ok) return result.error.message;
  if (result.duplicates[0] !== undefined) return `json: duplicate key '${result.duplicates[0]}' in object`;
  return isJsonObject(result.value) ? result.value : 'json: cannot unmarshal the payload: it is not an object';
}

/** Claims are shallow, so recursion is bounded by what we put in ourselves. */
function sortKeys(object: JsonObject): JsonObject {
  const sorted: JsonObject = {};
  for (const key of Object.keys(object).sort()) {
    const value = object[key];
    if (value !== undefined) sorted[key] = isJsonObject(value) ? sortKeys(value) : value;
  }
  return sorted;
}
