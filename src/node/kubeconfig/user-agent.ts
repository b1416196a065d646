/** The User-Agent header of a client: `my-operator/1.2.0 (linux/amd64) keelson/0.1.0`. */
import { validateHeaderValue } from 'node:http';
import { ConfigError } from '../../base/errors.ts';
import { nodeBuildInfo, readPackageVersion } from '../platform.ts';

/**
 * Returns the header for a program; undefined stands for this package. Throws ConfigError if a header cannot contain
 * the name. A name without a version gets one, because servers take the text before the first slash as the field
 * manager.
 */
export function userAgentOf(program: string | undefined): string {
  const product = productOf();
  const { platform } = nodeBuildInfo('');
  if (program === undefined) return `${product} (${platform})`;
  try {
    validateHeaderValue('user-agent', program);
  } catch {
    throw new ConfigError(`the user agent ${JSON.stringify(program)} has characters that a header cannot contain`);
  }
  return `${program.includes('/') ? program : `${program}/unknown`} (${platform}) ${product}`;
}

/** Returns `keelson/<version>`, or `keelson` if a bundle of the program lacks the package.json of this package. */
function productOf(): string {
  try {
    return `keelson/${readPackageVersion()}`;
  } catch {
    return 'keelson';
  }
}
