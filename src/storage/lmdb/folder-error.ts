/** Error messages about a data folder that this process cannot use. */
import { statSync } from 'node:fs';
import { ConfigError } from '../../base/errors.ts';

const NOT_ALLOWED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);
const NOT_A_FOLDER: ReadonlySet<unknown> = new Set(['ENOTDIR', 'EEXIST']);

/** Maps an error of the file system to a ConfigError that names the folder. Other errors pass unchanged. */
export function folderError(error: Error, folder: string): Error {
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  if (NOT_ALLOWED.has(code))
    return new ConfigError(`data folder ${folder} cannot be written: ${ownership(folder) ?? error.message}`, {
      cause: error,
    });
  if (NOT_A_FOLDER.has(code))
    return new ConfigError(`data folder ${folder} is not a folder: ${error.message}`, { cause: error });
  if (code === 'ENOENT' && syscall === 'mkdir')
    return new ConfigError(`data folder ${folder} cannot be created: ${error.message}; choose another folder`, {
      cause: error,
    });
  return error;
}

/**
 * Returns an explanation if the folder belongs to another user; undefined if it does not, or if the owner is not known.
 */
function ownership(folder: string): string | undefined {
  const self = process.geteuid?.();
  try {
    const { uid } = statSync(folder);
    if (self === undefined || self === uid) return undefined;
    return `it belongs to the user with id ${uid}, and this process runs as the user with id ${self}; run as its owner, or choose another folder`;
  } catch {
    // The parent folder may not be entered by this user.
    return undefined;
  }
}
