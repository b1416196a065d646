/**
 * The failures of lists and watches as data, and their classification for the list-then-watch protocol. As in
 * client-go, a Status is classified by its reason, and by its HTTP code only if the reason is unknown.
 */
import { getField, isJsonObject, type JsonValue } from '../../base/json-value.ts';
import { statusIs } from '../status/status.ts';

/** There was no response: the connection was refused, reset or timed out, or the response could not be read. */
export interface TransportFailure {
  readonly kind: 'transport';
  readonly message: string;
}

/** The server answered with a Status, over HTTP or as an ERROR event. */
export interface StatusFailure {
  readonly kind: 'status';
  /** The HTTP code; 0 if the Status has none. */
  readonly code: number;
  /** The reason of the Status, or ''. */
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly message: string }[];
  /** `details.retryAfterSeconds` or the Retry-After header; 0 if the server sent neither. */
  readonly retryAfterSeconds: number;
}

/** The watch ended within a second without progress. Without this failure it would be repeated without a pause. */
export interface ShortWatchFailure {
  readonly kind: 'short-watch';
}

/** A streaming list ended before the bookmark that completes it. */
export interface IncompleteListFailure {
  readonly kind: 'incomplete-list';
}

/** A response or an event cannot be used: it is malformed or too large, or a bookmark has no revision. */
export interface UnusableFailure {
  readonly kind: 'unusable';
  readonly message: string;
}

export type Failure = TransportFailure | StatusFailure | ShortWatchFailure | IncompleteListFailure | UnusableFailure;

/**
 * The failure of a server's Status. A field that is missing or has a wrong type counts as absent. `defaults` come from
 * the HTTP response.
 */
export function statusFailure(
  status: JsonValue | undefined,
  defaults: { readonly code?: number; readonly retryAfterSeconds?: number } = {},
): StatusFailure {
  const details = field(status, 'details');
  const causes = field(details, 'causes');
  return {
    kind: 'status',
    code: count(field(status, 'code')) || (defaults.code ?? 0),
    reason: text(field(status, 'reason')),
    message: text(field(status, 'message')),
    causes: Array.isArray(causes)
      ? causes
          .slice(0, MAX_CAUSES)
          .map((cause) => ({ reason: text(field(cause, 'reason')), message: text(field(cause, 'message')) }))
      : [],
    retryAfterSeconds: count(field(details, 'retryAfterSeconds')) || (defaults.retryAfterSeconds ?? 0),
  };
}

/** Whether the requested revision is no longer in the server's history. */
export function isExpired(failure: Failure): boolean {
  return failure.kind === 'status' && (failure.reason === 'Expired' || statusIs(failure, 'Gone', 410));
}

/** Whether the server has not reached the requested revision, for example after it was restored from a backup. */
export function isResourceVersionTooLarge(failure: Failure): boolean {
  if (failure.kind !== 'status') return false;
  if (failure.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  // Servers before 1.19 say it only in the message of a Timeout.
  return (
    statusIs(failure, 'Timeout', 504) &&
    (failure.causes.some((cause) => cause.message === TOO_LARGE) || failure.message.includes(TOO_LARGE))
  );
}

export function isTooManyRequests(failure: Failure): boolean {
  // Here the code alone decides too, as in the reference.
  return failure.kind === 'status' && (failure.reason === 'TooManyRequests' || failure.code === 429);
}

const TOO_LARGE = 'Too large resource version';
const MAX_CAUSES = 100;

function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? getField(value, name) : undefined;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function count(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
