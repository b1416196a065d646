/**
 * Parses the resourceVersion of requests: a decimal uint64, where '' and '0' mean none. Malformed values are refused
 * with kube-apiserver's messages. A value above the largest safe integer is treated as a revision that is never
 * reached.
 */

import { quote } from '../../apimachinery/go-format.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, resourceVersionTooLarge, unknown } from '../../apimachinery/status/status-catalogue.ts';
import type { Revision } from '../../storage/storage.ts';

const UINT64_MAX = 2n ** 64n - 1n;

/** The Retry-After of a 504 for a revision that is not reached yet, as in kube-apiserver. */
const TOO_HIGH_RETRY_SECONDS = 1;

export type ParsedVersion =
  | { readonly ok: true; readonly revision: Revision }
  /** The error message of Go's strconv. */
  | { readonly ok: false; readonly message: string };

/** Parses a resourceVersion. The revision is 0 for '' and for '0'. */
export function parseVersion(text: string): ParsedVersion {
  if (text === '' || text === '0') return { ok: true, revision: 0 };
  if (!/^[0-9]+$/.test(text))
    return { ok: false, message: `strconv.ParseUint: parsing ${quote(text)}: invalid syntax` };
  if (text.length >= 20 && BigInt(text) > UINT64_MAX)
    return { ok: false, message: `strconv.ParseUint: parsing ${quote(text)}: value out of range` };
  return { ok: true, revision: Math.min(Number(text), Number.MAX_SAFE_INTEGER) };
}

/** kube-apiserver's message for errors that name the field. */
function fieldMessage(text: string, message: string): string {
  return `resourceVersion: Invalid value: ${quote(text)}: ${message}`;
}

/** Parses the revision of a list. Throws a 400 if it is malformed. */
export function listRevision(text: string): Revision {
  const parsed = parseVersion(text);
  if (parsed.ok) return parsed.revision;
  throw new StatusError(badRequest(`invalid resource version: ${fieldMessage(text, parsed.message)}`));
}

/** Parses the revision of a get or a watch. Throws a 500 if it is malformed, like kube-apiserver. */
export function readRevision(text: string): Revision {
  const parsed = parseVersion(text);
  if (parsed.ok) return parsed.revision;
  throw new StatusError(unknown(fieldMessage(text, parsed.message)));
}

/** Parses the revision in an object of a request; 0 for ''. Throws a 500 if it is malformed, like kube-apiserver. */
export function objectRevision(text: string): Revision {
  const parsed = parseVersion(text);
  if (parsed.ok) return parsed.revision;
  throw new StatusError(unknown(parsed.message));
}

/** The 504 for a revision that the cache did not reach in time. */
export function tooLarge(requested: string | Revision, current: Revision): StatusError {
  return new StatusError(resourceVersionTooLarge(BigInt(requested), current, TOO_HIGH_RETRY_SECONDS));
}
