/** The error of stores. Conflicts, missing keys and compacted revisions are results, not errors; see `storage.ts`. */
import { errorClass, KeelsonError } from '../base/errors.ts';

export type StorageErrorCode =
  /** The store was stopped, or is stopping. */
  | 'Closed'
  /** The key or range breaks the rules of `keys.ts`, or a request exceeds `LIMITS`. */
  | 'InvalidArgument'
  /** Stored bytes fail their checksum or cannot be decoded. Must not be retried. */
  | 'Corrupt'
  /**
   * The key that encrypts or decrypts a value is not available now, because its KMS plugin fails. Nothing of this
   * request took place.
   */
  | 'KeyUnavailable'
  /** The disk is full or a quota is reached. Nothing of this write took place. */
  | 'NoSpace'
  /** The store can be read but not written. */
  | 'ReadOnly'
  /**
   * The outcome of a write is unknown, because a commit or a connection failed in the middle. Read before you retry.
   */
  | 'Unknown'
  /** Any other failure of the medium. Nothing of this request took place. */
  | 'Unavailable';

const RETRYABLE: ReadonlySet<StorageErrorCode> = new Set(['KeyUnavailable', 'NoSpace', 'Unavailable', 'Unknown']);

/** Failures that an operator has to fix outside of this program. */
const EXTERNAL: ReadonlySet<StorageErrorCode> = new Set(['KeyUnavailable', 'NoSpace', 'ReadOnly']);

export class StorageError extends KeelsonError {
  readonly code: StorageErrorCode;
  readonly key: string | undefined;

  constructor(code: StorageErrorCode, message: string, options: { cause?: unknown; key?: string } = {}) {
    super('StorageError', message, {
      cause: options.cause,
      retryable: RETRYABLE.has(code),
      external: EXTERNAL.has(code),
    });
    this.code = code;
    this.key = options.key;
  }
}

export function isStorageError(value: unknown, code?: StorageErrorCode): value is StorageError {
  return errorClass(value) === 'StorageError' && (code === undefined || (value as StorageError).code === code);
}
