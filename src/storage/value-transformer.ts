/**
 * The interface of transformers, which convert plain values to stored bytes and back: encryption at rest and other
 * encodings.
 * Invariant: the leading bytes of a stored value name its encoding, as in kube-apiserver's etcd layout. A store may
 * therefore hold values of several encodings.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';

/** `unknown`: the value begins with none of the marks. */
export type ValueEncoding = 'json' | 'protobuf' | 'cbor' | 'encrypted' | 'unknown';

const MARKS: readonly { readonly encoding: ValueEncoding; readonly mark: readonly number[] }[] = [
  { encoding: 'json', mark: [0x7b] }, // {
  { encoding: 'protobuf', mark: [0x6b, 0x38, 0x73, 0x00] }, // k8s\0
  { encoding: 'cbor', mark: [0xd9, 0xd9, 0xf7] }, // the self-described tag of RFC 8949
  { encoding: 'encrypted', mark: [0x6b, 0x38, 0x73, 0x3a, 0x65, 0x6e, 0x63, 0x3a] }, // k8s:enc:
];

/** Detects the encoding of a stored value by its leading bytes. */
export function valueEncoding(value: Uint8Array): ValueEncoding {
  for (const { encoding, mark } of MARKS) if (mark.every((byte, i) => value[i] === byte)) return encoding;
  return 'unknown';
}

/**
 * The context of a value. A transformer may bind the stored bytes to the key, so that nobody can swap two stored
 * values.
 */
export interface TransformContext {
  readonly key: string;
}

export interface FromStorage {
  readonly value: Uint8Array;
  /** The value is stored with an outdated encryption key or encoding and should be written again. */
  readonly stale: boolean;
  /** True if this process has encoded the value, so that its readers need not check the encoding. */
  readonly isOwn?: boolean | undefined;
}

/**
 * Invariant: `fromStorage(toStorage(v))` is v and not stale. Neither method may change the bytes that it is given.
 * `toStorage` need not be deterministic. `fromStorage` throws StorageError(Corrupt) for bytes that it cannot decode.
 */
export interface ValueTransformer {
  /** Whether `fromStorage` may call a value stale. Default true. */
  readonly mayBeStale?: boolean;
  toStorage(value: Uint8Array, context: TransformContext): MaybePromise<Uint8Array>;
  fromStorage(stored: Uint8Array, context: TransformContext): MaybePromise<FromStorage>;
}
