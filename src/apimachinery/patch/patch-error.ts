/**
 * The failures of patches, as values that all patch types share. Depth is bounded here, so that recursion over a patch
 * cannot exhaust the stack.
 */
import type { JsonValue } from '../../base/json-value.ts';

/**
 * The class of a failure, and the Status with which the reference's patch handler answers it:
 * - `invalid-patch`: 400 `BadRequest` with the message. The patch is malformed (wrong JSON type, bad directive).
 * - `unprocessable`: 422 `Invalid`. The patch is well formed and does not apply. The reference does not send the
 *   message: its Status says `the server rejected our request due to an error in our request` and has empty details.
 * - `too-large`: 413 `RequestEntityTooLarge` with `Request entity too large: ` before the message. A limit on
 *   operations or work is exceeded.
 * - `unclassified`: 500 with an empty reason and the message. Failures of strategic merge to which the reference's
 *   handler gives no status: a missing merge key, an unknown field, an unknown `$patch`.
 */
export type PatchErrorCode = 'invalid-patch' | 'unprocessable' | 'too-large' | 'unclassified';

export interface PatchError {
  readonly code: PatchErrorCode;
  /** The reference's message where it has one. */
  readonly message: string;
  /** The path of the operation in a JSON patch, or of the object in a strategic merge, separated by dots. */
  readonly path?: string;
  /** Whether a `test` of a JSON patch found another value. Default false. */
  readonly testFailed?: boolean;
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
 * The deepest nesting of arrays and objects in a patch and in the result of a JSON patch. The reference's decoder
 * allows 10,000. The limit is lower here because values are walked recursively; real objects are far below it.
 */
export const MAX_PATCH_DEPTH = 1_000;

/** The reference's message about a value that is nested too deeply. */
export const TOO_DEEP = 'exceeded max depth';

/** Whether arrays and objects nest more than `limit` levels. Looks no deeper than that. */
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
