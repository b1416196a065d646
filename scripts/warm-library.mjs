// usage: node scripts/warm-library.mjs DIST DATA
//
// Starts an extension server of the bundled library once, behind the bundled command, sends the first requests of a
// client, and writes the code that V8 compiled on the way. Fails if V8 would refuse that code, or if a file of the bundle
// would run twice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { cacheFile, LibraryFiles } from './library-files.mjs';

const [dist, data] = process.argv.slice(2);
// V8 drops the code of functions that were not called for some collections, such as those of the start.
setFlagsFromString('--no-flush-bytecode');
const bundle = join(dist, 'bundle');
const files = new LibraryFiles(bundle, { useCaches: false });
const library = files.load('server');
const TOKEN = 'warm-token-0123456789';
const tokenFile = join(data, 'tokens.csv');
writeFileSync(tokenFile, `${TOKEN},admin,admin-uid,system:masters\n`);
const parent = spawn(
  process.execPath,
  [
    join(dist, 'cli', 'main.js'),
    '--secure-port=0',
    '--storage=memory',
    `--data-dir=${join(data, 'parent')}`,
    `--token-auth-file=${tokenFile}`,
  ],
  { stdio: ['ignore', 'pipe', 'pipe'] },
);
const ended = once(parent, 'exit');
try {
  await listens(parent);
  await serveOnce();
  // V8 refuses code that was compiled under other flags than those set when the cache is read.
  setFlagsFromString('--flush-bytecode');
  for (const [path, script] of files.scripts) writeFileSync(cacheFile(path), script.createCachedData());
} finally {
  parent.kill('SIGTERM');
  await ended;
}
const cached = new LibraryFiles(bundle);
const [server, client] = [cached.load('server'), cached.load('client')];
if (server['./server'].StatusError !== client['./client'].StatusError) throw new Error('StatusError exists twice');
for (const [path, script] of cached.scripts)
  if (script.cachedDataRejected === true) throw new Error(`V8 refuses ${cacheFile(path)}`);
if (cached.scripts.get(join(bundle, 'server.pack'))?.cachedDataRejected !== false)
  throw new Error('the pack has no code cache');

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
  const kubeconfig = join(data, 'parent', 'admin.kubeconfig');
  await configurePolicy(kubeconfig);
  const version = { group: 'warm.example.com', version: 'v1' };
  const text = { type: 'string' };
  const spec = { type: 'object', properties: { text, count: { type: 'integer' } } };
  // Rules and patterns are loaded on call; see load-on-call.mjs.
  const ruled = {
    type: 'object',
    properties: { text: { ...text, pattern: '^(?i:a)\\pL*$', maxLength: 9 } },
    'x-kubernetes-validations': [{ rule: "self.text.startsWith('a')", message: 'a is missing' }],
  };
  const server = createExtensionServer({
    resources: [
      defineResource({ ...version, kind: 'Example', spec }),
      defineResource({ ...version, kind: 'Ruled', spec: ruled }),
    ],
    storage: { folder: join(data, 'server') },
    parent: { kubeconfig },
  });
  const { url, ca } = await server.listen({ host: '127.0.0.1' });
  // The parent reviews the token, as most servers have it.
  const ask = (method, at, body, status) =>
    send(url + at, { method, ca, headers: { authorization: `Bearer ${TOKEN}` } }, { body, status });
  const all = '/apis/warm.example.com/v1/namespaces/default';
  const examples = `${all}/examples`;
  const object = (kind, text) => ({
    apiVersion: 'warm.example.com/v1',
    kind,
    metadata: { name: 'a' },
    spec: { text },
  });
  await becomesReady(() => ask('GET', '/readyz'));
  for (const at of ['/apis', '/apis/warm.example.com/v1']) await ask('GET', at);
  await ask('POST', examples, object('Example', 'b'));
  await ask('POST', `${all}/ruleds`, object('Ruled', 'abc'));
  for (const at of [examples, `${examples}/a`]) await ask('GET', at);
  await ask('DELETE', `${examples}/a`);
  await ask('DELETE', `${examples}/a`, undefined, 404);
  await server.stop();
}

/** Waits for the informers of the server, which may have their first lists after it listens. */
async function becomesReady(check) {
  for (let tries = 1; ; tries++) {
    try {
      await check();
      return;
    } catch (error) {
      if (tries === 500) throw error;
      await sleep(10);
    }
  }
}

/** Makes a policy in the parent, so that the code of policies is loaded. */
async function configurePolicy(kubeconfig) {
  const { transport, stop } = await library['./node'].connect({ kubeconfig });
  const metadata = { name: 'warm.example.com' };
  const rule = { apiGroups: ['warm.example.com'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] };
  const policy = {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: "object.spec.text != ''" }],
  };
  const binding = { policyName: metadata.name, validationActions: ['Deny'] };
  for (const [kind, spec] of [
    ['ValidatingAdmissionPolicy', policy],
    ['ValidatingAdmissionPolicyBinding', binding],
  ]) {
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const { status } = await transport({
      method: 'POST',
      target: `/apis/${apiVersion}/${kind.toLowerCase().replace(/y$/, 'ie')}s`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ apiVersion, kind, metadata, spec })),
    });
    if (status !== 201) throw new Error(`the parent answers ${status} to a ${kind}`);
  }
  await stop();
}

/** Sends a request. Fails unless the answer is 2xx, or has the given status. */
function send(address, options, { body, status }) {
  return new Promise((resolve, reject) => {
    const sent = request(
      address,
      { ...options, headers: { ...options.headers, 'content-type': 'application/json' } },
      (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode < 300 || answer.statusCode === status
            ? resolve()
            : reject(new Error(`${options.method} ${address}: ${answer.statusCode}`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
