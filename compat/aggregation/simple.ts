/** examples/simple, an extension server without a library, with the files that its README names. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StepResult } from '../kubectl/run.ts';
import type { Script } from '../kubectl/script.ts';
import { runKubectl } from '../peers/kubectl.ts';
import type { Pair } from '../peers/pair.ts';
import { ROOT } from '../peers/programs.ts';
import { type ServingCertificates, startBackend, writePair } from './backend.ts';
import { $, fails } from './lines.ts';
import { availability } from './registration.ts';
import { Sides } from './sides.ts';

const EXAMPLE = join(ROOT, 'examples', 'simple');
const API = 'v1.simple.extension.io';
const TLS = { service: 'simple', namespace: 'simple' };
const CRONTAB = readFileSync(join(EXAMPLE, 'crontab.yaml'), 'utf8');

const REGISTERED: Script = {
  name: 'simple-registered',
  files: {
    'api-service.yaml': readFileSync(join(EXAMPLE, 'api-service.yaml'), 'utf8')
      .replace('CA_BUNDLE', '{{caBundle}}')
      .replace('8443', '{{port}}'),
  },
  steps: [fails('get crontabs'), $('apply -f api-service.yaml', { unscoped: true })],
};

const SERVED: Script = {
  name: 'simple-served',
  files: {
    'crontab.yaml': CRONTAB,
    'changed.yaml': CRONTAB.replace('replicas: 1', 'replicas: 3'),
    'nameless.yaml': CRONTAB.replace('test-cron', 'Not_A_Name'),
  },
  steps: [
    availability('True', API),
    $('get crontabs', { retryUntil: 0 }),
    $('get apiservice v1.simple.extension.io'),
    $('api-resources --api-group=simple.extension.io -o wide'),
    $('get --raw /apis/simple.extension.io'),
    $('get --raw /apis/simple.extension.io/v1'),
    fails('explain crontabs'),
    $('apply -f crontab.yaml'),
    fails('create -f crontab.yaml'),
    fails('create -f nameless.yaml'),
    $('get ct'),
    $('get CronTab test-cron -o yaml'),
    $('apply -f crontab.yaml'),
    $('apply -f changed.yaml'),
    $('get ct test-cron -o jsonpath={.spec}'),
    $('replace -f crontab.yaml'),
    $('patch ct test-cron --type=merge -p \'{"spec":{"image":null}}\''),
    fails("patch ct test-cron --type=json -p '[]'"),
    fails('apply --server-side -f crontab.yaml'),
    fails('get ct -l a=b'),
    $('get ct --watch -o name', { during: ['annotate ct test-cron note=yes', 'delete ct test-cron'] }),
    fails('get ct test-cron'),
    fails('get ct', { user: 'alice' }),
    $('get crontabs -A'),
    $(`delete apiservice ${API}`),
    fails('get crontabs', { retryUntil: 1 }),
  ],
};

export async function runSimple(
  pair: Pair,
  folder: string,
  certificates: ServingCertificates,
): Promise<readonly StepResult[]> {
  const keyed = await certificates.issue(TLS.service, TLS.namespace);
  const sides = await Sides.open(pair, folder, () => ({ caBundle: certificates.caBundle }));
  try {
    await sides.run(REGISTERED);
    await sides.start(async ({ peer, folder: own, port }) => {
      cpSync(EXAMPLE, own, { recursive: true, filter: (path) => !path.includes('node_modules') });
      writePair(own, keyed);
      const args = ['get', 'configmap', 'extension-apiserver-authentication', '-n', 'kube-system', '-o', 'json'];
      const { stdout } = await runKubectl({ args, kubeconfig: peer.kubeconfig('admin'), home: own });
      writeFileSync(join(own, 'authentication.json'), stdout);
      const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      const types = join(ROOT, 'node_modules', '@types');
      execFileSync(process.execPath, [compiler, '-p', own, '--typeRoots', types], { stdio: 'inherit' });
      return startBackend({
        what: `examples/simple of ${peer.name}`,
        program: process.execPath,
        args: ['server.js'],
        folder: own,
        place: { cwd: own, env: { PORT: String(port) } },
        ready: 'crontabs are served',
      });
    });
    await sides.run(SERVED);
  } finally {
    await sides.stop();
  }
  return sides.results;
}
