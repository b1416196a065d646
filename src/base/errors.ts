/**
 * The error classes that leave this package, and `toError`, the one boundary where a caught unknown becomes one of ours.
 * Invariant: classes are told apart by a brand, never by instanceof, because two copies of the package may meet in one process.
 */

export type ErrorClass = 'StatusError' | 'StorageError' | 'TransportError' | 'ConfigError' | 'BugError';

/** Base of every error we throw. `retryable` says whether the same call may succeed later without a change by the caller. */
export abstract class KeelsonError extends Error {
  /** The brand that guards test. */
  readonly keelsonError: ErrorClass;
  readonly retryable: boolean;

  constructor(errorClass: ErrorClass, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.keelsonError = errorClass;
    this.name = errorClass;
    this.retryable = options.retryable ?? false;
  }
}

/** What an operator wrote (a flag, a file, a data folder) cannot be used; the message says what to change. */
export class ConfigError extends KeelsonError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('ConfigError', message, options);
  }
}

/** A connection could not be made or broke before an answer came. */
export class TransportError extends KeelsonError {
  constructor(message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super('TransportError', message, { retryable: true, ...options });
  }
}

/** An invariant of our own is broken: never the caller's fault, never retried. */
export class BugError extends KeelsonError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('BugError', message, options);
  }
}

/** The class of one of our errors, from this or another copy of the package; undefined for anything else. */
export function errorClass(value: unknown): ErrorClass | undefined {
  return typeof value === 'object' && value !== null && 'keelsonError' in value
    ? (value as KeelsonError).keelsonError
    : undefined;
}

export function isKeelsonError(value: unknown): value is KeelsonError {
  return errorClass(value) !== undefined;
}

export function isConfigError(value: unknown): value is ConfigError {
  return errorClass(value) === 'ConfigError';
}

export function isTransportError(value: unknown): value is TransportError {
  return errorClass(value) === 'TransportError';
}

export function isBugError(value: unknown): value is BugError {
  return errorClass(value) === 'BugError';
}

/**
 * The one boundary: whatever was caught becomes an Error. Errors pass unchanged; anything else (a thrown string, say) is a bug of the
 * thrower and becomes a BugError that keeps the value as its cause.
 */
export function toError(caught: unknown): Error {
  if (caught instanceof Error) return caught;
  if (isKeelsonError(caught)) return caught;
  return new BugError(`a value that is not an Error was thrown: ${describe(caught)}`, { cause: caught });
}

/** For the default branch of an exhaustive switch. */
export function unreachable(value: never): never {
  throw new BugError(`unexpected value ${describe(value)}`);
}

function describe(value: unknown): string {
  try {
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
