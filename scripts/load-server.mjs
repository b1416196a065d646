// Loads the server for the command: serve.cjs in the folder of the bundle that contains this file, with serve.cache.
// Without a valid cache the same code is compiled on demand.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadBundle } from './load-bundle.mjs';

const path = fileURLToPath(new URL('serve.cjs', import.meta.url));
const cache = path.replace(/cjs$/, 'cache');

export const { parseServerCommandLine, serveUntilSignal } = loadBundle(
  path,
  existsSync(cache) ? cache : undefined,
).exports;
