// usage: node scripts/warm-library.mjs DIST DATA
//
// Starts an extension server of the bundled library once, behind the bundled command, sends the first requests of a
// client, and writes the code that V8 compiled on the way. Fails if V8 would refuse that code.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { cacheFile, LibraryFiles } from './library-files.mjs';

const [dist, data] = process.argv.slice(2);
const bundle = join(dist, 'bundle');
const files = new LibraryFiles(bundle, { useCaches: false });
const library = files.require('./server.cjs');
const parent = spawn(
  process.execPath,
  [join(dist, 'cli', 'main.js'), '--secure-port=0', '--storage=memory', `--data-dir=${join(data, 'parent')}`],
  { stdio: ['ignore', 'pipe', 'pipe'] },
);
const ended = once(parent, 'exit');
try {
  await listens(parent);
  await serveOnce();
  for (const [path, script] of files.scripts) writeFileSync(cacheFile(path), script.createCachedData());
} finally {
  parent.kill('SIGTERM');
  await ended;
}
const cached = new LibraryFiles(bundle);
cached.require('./server.cjs');
for (const [path, script] of cached.scripts)
  if (script.cachedDataRejected !== false) throw new Error(`V8 refuses ${cacheFile(path)}`);

/** Resolves when the command has printed its address. */
async function listens(child) {
  let said = '';
  const failed = ended.then(([code]) => {
    throw new Error(`the parent ended with ${code}: ${said}`);
  });
  failed.catch(() => undefined);
  const ready = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
        if (/https:\/\//.test(said)) resolve();
      });
  });
  await Promise.race([ready, failed]);
}

async function serveOnce() {
  const { createExtensionServer, defineResource } = library['./extension'];
  const kind = { group: 'warm.example.com', version: 'v1', kind: 'Example' };
  const spec = { type: 'object', properties: { text: { type: 'string' }, count: { type: 'integer' } } };
  const server = createExtensionServer({
    resources: [defineResource({ ...kind, spec })],
    storage: { folder: join(data, 'server') },
    parent: { kubeconfig: join(data, 'parent', 'admin.kubeconfig') },
    authentication: {
      tokens: () => ({ outcome: 'ok', user: { name: 'admin', uid: '', groups: ['system:masters'], extra: {} } }),
    },
  });
  const { url, ca } = await server.listen({ host: '127.0.0.1' });
  const ask = (method, at, body) => send(url + at, { method, ca, headers: { authorization: 'Bearer warm' } }, body);
  const examples = '/apis/warm.example.com/v1/namespaces/default/examples';
  const example = { apiVersion: 'warm.example.com/v1', kind: 'Example', metadata: { name: 'a' }, spec: { text: 'b' } };
  for (const at of ['/readyz', '/apis', '/apis/warm.example.com/v1']) await ask('GET', at);
  await ask('POST', examples, example);
  for (const at of [examples, `${examples}/a`]) await ask('GET', at);
  await ask('DELETE', `${examples}/a`);
  await server.stop();
}

/** Sends a request. Fails unless the answer is 2xx. */
function send(address, options, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      address,
      { ...options, headers: { ...options.headers, 'content-type': 'application/json' } },
      (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode < 300 ? resolve() : reject(new Error(`${options.method} ${address}: ${answer.statusCode}`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
