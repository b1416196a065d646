/** What reading JSON gives. Invariant: a failure has the reference's words and says where it is. */
import type { JsonValue } from './json-value.ts';

/** A path as strict decoding errors print it: `spec.containers[0].name`; keys are not escaped. */
export type JsonPath = string;

export interface JsonReadError {
  /** The words of the reference, such as `invalid character '}' looking for beginning of value`. */
  readonly message: string;
  /** Zero-based offset in bytes of what could not be read; the length of the input if it ended too early. */
  readonly offset: number;
}

export type JsonReadResult =
  | { readonly ok: true; readonly value: JsonValue; readonly duplicates: readonly JsonPath[] }
  | { readonly ok: false; readonly error: JsonReadError };
