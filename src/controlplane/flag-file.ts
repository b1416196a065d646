/** Reads files that flags name. */
import { ConfigError, isConfigError } from '../base/errors.ts';
import type { Platform } from './platform.ts';

export type PemLabel = 'CERTIFICATE' | 'PRIVATE KEY';

/** Returns the text of a PEM file. Throws ConfigError if it cannot be read or has no block with the label. */
export async function readPemFile(
  platform: Platform,
  { flag, path, label }: { flag: string; path: string; label: PemLabel },
): Promise<string> {
  const text = await readFlagFile(platform, flag, path);
  if (new RegExp(`^-----BEGIN ([A-Z]+ )*${label}-----`, 'm').test(text)) return text;
  throw new ConfigError(`${flag}: the file ${path} has no PEM block "${label}"`);
}

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
