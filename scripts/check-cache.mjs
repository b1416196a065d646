// usage: node scripts/check-cache.mjs FOLDER
// Fails if V8 refuses FOLDER/serve.cache, as it does when the code was made under other flags: the server would start all the same, and twice as slowly.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadBundle } from './load-bundle.mjs';

const [folder] = process.argv.slice(2);
const { script } = loadBundle(join(folder, 'serve.cjs'), readFileSync(join(folder, 'serve.cache')));
if (script.cachedDataRejected !== false) throw new Error(`V8 refuses ${join(folder, 'serve.cache')}`);
