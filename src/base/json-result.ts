/** The result type of the JSON readers. */
import type { JsonValue } from './json-value.ts';

/** A path as strict decoding errors print it: `spec.containers[0].name`. Keys are not escaped. */
export type JsonPath = string;

export interface JsonReadError {
  /** The reference's message, such as `invalid character '}' looking for beginning of value`. */
  readonly message: string;
  /** The offset in bytes of the error, from 0. The length of the input if it ended too early. */
  readonly offset: number;
}

export type JsonReadResult =
  | { readonly ok: true; readonly value: JsonValue; readonly duplicates: readonly JsonPath[] }
  | { readonly ok: false; readonly error: JsonReadError };
