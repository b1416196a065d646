/**
 * What stands between plain values and stored bytes: encryption at rest, another encoding. Invariant: a stored value says by its own
 * leading bytes how it is encoded, in the reference's etcd layout, so values of several encodings lie side by side.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';

/** `unknown` is for values that carry none of the marks. */
export type ValueEncoding = 'json' | 'protobuf' | 'cbor' | 'encrypted' | 'unknown';

const MARKS: readonly { readonly encoding: ValueEncoding; readonly mark: readonly number[] }[] = [
  { encoding: 'json', mark: [0x7b] }, // {
  { encoding: 'protobuf', mark: [0x6b, 0x38, 0x73, 0x00] }, // k8s\0
  { encoding: 'cbor', mark: [0xd9, 0xd9, 0xf7] }, // the self-described tag of RFC 8949
  { encoding: 'encrypted', mark: [0x6b, 0x38, 0x73, 0x3a, 0x65, 0x6e, 0x63, 0x3a] }, // k8s:enc:
];

/** The encoding that a value's mark names. */
export function valueEncoding(value: Uint8Array): ValueEncoding {
  for (const { encoding, mark } of MARKS) if (mark.every((byte, i) => value[i] === byte)) return encoding;
  return 'unknown';
}

/** Where a value belongs: a transformer may bind its bytes to the key, so that values cannot be swapped in the store. */
export interface TransformContext {
  readonly key: string;
}

export interface FromStorage {
  readonly value: Uint8Array;
  /** `toStorage` would make other bytes today (an old encryption key, an old encoding): the value should be written again. */
  readonly stale: boolean;
}

/**
 * Reversible: `fromStorage(toStorage(v))` is v, not stale. Neither changes the bytes it is given. `fromStorage` throws
 * StorageError(Corrupt) for bytes it cannot understand. `toStorage` need not be deterministic.
 */
export interface ValueTransformer {
  toStorage(value: Uint8Array, context: TransformContext): MaybePromise<Uint8Array>;
  fromStorage(stored: Uint8Array, context: TransformContext): MaybePromise<FromStorage>;
}
