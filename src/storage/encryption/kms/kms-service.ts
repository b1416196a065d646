/**
 * The gRPC service v2.KeyManagementService of a KMS plugin, and the encoding of its messages. Field numbers are those
 * of `k8s.io/kms`, apis/v2/api.proto.
 */
import type { WireReader, WireWriter } from '../../../apimachinery/protobuf/wire.ts';
import { decodeUtf8Strict, EMPTY_BYTES } from '../../../base/bytes.ts';
import { GRPC, GrpcError } from '../../../base/grpc.ts';
import { type ReadField, readBytes, readFields, readNested } from '../../wire/field-reader.ts';
import { grpcFrame, writeBytes, writeEach, writeText } from '../../wire/field-writer.ts';

export const STATUS = '/v2.KeyManagementService/Status';
export const ENCRYPT = '/v2.KeyManagementService/Encrypt';
export const DECRYPT = '/v2.KeyManagementService/Decrypt';

export type Annotations = ReadonlyMap<string, Uint8Array>;

export interface KmsStatus {
  /** `v2` or `v2beta1`. */
  readonly version: string;
  /** `ok`, or the reason why the plugin cannot be used. */
  readonly healthz: string;
  /** The id of the key that the plugin encrypts with now. */
  readonly keyId: string;
}

/** The result of `encrypt`. `decrypt` needs all three fields, so they are stored with the value. */
export interface KmsEncrypted {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  /** Data that the plugin needs for decryption. Stored in plain text. */
  readonly annotations: Annotations;
}

/**
 * The calls to a KMS plugin. Each method rejects with a GrpcError if the call fails. `uid` identifies the call in the
 * logs of the plugin.
 */
export interface KmsService {
  status(): Promise<KmsStatus>;
  encrypt(plaintext: Uint8Array, uid: string): Promise<KmsEncrypted>;
  decrypt(encrypted: KmsEncrypted, uid: string): Promise<Uint8Array>;
}

export const NO_ANNOTATIONS: Annotations = new Map();

/** The longest request. `encrypted-object.ts` checks the limits of the fields, which are far lower. */
const MAX_REQUEST_BYTES = 1024 * 1024;

export function encryptRequest(plaintext: Uint8Array, uid: string): Uint8Array {
  return grpcFrame(MAX_REQUEST_BYTES, (writer) => {
    writeText(writer, 2, uid);
    writeBytes(writer, 1, plaintext);
  });
}

export function decryptRequest({ ciphertext, keyId, annotations }: KmsEncrypted, uid: string): Uint8Array {
  return grpcFrame(MAX_REQUEST_BYTES, (writer) => {
    writeAnnotations(writer, 4, annotations);
    writeText(writer, 3, keyId);
    writeText(writer, 2, uid);
    writeBytes(writer, 1, ciphertext);
  });
}

export function readStatusResponse(bytes: Uint8Array): KmsStatus {
  let version = '';
  let healthz = '';
  let keyId = '';
  fields(bytes, (reader, field, end) => {
    if (field === 1) version = strictText(reader, end);
    else if (field === 2) healthz = strictText(reader, end);
    else if (field === 3) keyId = strictText(reader, end);
    else return false;
    return true;
  });
  return { version, healthz, keyId };
}

export function readEncryptResponse(bytes: Uint8Array): KmsEncrypted {
  let ciphertext = EMPTY_BYTES;
  let keyId = '';
  const annotations = new Map<string, Uint8Array>();
  fields(bytes, (reader, field, end) => {
    if (field === 1) ciphertext = readBytes(reader, end);
    else if (field === 2) keyId = strictText(reader, end);
    else if (field === 3) readAnnotation(reader, end, annotations);
    else return false;
    return true;
  });
  return { ciphertext, keyId, annotations };
}

export function readDecryptResponse(bytes: Uint8Array): Uint8Array {
  let plaintext = EMPTY_BYTES;
  fields(bytes, (reader, field, end) => {
    if (field !== 1) return false;
    plaintext = readBytes(reader, end);
    return true;
  });
  return plaintext;
}

/** Writes a map field with one entry for each annotation. */
export function writeAnnotations(writer: WireWriter, field: number, annotations: Annotations): void {
  writeEach(writer, field, [...annotations], (entry, [name, value]) => {
    writeBytes(entry, 2, value);
    writeText(entry, 1, name);
  });
}

/** Reads one entry of a map field into `to`. A later entry replaces an earlier entry with the same name. */
export function readAnnotation(reader: WireReader, end: number, to: Map<string, Uint8Array>): void {
  let name = '';
  let value = EMPTY_BYTES;
  readNested(reader, end, (field, inner) => {
    if (field === 1) name = strictText(reader, inner);
    else if (field === 2) value = readBytes(reader, inner);
    else return false;
    return true;
  });
  to.set(name, value);
}

/**
 * Reads a string. As in Go, malformed UTF-8 makes the message invalid: a key id with replaced characters would name
 * another key.
 */
export function strictText(reader: WireReader, end: number): string {
  const to = reader.readLength(end);
  if (to < 0) return '';
  const text = decodeUtf8Strict(reader.takeBytes(to));
  if (text !== undefined) return text;
  reader.fail('a text has invalid UTF-8');
  return '';
}

function fields(bytes: Uint8Array, read: ReadField): void {
  const error = readFields(bytes, read);
  if (error !== undefined)
    throw new GrpcError(GRPC.internal, `the plugin sent an invalid message: ${error.message}`, { progress: 'unknown' });
}
