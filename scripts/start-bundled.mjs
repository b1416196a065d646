// A bundled server in this process, for the build: start it, send requests, stop it.
import { request } from 'node:https';
import { join } from 'node:path';
import { loadBundle } from './load-bundle.mjs';

/** Resolves when the server listens. `stop` sets the exit code of the process. */
export async function startBundled(folder, args) {
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
  const ended = exports.serveUntilSignal(exports.parseServerCommandLine(['--secure-port=0', ...args]));
  const failed = ended.then((code) => {
    throw new Error(`the server ended with ${code}: ${said}`);
  });
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`the server is not ready after a minute: ${said}`)), 60_000).unref();
  });
  const server = await Promise.race([url, failed, late]);
  late.catch(() => undefined);
  failed.catch(() => undefined);
  return {
    script,
    ask: (path, headers = {}) => ask(server + path, headers),
    async stop() {
      process.kill(process.pid, 'SIGTERM');
      process.exitCode = await ended;
      setTimeout(() => process.exit(), 1000).unref();
    },
  };
}

/** Returns the body of an answer. */
function ask(address, headers) {
  return new Promise((resolve, reject) => {
    request(address, { rejectUnauthorized: false, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
    })
      .on('error', reject)
      .end();
  });
}
