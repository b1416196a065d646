/**
 * The Status object, and StatusError, which carries one. Invariant: a Status is plain data with keys in the reference's
 * order, so that JSON.stringify gives the reference's bytes. A StatusError captures no stack, because it is a response
 * and not a fault; only one with code 500 is a fault of the server and captures its stack.
 */
import { errorClass, KeelsonError } from '../../base/errors.ts';
import type { IssueReason } from '../validation/field-issue.ts';

/** Every reason of the reference. */
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

/** A reason. Servers and webhooks may use their own. Absent or '' means unknown. */
export type StatusReason = KnownStatusReason | (string & {});

/** Every cause type of the reference. Those of fields are the reasons of issues. */
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
  /** `continue` is set if an expired list may be continued inconsistently. */
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

/** The reasons after which the same request may succeed unchanged. */
const RETRYABLE: ReadonlySet<string> = new Set<KnownStatusReason>([
  'ServerTimeout',
  'Timeout',
  'TooManyRequests',
  'ServiceUnavailable',
]);

/**
 * An error with a Status. Its message is that of the Status. It is `retryable` if the reason is, or if the Status has
 * `retryAfterSeconds`.
 */
export class StatusError extends KeelsonError {
  readonly status: Status;

  constructor(status: Status, options: { cause?: unknown } = {}) {
    const limit = Error.stackTraceLimit;
    if (status.code !== 500) Error.stackTraceLimit = 0;
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

/** Whether the value is a StatusError of this or another copy of the package. */
export function isStatusError(value: unknown): value is StatusError {
  return errorClass(value) === 'StatusError';
}

/**
 * The Status of a StatusError, or of the first StatusError among an error's causes, at most eight deep. Undefined if
 * there is none.
 */
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
 * Whether a Status has the reason, or has the code and a reason unknown to the reference, as in the response of a
 * proxy. The guards below apply it to errors. The reference's clients use the same rule.
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

/** Tests the reason only: the code 409 is shared with conflicts. */
export function isAlreadyExists(error: unknown): boolean {
  return statusIs(statusOf(error), 'AlreadyExists', undefined);
}

export function isConflict(error: unknown): boolean {
  return statusIs(statusOf(error), 'Conflict', 409);
}

export function isGone(error: unknown): boolean {
  return statusIs(statusOf(error), 'Gone', 410);
}

/** Tests the reason only. The watch or list must begin again with a new list. */
export function isExpired(error: unknown): boolean {
  return statusIs(statusOf(error), 'Expired', undefined);
}

export function isInvalid(error: unknown): boolean {
  return statusIs(statusOf(error), 'Invalid', 422);
}

/** Tests the reason only: the code 500 is shared with internal errors. */
export function isServerTimeout(error: unknown): boolean {
  return statusIs(statusOf(error), 'ServerTimeout', undefined);
}

/** Tests the reason only: the code 500 is shared with internal errors. */
export function isStoreReadError(error: unknown): boolean {
  return statusIs(statusOf(error), 'StorageReadError', undefined);
}

export function isTimeout(error: unknown): boolean {
  return statusIs(statusOf(error), 'Timeout', 504);
}

/** Tests the reason, or the code 429 with any reason. */
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

/** Tests the reason, or the code 413 with any reason. */
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

/** Whether the response was not in the API's form, so that an intermediary may have sent it. */
export function isUnexpectedServerResponse(error: unknown): boolean {
  return statusCause(error, 'UnexpectedServerResponse') !== undefined;
}

/** Whether a read asked for a revision that the server has not reached. */
export function isResourceVersionTooLarge(error: unknown): boolean {
  return isTimeout(error) && statusCause(error, 'ResourceVersionTooLarge') !== undefined;
}

/**
 * The delay in seconds that the server asks for; undefined if it asks for none. A ServerTimeout with details always
 * asks, if only for 0 seconds.
 */
export function suggestedDelaySeconds(error: unknown): number | undefined {
  const status = statusOf(error);
  if (status?.details === undefined) return undefined;
  const seconds = status.details.retryAfterSeconds ?? 0;
  return seconds > 0 || status.reason === 'ServerTimeout' ? seconds : undefined;
}
