// usage: node scripts/warm-server.mjs FOLDER DATA
// Starts the bundled server once, asks it what a client asks first, and keeps the code that V8 made of it on the way: FOLDER/serve.cache.
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { loadBundle } from './load-bundle.mjs';

const [folder, data] = process.argv.slice(2);
const { script, exports } = loadBundle(join(folder, 'serve.cjs'), undefined);
let said = '';
const url = new Promise((resolve) => {
  const listen = (text) => {
    said += text;
    const found = /https:\/\/[\w.:[\]-]+/.exec(said);
    if (found !== null) resolve(found[0]);
    return true;
  };
  process.stdout.write = listen;
  process.stderr.write = listen;
});
const ended = exports.serveUntilSignal(exports.parseServerCommandLine(['--secure-port=0', `--data-dir=${data}`]));
const failed = ended.then((code) => {
  throw new Error(`the server ended with ${code}: ${said}`);
});
const late = new Promise((_, reject) => {
  setTimeout(() => reject(new Error(`the server is not ready after a minute: ${said}`)), 60_000).unref();
});
const server = await Promise.race([url, failed, late]);
late.catch(() => undefined);
for (const path of ['/readyz', '/version', '/api', '/apis']) await ask(server + path);
writeFileSync(join(folder, 'serve.cache'), script.createCachedData());
failed.catch(() => undefined);
process.kill(process.pid, 'SIGTERM');
process.exitCode = await ended;
setTimeout(() => process.exit(), 1000).unref();

function ask(address) {
  return new Promise((resolve, reject) => {
    request(address, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      answer.on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
}
