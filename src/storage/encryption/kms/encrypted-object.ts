/**
 * The encoding of a value that a KMS provider has encrypted: kube-apiserver's EncryptedObject (`k8s.io/apiserver`,
 * storage/value/encrypt/envelope/kmsv2/v2/api.proto), with the limits of its fields.
 */

import { formatAggregate } from '../../../apimachinery/go-format.ts';
import { WireWriter } from '../../../apimachinery/protobuf/wire.ts';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateFullyQualifiedDomainName } from '../../../apimachinery/validation/label-syntax.ts';
import { allocateBytes, EMPTY_BYTES } from '../../../base/bytes.ts';
import { readBytes, readFields } from '../../wire/field-reader.ts';
import { writeBytes, writeNumber, writeText } from '../../wire/field-writer.ts';
import type { KeyIdProblem } from './kms-observer.ts';
import { type Annotations, NO_ANNOTATIONS, readAnnotation, strictText, writeAnnotations } from './kms-service.ts';

/** How the key of a value is derived from the decrypted source (EncryptedDEKSourceType). */
export const SOURCE_TYPES = {
  /** The source is the AES-GCM key itself. Written by Kubernetes before 1.29. */
  aesGcmKey: 0,
  /** The source is a seed, from which HKDF derives a key for each value. */
  seed: 1,
} as const;

/** The encrypted seed or key of a value, as the plugin has returned it (the DEK source). */
export interface KeySource {
  readonly type: number;
  readonly keyId: string;
  readonly encrypted: Uint8Array;
  readonly annotations: Annotations;
}

export interface EncryptedObject extends KeySource {
  /** The encrypted value: a view of the decoded bytes. */
  readonly data: Uint8Array;
}

const MAX_KEY_ID_BYTES = 1024;
const MAX_SOURCE_BYTES = 1024;
const MAX_ANNOTATIONS_BYTES = 32 * 1024;
/** Above the sum of the limits of all fields of a source. */
const MAX_ENCODED_BYTES = 64 * 1024;

/** Decodes an object. If the bytes are not a valid object, returns the reason as a string. */
export function decodeEncryptedObject(bytes: Uint8Array): EncryptedObject | string {
  let data = EMPTY_BYTES;
  let keyId = '';
  let encrypted = EMPTY_BYTES;
  let annotations: Map<string, Uint8Array> | undefined;
  let type = 0;
  const error = readFields(bytes, (reader, field, end) => {
    if (field === 1) {
      const to = reader.readLength(end);
      if (to >= 0) data = reader.takeBytes(to);
    } else if (field === 2) keyId = strictText(reader, end);
    else if (field === 3) encrypted = readBytes(reader, end);
    else if (field === 4) {
      annotations ??= new Map();
      readAnnotation(reader, end, annotations);
    } else if (field === 5) type = reader.readVarint(end) ? Number(reader.toInt64()) : 0;
    else return false;
    return true;
  });
  if (error !== undefined) return `it is not an EncryptedObject: ${error.message}`;
  if (data.byteLength === 0) return 'encrypted data is empty';
  const object = { data, keyId, encrypted, annotations: annotations ?? NO_ANNOTATIONS, type };
  return sourceProblem(object) ?? object;
}

/** Encodes the fields after the data, which are the same for all values of a source. */
export function encodeKeySource({ type, keyId, encrypted, annotations }: KeySource): Uint8Array {
  const writer = new WireWriter(MAX_ENCODED_BYTES);
  writeNumber(writer, 5, type);
  writeAnnotations(writer, 4, annotations);
  writeBytes(writer, 3, encrypted);
  writeText(writer, 2, keyId);
  return writer.finish();
}

/** Joins `prefix`, the data field and the encoded source in one allocation. */
export function encodeEncryptedObject(prefix: Uint8Array, data: Uint8Array, source: Uint8Array): Uint8Array {
  const head = [0x0a]; // the tag of field 1
  for (let length = data.byteLength; ; length >>>= 7) {
    if (length < 0x80) {
      head.push(length);
      break;
    }
    head.push((length & 0x7f) | 0x80);
  }
  const bytes = allocateBytes(prefix.byteLength + head.length + data.byteLength + source.byteLength);
  bytes.set(prefix);
  bytes.set(head, prefix.byteLength);
  bytes.set(data, prefix.byteLength + head.length);
  bytes.set(source, bytes.byteLength - source.byteLength);
  return bytes;
}

/** Returns the first limit that a source exceeds, with kube-apiserver's message; undefined if the source is valid. */
export function sourceProblem({ type, keyId, encrypted, annotations }: KeySource): string | undefined {
  if (type !== SOURCE_TYPES.aesGcmKey && type !== SOURCE_TYPES.seed) return `unknown encryptedDEKSourceType: ${type}`;
  if (encrypted.byteLength === 0) return 'failed to validate encrypted DEK source: encrypted DEK source is empty';
  if (encrypted.byteLength > MAX_SOURCE_BYTES)
    return `failed to validate encrypted DEK source: encrypted DEK source is ${encrypted.byteLength} bytes, which exceeds the max size of ${MAX_SOURCE_BYTES}`;
  const problem = keyIdProblem(keyId);
  if (problem !== undefined) return `failed to validate key id: ${keyIdReason(keyId, problem)}`;
  const reason = annotations.size === 0 ? undefined : annotationsProblem(annotations);
  return reason === undefined ? undefined : `failed to validate annotations: ${reason}`;
}

export function keyIdProblem(keyId: string): KeyIdProblem | undefined {
  if (keyId === '') return 'empty';
  return Buffer.byteLength(keyId) > MAX_KEY_ID_BYTES ? 'too_long' : undefined;
}

export function keyIdReason(keyId: string, problem: KeyIdProblem): string {
  return problem === 'empty'
    ? 'keyID is empty'
    : `keyID is ${Buffer.byteLength(keyId)} bytes, which exceeds the max size of ${MAX_KEY_ID_BYTES}`;
}

function annotationsProblem(annotations: Annotations): string | undefined {
  let size = 0;
  const reasons: string[] = [];
  for (const [name, value] of annotations) {
    size += Buffer.byteLength(name) + value.byteLength;
    for (const issue of validateFullyQualifiedDomainName(name, ANNOTATIONS)) reasons.push(formatIssue(issue));
  }
  if (size > MAX_ANNOTATIONS_BYTES)
    reasons.push(`total size of annotations is ${size}, which exceeds the max size of ${MAX_ANNOTATIONS_BYTES}`);
  return reasons.length === 0 ? undefined : formatAggregate(reasons);
}

const ANNOTATIONS = FieldPath.of('annotations');

/** Returns a string that is equal for equal sources only, as the key of caches. */
export function sourceIdentity({ type, keyId, encrypted, annotations }: KeySource): string {
  let identity = `${type} ${keyId.length}:${keyId} ${latin1(encrypted)}`;
  if (annotations.size > 0)
    for (const name of [...annotations.keys()].sort())
      identity += ` ${name.length}:${name} ${latin1(annotations.get(name) ?? EMPTY_BYTES)}`;
  return identity;
}

/** The length in front prevents that two different sources have the same identity. */
function latin1(bytes: Uint8Array): string {
  return `${bytes.byteLength}:${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')}`;
}
