/** The output of `keelson version`. */
import { readPackageVersion } from '../node/platform.ts';

export function versionLine(): string {
  return `keelson ${readPackageVersion()} (node ${process.versions.node})`;
}
