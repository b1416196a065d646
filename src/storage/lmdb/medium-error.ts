/** Maps errors of lmdb and of the file system to StorageError and ConfigError. */
import { constants } from 'node:os';
import { ConfigError, isKeelsonError, toError } from '../../base/errors.ts';
import { StorageError, type StorageErrorCode } from '../errors.ts';
import { folderError } from './folder-error.ts';

// LMDB's own codes, from lmdb.h: MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID, MDB_MAP_FULL.
const LMDB_DAMAGE: ReadonlySet<unknown> = new Set([-30796, -30797, -30793]);
const LMDB_FULL = -30792;

const { ENOSPC, EDQUOT, EFBIG, EROFS, EACCES, EPERM } = constants.errno;
const FULL: ReadonlySet<unknown> = new Set([ENOSPC, EDQUOT, EFBIG, LMDB_FULL, 'ENOSPC', 'EDQUOT', 'EFBIG']);
const READ_ONLY: ReadonlySet<unknown> = new Set([EROFS, EACCES, EPERM, 'EROFS', 'EACCES', 'EPERM']);

/** Maps an error that occurs while the store is open. Errors of this package pass unchanged. */
export function mediumError(caught: unknown, doing: string): Error {
  if (isKeelsonError(caught)) return caught;
  const error = toError(caught);
  const { code, what } = classify(error);
  return new StorageError(code, `${doing}: ${what}: ${error.message}`, { cause: error });
}

/** Maps an error that occurs while the folder is opened. An error that the operator can fix becomes a ConfigError. */
export function openError(caught: unknown, folder: string): Error {
  if (isKeelsonError(caught)) return caught;
  const error = folderError(toError(caught), folder);
  if (isKeelsonError(error)) return error;
  const { code, what } = classify(error);
  // The file system's codes are strings, LMDB's own codes are numbers.
  if (code === 'ReadOnly')
    return new ConfigError(`data folder ${folder} cannot be written: ${error.message}`, { cause: error });
  return new StorageError(code, `data folder ${folder} cannot be opened: ${what}: ${error.message}`, { cause: error });
}

function classify(error: Error): { code: StorageErrorCode; what: string } {
  const code = (error as { code?: unknown }).code;
  if (FULL.has(code)) return { code: 'NoSpace', what: 'the disk is full or a quota is reached' };
  if (READ_ONLY.has(code)) return { code: 'ReadOnly', what: 'the data folder cannot be written' };
  if (LMDB_DAMAGE.has(code)) return { code: 'Corrupt', what: 'the data file is damaged' };
  return { code: 'Unavailable', what: 'the data file failed' };
}
