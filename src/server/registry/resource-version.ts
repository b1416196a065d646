/**
 * resourceVersion as requests give it: a decimal uint64, where '' and '0' mean "none". Invariant: what cannot be a revision is refused with the reference's
 * words; one beyond every revision that can be reached counts as a revision of the future.
 */

import { quote } from '../../apimachinery/go-format.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, resourceVersionTooLarge, unknown } from '../../apimachinery/status/status-catalogue.ts';
import type { Revision } from '../../storage/storage.ts';

const UINT64_MAX = 2n ** 64n - 1n;

/** Seconds after which a client may ask again for a revision of the future, as the reference suggests. */
const TOO_HIGH_RETRY_SECONDS = 1;

export type ParsedVersion =
  | { readonly ok: true; readonly revision: Revision }
  /** In the words of Go's strconv. */
  | { readonly ok: false; readonly message: string };

/** 0 for '' and for zero. */
export function parseVersion(text: string): ParsedVersion {
  if (text === '' || text === '0') return { ok: true, revision: 0 };
  if (!/^[0-9]+$/.test(text))
    return { ok: false, message: `strconv.ParseUint: parsing ${quote(text)}: invalid syntax` };
  if (text.length >= 20 && BigInt(text) > UINT64_MAX)
    return { ok: false, message: `strconv.ParseUint: parsing ${quote(text)}: value out of range` };
  return { ok: true, revision: Math.min(Number(text), Number.MAX_SAFE_INTEGER) };
}

/** How the reference prints the failure where it names the field. */
function fieldMessage(text: string, message: string): string {
  return `resourceVersion: Invalid value: ${quote(text)}: ${message}`;
}

/** Of a list: 400. */
export function listRevision(text: string): Revision {
  const parsed = parseVersion(text);
  if (parsed.ok) return parsed.revision;
  throw new StatusError(badRequest(`invalid resource version: ${fieldMessage(text, parsed.message)}`));
}

/** Of a get or a watch: the reference answers 500 with the bare text. */
export function readRevision(text: string): Revision {
  const parsed = parseVersion(text);
  if (parsed.ok) return parsed.revision;
  throw new StatusError(unknown(fieldMessage(text, parsed.message)));
}

/** Of an object in a request: '' is 0, and the reference answers 500 to what is no number. */
export function objectRevision(text: string): Revision {
  const parsed = parseVersion(text);
  if (parsed.ok) return parsed.revision;
  throw new StatusError(unknown(parsed.message));
}

/** 504: the revision was not reached in time. */
export function tooLarge(requested: string | Revision, current: Revision): StatusError {
  return new StatusError(resourceVersionTooLarge(BigInt(requested), current, TOO_HIGH_RETRY_SECONDS));
}
