// usage: node scripts/warm-server.mjs FOLDER DATA
//
// Starts the bundled server once, sends the first requests of a client, and writes the code that V8 compiled on the way
// to FOLDER/serve.cache.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { startBundled } from './start-bundled.mjs';

const [folder, data] = process.argv.slice(2);
// V8 drops the code of functions that were not called for some collections, such as those of the start.
setFlagsFromString('--no-flush-bytecode');
const server = await startBundled(folder, [`--data-dir=${data}`]);
for (const path of ['/readyz', '/version', '/api', '/apis']) await server.ask(path);
// The server has changed most of these flags (src/node/process/v8-flags.ts). V8 refuses code that was compiled under other
// flags than those set when the cache is read.
for (const [flag, value] of usual('--semi-space-growth-factor', '--interrupt-budget'))
  setFlagsFromString(`${flag}=${value}`);
setFlagsFromString('--parallel-scavenge');
setFlagsFromString('--allocation-site-pretenuring');
setFlagsFromString('--flush-bytecode');
writeFileSync(join(folder, 'serve.cache'), server.script.createCachedData());
await server.stop();

/** Returns the flags of a process that was started without any. */
function usual(...flags) {
  const options = execFileSync(process.execPath, ['--v8-options'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return flags.map((flag) => {
    const value = new RegExp(`default: ${flag}=(\\S+)`).exec(options)?.[1];
    if (value === undefined) throw new Error(`V8 of Node ${process.version} has no ${flag}`);
    return [flag, value];
  });
}
