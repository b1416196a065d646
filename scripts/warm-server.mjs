// usage: node scripts/warm-server.mjs FOLDER DATA
// Starts the bundled server once, asks it what a client asks first, and keeps the code that V8 made of it on the way: FOLDER/serve.cache.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { startBundled } from './start-bundled.mjs';

const [folder, data] = process.argv.slice(2);
const server = await startBundled(folder, [`--data-dir=${data}`]);
for (const path of ['/readyz', '/version', '/api', '/apis']) await server.ask(path);
// The server has changed these (src/node/process/v8-flags.ts), and V8 refuses code that was made under other flags than it has when it reads it.
for (const [flag, value] of usual('--semi-space-growth-factor', '--interrupt-budget'))
  setFlagsFromString(`${flag}=${value}`);
writeFileSync(join(folder, 'serve.cache'), server.script.createCachedData());
await server.stop();

/** What a process has that was started without flags. */
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
