// Loads the server for the command: serve.cjs in the folder of the bundle that contains this file, with serve.cache.
// Without a valid cache the same code is compiled on demand.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadBundle } from './load-bundle.mjs';

const path = fileURLToPath(new URL('serve.cjs', import.meta.url));

function cacheOf(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export const { parseServerCommandLine, serveUntilSignal } = loadBundle(
  path,
  cacheOf(path.replace(/cjs$/, 'cache')),
).exports;
