/**
 * The errors that leave this package, and `toError`, which turns a caught unknown into an Error. Invariant: guards test
 * a brand, not instanceof, because two copies of the package may be loaded in one process.
 */

export type ErrorClass = 'StatusError' | 'StorageError' | 'TransportError' | 'ConfigError' | 'BugError';

/**
 * The base of every error that this package throws. `retryable` says whether the same call may succeed later without a
 * change by the caller.
 */
export abstract class KeelsonError extends Error {
  /** The brand. */
  readonly keelsonError: ErrorClass;
  readonly retryable: boolean;
  /**
   * The cause lies outside of the program: an operator's input, a full disk, a connection. The message says all, so
   * logs show no stack.
   */
  readonly external: boolean;

  constructor(
    errorClass: ErrorClass,
    message: string,
    options: { cause?: unknown; retryable?: boolean; external?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.keelsonError = errorClass;
    this.name = errorClass;
    this.retryable = options.retryable ?? false;
    this.external = options.external ?? false;
  }
}

/** An operator's input (a flag, a file, a data folder) cannot be used. The message says what to change. */
export class ConfigError extends KeelsonError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('ConfigError', message, { ...options, external: true });
  }
}

/** A connection could not be opened, or broke before the end of the response. */
export class TransportError extends KeelsonError {
  /**
   * The connection was lost after the request was sent, so the server may have processed it. A request that changes
   * nothing may be repeated.
   */
  readonly connectionLost: boolean;

  constructor(message: string, options: { cause?: unknown; retryable?: boolean; connectionLost?: boolean } = {}) {
    super('TransportError', message, { retryable: true, external: true, ...options });
    this.connectionLost = options.connectionLost ?? false;
  }
}

/** An invariant of this package is broken. Never caused by the caller, never retried. */
export class BugError extends KeelsonError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('BugError', message, options);
  }
}

/** Returns the class of an error of this or another copy of the package; undefined for any other value. */
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

/** Whether the cause lies outside of the program, so that a stack explains nothing. */
export function isExternalError(value: unknown): boolean {
  return isKeelsonError(value) && value.external === true;
}

/**
 * Turns a caught value into an Error. Errors pass unchanged. Anything else, such as a thrown string, becomes a BugError
 * with the value as its cause.
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
