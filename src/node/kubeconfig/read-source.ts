/** The values of a kubeconfig that are inline or in a file. */
import { validateHeaderValue } from 'node:http';
import { dirname, resolve } from 'node:path';
import { decodeBase64 } from '../../base/base64.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import { ConfigError } from '../../base/errors.ts';
import type { InlineOrFile } from '../../client/kubeconfig.ts';
import { readTextFile } from '../platform.ts';

/** Throws ConfigError naming the file that cannot be read. */
export async function readSource(source: InlineOrFile): Promise<string> {
  if (source.kind === 'inline') {
    const bytes = decodeBase64(source.base64);
    if (bytes === undefined) throw new ConfigError('the kubeconfig has data that is not base64');
    return decodeUtf8(bytes);
  }
  const path = resolve(dirname(source.base), source.path);
  const text = await readTextFile(path);
  if (text === undefined) throw new ConfigError(`${source.base} names ${path}, which does not exist`);
  return text;
}

/** Throws ConfigError if a header cannot contain the token. The message does not contain it. */
export function checkToken(token: string, name: string): void {
  try {
    validateHeaderValue('authorization', token);
  } catch {
    throw new ConfigError(`${name} has characters that a header cannot contain`);
  }
}
