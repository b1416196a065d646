/** Files that flags name. */
import { ConfigError, isConfigError } from '../base/errors.ts';
import type { Platform } from './platform.ts';

/** Throws ConfigError that names the flag and the path. */
export async function readFlagFile(platform: Platform, flag: string, path: string): Promise<string> {
  try {
    const text = await platform.readFile(path);
    if (text !== undefined) return text;
  } catch (caught) {
    throw isConfigError(caught) ? new ConfigError(`${flag}: ${caught.message}`, { cause: caught }) : caught;
  }
  throw new ConfigError(`${flag}: there is no file ${path}`);
}
