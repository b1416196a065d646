/**
 * How a patch fails, as data that all patch kinds share. Invariant: a bad patch or a document it does not fit is an answer, never an
 * exception; depth is bounded here so that no later recursion can exhaust the stack.
 */
import type { JsonValue } from '../../base/json-value.ts';

/**
 * The kind of failure, and the Status that the reference's patch handler gives for it:
 * - `invalid-patch`: 400 `BadRequest` with the message. The patch is not a patch (wrong JSON type, malformed directive).
 * - `unprocessable`: 422 `Invalid`. The patch is well formed and does not apply. The reference does not send the message here: its
 *   Status says `the server rejected our request due to an error in our request` and has empty details.
 * - `too-large`: 413 `RequestEntityTooLarge` with `Request entity too large: ` before the message. A limit on operations or work.
 * - `unclassified`: 500 with an empty reason and the message. Failures of strategic merge that the reference's handler passes on
 *   without giving them a status: a missing merge key, an unknown field, an unknown `$patch`.
 */
export type PatchErrorCode = 'invalid-patch' | 'unprocessable' | 'too-large' | 'unclassified';

export interface PatchError {
  readonly code: PatchErrorCode;
  /** The reference's words where it has any. */
  readonly message: string;
  /** Where: the operation's path in a JSON patch, the dotted place of the object in a strategic merge. */
  readonly path?: string;
}

export type PatchResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: PatchError };

export function patchFailure(
  code: PatchErrorCode,
  message: string,
  path?: string,
): { readonly ok: false; readonly error: PatchError } {
  return { ok: false, error: path === undefined ? { code, message } : { code, message, path } };
}

/**
 * Arrays and objects inside each other, in a patch and in what a JSON patch makes. The reference's decoder stops at 10,000; this is lower
 * because values are walked by recursion. No real object comes near it.
 */
export const MAX_PATCH_DEPTH = 1_000;

/** What the reference's decoder says of a value that is nested too deeply. */
export const TOO_DEEP = 'exceeded max depth';

/** Whether arrays and objects nest more than `limit` levels; looks no deeper than that. */
export function deeperThan(value: JsonValue, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit <= 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (deeperThan(item, limit - 1)) return true;
    return false;
  }
  for (const key of Object.keys(value)) if (deeperThan(value[key] as JsonValue, limit - 1)) return true;
  return false;
}
