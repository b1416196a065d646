// The server as the command loads it: serve.cjs, in the folder of whatever this is bundled into, with serve.cache beside it. Without a cache, or with one that another V8 made, the
// same code is compiled as it is needed.
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
