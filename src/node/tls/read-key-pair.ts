/** The files of a serving certificate that an operator gives. */
import { ConfigError } from '../../base/errors.ts';
import { readTextFile } from '../platform.ts';
import type { KeyPair } from './tls-config.ts';

/** Reads a certificate and its key, PEM. Throws ConfigError naming a file that does not exist or cannot be read. */
export async function readKeyPair(certFile: string, keyFile: string): Promise<KeyPair> {
  const [cert, key] = await Promise.all([readTextFile(certFile), readTextFile(keyFile)]);
  if (cert === undefined) throw new ConfigError(`certFile: ${certFile} does not exist`);
  if (key === undefined) throw new ConfigError(`keyFile: ${keyFile} does not exist`);
  return { cert, key };
}
