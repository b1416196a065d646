/** The reader of files that flags name. */
import { ConfigError, isConfigError } from '../base/errors.ts';
import type { Platform } from './platform.ts';

/** Returns the text of the file. Throws ConfigError with the flag and the path if it cannot be read. */
export async function readFlagFile(platform: Platform, flag: string, path: string): Promise<string> {
  try {
    const text = await platform.readFile(path);
    if (text !== undefined) return text;
  } catch (caught) {
    throw isConfigError(caught) ? new ConfigError(`${flag}: ${caught.message}`, { cause: caught }) : caught;
  }
  throw new ConfigError(`${flag}: the file ${path} does not exist`);
}
