import { readFileSync } from 'node:fs';

/** The version in package.json, which stands two folders above this file both in src and in dist. */
export function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
