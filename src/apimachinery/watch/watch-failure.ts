/**
 * What can go wrong with a list or a watch, as data, and the few questions the list-then-watch protocol asks about it. Invariant: an
 * answer of the server is judged by its reason first and by its HTTP code only where the reason says nothing, as client-go does.
 */
import { getField, isJsonObject, type JsonValue } from '../../base/json-value.ts';
import { statusIs } from '../status/status.ts';

/** No answer came: the connection was refused, reset, timed out, or the answer could not be read. */
export interface TransportFailure {
  readonly kind: 'transport';
  readonly message: string;
}

/** The server answered with a Status, over HTTP or as an ERROR event. */
export interface StatusFailure {
  readonly kind: 'status';
  /** HTTP code; 0 if the Status has none. */
  readonly code: number;
  /** The Status's reason; empty if it has none. */
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly message: string }[];
  /** `details.retryAfterSeconds` or the Retry-After header; 0 if the server named none. */
  readonly retryAfterSeconds: number;
}

/** The watch ended within a second and brought nothing, which would otherwise be repeated without a pause. */
export interface ShortWatchFailure {
  readonly kind: 'short-watch';
}

/** A streaming list ended before the bookmark that completes it. */
export interface IncompleteListFailure {
  readonly kind: 'incomplete-list';
}

/** An event that cannot be used, because it names no revision. */
export interface UnusableFailure {
  readonly kind: 'unusable';
  readonly message: string;
}

export type Failure = TransportFailure | StatusFailure | ShortWatchFailure | IncompleteListFailure | UnusableFailure;

/** A server's Status as a failure. Whatever is missing or of another type counts as absent; `defaults` come from the HTTP answer. */
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

/** The revision asked for is gone from the server's history. */
export function isExpired(failure: Failure): boolean {
  return failure.kind === 'status' && (failure.reason === 'Expired' || statusIs(failure, 'Gone', 410));
}

/** The revision asked for is one that the server has not reached, for example after it was restored from a backup. */
export function isResourceVersionTooLarge(failure: Failure): boolean {
  if (failure.kind !== 'status') return false;
  if (failure.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  // Servers before 1.19 say it only in words, inside a Timeout.
  return (
    statusIs(failure, 'Timeout', 504) &&
    (failure.causes.some((cause) => cause.message === TOO_LARGE) || failure.message.includes(TOO_LARGE))
  );
}

export function isTooManyRequests(failure: Failure): boolean {
  // Unlike the other questions, the code alone decides too, as in the reference.
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
