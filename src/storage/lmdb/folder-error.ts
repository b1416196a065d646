/** The sentences about a data folder that this process may not use. */
import { statSync } from 'node:fs';
import { ConfigError } from '../../base/errors.ts';

const NOT_ALLOWED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);
const NOT_A_FOLDER: ReadonlySet<unknown> = new Set(['ENOTDIR', 'EEXIST']);

/** Maps an error of the file system to a ConfigError that names the folder. Other errors pass unchanged. */
export function folderError(error: Error, folder: string): Error {
  const { code } = error as { readonly code?: unknown };
  if (NOT_ALLOWED.has(code))
    return new ConfigError(`data folder ${folder} cannot be written: ${ownership(folder) ?? error.message}`, {
      cause: error,
    });
  if (NOT_A_FOLDER.has(code))
    return new ConfigError(`data folder ${folder} is not a folder: ${error.message}`, { cause: error });
  return error;
}

/** Returns a sentence if the folder belongs to another user; undefined if it does not, or if that is not known. */
function ownership(folder: string): string | undefined {
  const self = process.geteuid?.();
  try {
    const { uid } = statSync(folder);
    if (self === undefined || self === uid) return undefined;
    return `it belongs to the user with id ${uid}, and this process runs as the user with id ${self}; run as its owner, or choose another folder`;
  } catch {
    // The folder is inside one that this user may not enter.
    return undefined;
  }
}
