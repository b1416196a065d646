// usage: node scripts/warm-server.mjs FOLDER DATA
// Starts the bundled server once, asks it what a client asks first, and keeps the code that V8 made of it on the way: FOLDER/serve.cache.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { startBundled } from './start-bundled.mjs';

const [folder, data] = process.argv.slice(2);
const server = await startBundled(folder, [`--data-dir=${data}`]);
for (const path of ['/readyz', '/version', '/api', '/apis']) await server.ask(path);
// The server has changed this one, and V8 refuses code that was made under other flags than it has when it reads it.
setFlagsFromString('--semi-space-growth-factor=2');
writeFileSync(join(folder, 'serve.cache'), server.script.createCachedData());
await server.stop();
