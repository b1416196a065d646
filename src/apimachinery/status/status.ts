/**
 * The Status object, and StatusError, its thrown form. Invariant: a Status made here is plain data with its keys in the reference's order,
 * so that JSON.stringify gives the reference's bytes; a StatusError captures no stack, because it reports an answer, not a fault.
 */
import { errorClass, KeelsonError } from '../../base/errors.ts';
import type { IssueReason } from '../validation/field-issue.ts';

/** Every reason the reference names. */
export type KnownStatusReason =
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StorageReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable';

/** A reason; servers and webhooks may invent their own. Absent or empty means unknown. */
export type StatusReason = KnownStatusReason | (string & {});

/** Every cause the reference names; those of fields are the reasons of issues. */
export type KnownCauseType =
  | IssueReason
  | 'UnexpectedServerResponse'
  | 'FieldManagerConflict'
  | 'ResourceVersionTooLarge'
  | 'ExitCode';

export type CauseType = KnownCauseType | (string & {});

export interface StatusCause {
  readonly reason?: CauseType;
  readonly message?: string;
  /** The path of the field, or the key of a stored object that could not be read. */
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The resource (`pods`), except in an Invalid, where it is the kind (`Pod`). */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  /** `continue` is set when an expired list may go on inconsistently. */
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code?: number;
}

const KNOWN_REASONS: ReadonlySet<string> = new Set<KnownStatusReason>([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StorageReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
]);

/** Reasons after which the same request may succeed unchanged. */
const RETRYABLE: ReadonlySet<string> = new Set<KnownStatusReason>([
  'ServerTimeout',
  'Timeout',
  'TooManyRequests',
  'ServiceUnavailable',
]);

/** A Status, thrown. Its message is the Status's; `retryable` follows from the reason or a `retryAfterSeconds`. */
export class StatusError extends KeelsonError {
  readonly status: Status;

  constructor(status: Status, options: { cause?: unknown } = {}) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    try {
      super('StatusError', status.message ?? '', { ...options, retryable: isRetryable(status) });
    } finally {
      Error.stackTraceLimit = limit;
    }
    this.status = status;
  }
}

function isRetryable(status: Status): boolean {
  return RETRYABLE.has(status.reason ?? '') || (status.details?.retryAfterSeconds ?? 0) > 0;
}

/** True for a StatusError of this or another copy of the package. */
export function isStatusError(value: unknown): value is StatusError {
  return errorClass(value) === 'StatusError';
}

/** The Status of a StatusError, or of an error that has one among its causes (eight deep at most); undefined otherwise. */
export function statusOf(error: unknown): Status | undefined {
  let at = error;
  for (let depth = 0; depth < 8; depth++) {
    if (isStatusError(at)) return at.status;
    if (!(at instanceof Error)) return undefined;
    at = at.cause;
  }
  return undefined;
}

/**
 * True if a Status has the reason, or has the code and no reason the reference knows (an answer of a proxy, say). Guards below apply it
 * to errors; the reference's clients decide alike.
 */
export function statusIs(
  status: { readonly reason?: string; readonly code?: number } | undefined,
  reason: KnownStatusReason,
  code: number | undefined,
): boolean {
  if (status === undefined) return false;
  if (status.reason === reason) return true;
  return code !== undefined && status.code === code && !KNOWN_REASONS.has(status.reason ?? '');
}

export function isUnauthorized(error: unknown): boolean {
  return statusIs(statusOf(error), 'Unauthorized', 401);
}

export function isForbidden(error: unknown): boolean {
  return statusIs(statusOf(error), 'Forbidden', 403);
}

export function isNotFound(error: unknown): boolean {
  return statusIs(statusOf(error), 'NotFound', 404);
}

/** By reason alone: the code 409 may also be a conflict. */
export function isAlreadyExists(error: unknown): boolean {
  return statusIs(statusOf(error), 'AlreadyExists', undefined);
}

export function isConflict(error: unknown): boolean {
  return statusIs(statusOf(error), 'Conflict', 409);
}

export function isGone(error: unknown): boolean {
  return statusIs(statusOf(error), 'Gone', 410);
}

/** By reason alone: a watch or list must start anew from a fresh list. */
export function isExpired(error: unknown): boolean {
  return statusIs(statusOf(error), 'Expired', undefined);
}

export function isInvalid(error: unknown): boolean {
  return statusIs(statusOf(error), 'Invalid', 422);
}

/** By reason alone: the code 500 is shared with internal errors. */
export function isServerTimeout(error: unknown): boolean {
  return statusIs(statusOf(error), 'ServerTimeout', undefined);
}

/** By reason alone: the code 500 is shared with internal errors. */
export function isStoreReadError(error: unknown): boolean {
  return statusIs(statusOf(error), 'StorageReadError', undefined);
}

export function isTimeout(error: unknown): boolean {
  return statusIs(statusOf(error), 'Timeout', 504);
}

/** By reason, or by the code 429 whatever the reason. */
export function isTooManyRequests(error: unknown): boolean {
  const status = statusOf(error);
  return status?.reason === 'TooManyRequests' || status?.code === 429;
}

export function isBadRequest(error: unknown): boolean {
  return statusIs(statusOf(error), 'BadRequest', 400);
}

export function isMethodNotAllowed(error: unknown): boolean {
  return statusIs(statusOf(error), 'MethodNotAllowed', 405);
}

export function isNotAcceptable(error: unknown): boolean {
  return statusIs(statusOf(error), 'NotAcceptable', 406);
}

/** By reason, or by the code 413 whatever the reason. */
export function isRequestEntityTooLarge(error: unknown): boolean {
  const status = statusOf(error);
  return status?.reason === 'RequestEntityTooLarge' || status?.code === 413;
}

export function isUnsupportedMediaType(error: unknown): boolean {
  return statusIs(statusOf(error), 'UnsupportedMediaType', 415);
}

export function isInternalError(error: unknown): boolean {
  return statusIs(statusOf(error), 'InternalError', 500);
}

export function isServiceUnavailable(error: unknown): boolean {
  return statusIs(statusOf(error), 'ServiceUnavailable', 503);
}

/** The first cause of a type; undefined if the error has none. */
export function statusCause(error: unknown, type: CauseType): StatusCause | undefined {
  return statusOf(error)?.details?.causes?.find((cause) => cause.reason === type);
}

/** True if the answer was not in the API's form, so somebody between client and server may have given it. */
export function isUnexpectedServerResponse(error: unknown): boolean {
  return statusCause(error, 'UnexpectedServerResponse') !== undefined;
}

/** True if a read asked for a revision the server has not reached. */
export function isResourceVersionTooLarge(error: unknown): boolean {
  return isTimeout(error) && statusCause(error, 'ResourceVersionTooLarge') !== undefined;
}

/** Seconds the server asks a client to wait; undefined if it does not ask. A ServerTimeout with details always asks, if only for 0 seconds. */
export function suggestedDelaySeconds(error: unknown): number | undefined {
  const status = statusOf(error);
  if (status?.details === undefined) return undefined;
  const seconds = status.details.retryAfterSeconds ?? 0;
  return seconds > 0 || status.reason === 'ServerTimeout' ? seconds : undefined;
}
