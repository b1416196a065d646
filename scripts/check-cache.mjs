// usage: node scripts/check-cache.mjs FOLDER
//
// Fails if V8 refuses FOLDER/serve.cache, as it does if the code was compiled under other flags. The server would still
// start, but take twice as long.
import { join } from 'node:path';
import { loadBundle } from './load-bundle.mjs';

const [folder] = process.argv.slice(2);
const { script } = loadBundle(join(folder, 'serve.cjs'), join(folder, 'serve.cache'));
if (script.cachedDataRejected !== false) throw new Error(`V8 refuses ${join(folder, 'serve.cache')}`);
