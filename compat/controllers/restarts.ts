/**
 * Informers of client-go and a manager of controller-runtime through restarts: writers change ConfigMaps while the
 * server is killed and started again on its folder. At the end every cache, every handler and every last reconcile must
 * have the state of the server.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { formatKubeconfig } from '../../src/pki/kubeconfig.ts';
import { randomFrom } from '../../test/crash/model.ts';
import { LiveClient } from '../../test/live/client.ts';
import { ADMIN_TOKEN, LiveServer } from '../../test/live/server.ts';
import { ROOT, requireTool } from '../peers/programs.ts';
import { eventually, step } from './steps.ts';

const NAMESPACE = 'default';
const COLLECTION = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const NAMES = 40;
const WRITERS = 4;

/** The names of objects with their resourceVersions. */
type Revisions = Readonly<Record<string, string>>;

export async function runRestarts(folder: string, restarts: number): Promise<void> {
  const seed = Date.now() % 0x7fffffff;
  console.log(`client-go and controller-runtime through ${restarts} restarts, seed ${seed}`);
  const binary = build();
  const random = randomFrom(seed);
  const server = await LiveServer.create();
  try {
    server.start();
    await server.ready();
    const follower = new Follower(binary, writeKubeconfig(server, folder), folder);
    try {
      await step(`kill -9 and restart ${restarts} times under writes`, async () => {
        for (let i = 0; i < restarts; i++) {
          await writeUntilKilled(server, random);
          server.start();
          await server.ready();
        }
      });
      await step('every cache, handler and last reconcile has the state of the server', async () => {
        const client = new LiveClient(server.url);
        const { body } = await client.request('GET', COLLECTION);
        client.close();
        const list = JSON.parse(body) as { items: { metadata: { name: string; resourceVersion: string } }[] };
        const wanted = Object.fromEntries(list.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
        await eventually(async () => compare(await follower.ask(), wanted), 60_000);
        console.log(`     ${list.items.length} objects`);
      });
    } finally {
      follower.stop();
    }
  } finally {
    await server.end('SIGKILL').catch(() => undefined);
    server.remove();
  }
}

function writeKubeconfig(server: LiveServer, folder: string): string {
  const path = join(folder, 'kubeconfig');
  const text = formatKubeconfig({
    server: server.url,
    caPem: readFileSync(join(server.folder, 'data', 'pki', 'ca.crt'), 'utf8'),
    credentials: { kind: 'token', token: ADMIN_TOKEN },
    cluster: 'live',
    user: 'admin',
  });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function build(): string {
  requireTool('go', ['version'], 'the program of the restarts needs Go 1.26 on the PATH');
  const cache = join(ROOT, '.cache', 'clients');
  mkdirSync(cache, { recursive: true });
  const binary = join(cache, 'restarts');
  execFileSync('go', ['build', '-o', binary, '.'], {
    cwd: join(ROOT, 'compat', 'controllers', 'restarts'),
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  return binary;
}

/** Writes for a random time, then kills the server. A write without an answer ends its writer. */
async function writeUntilKilled(server: LiveServer, random: (below: number) => number): Promise<void> {
  const client = new LiveClient(server.url);
  let writing = true;
  const write = async (): Promise<void> => {
    while (writing) {
      const name = `object-${random(NAMES)}`;
      const kind = random(4);
      const body = { metadata: { name }, data: { value: String(random(1_000_000)) } };
      const { status } =
        kind === 0
          ? await client.request('DELETE', `${COLLECTION}/${name}`)
          : kind === 1
            ? await client.request('POST', COLLECTION, body)
            : await client.request('PATCH', `${COLLECTION}/${name}`, body, 'application/merge-patch+json');
      if (status === 0) return;
      if (status >= 500) throw new Error(`a write was answered ${status}`);
    }
  };
  const writers = Array.from({ length: WRITERS }, write);
  await new Promise((resolve) => setTimeout(resolve, 500 + random(1500)));
  await server.end('SIGKILL');
  writing = false;
  await Promise.all(writers);
  client.close();
}

function compare(caches: Readonly<Record<string, Revisions>>, wanted: Revisions): void {
  for (const [cache, revisions] of Object.entries(caches)) {
    const names = new Set([...Object.keys(revisions), ...Object.keys(wanted)]);
    for (const name of names)
      if (revisions[name] !== wanted[name])
        throw new Error(
          `${cache} has ${name} at ${revisions[name] ?? 'none'}, the server at ${wanted[name] ?? 'none'}`,
        );
  }
}

/** The Go program. Throws if it ends before it is stopped. */
class Follower {
  readonly #child;
  readonly #lines: AsyncIterator<string>;

  constructor(binary: string, kubeconfig: string, home: string) {
    this.#child = spawn(binary, [kubeconfig, NAMESPACE], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
    });
    process.once('exit', () => this.#child.kill('SIGKILL'));
    this.#child.stdin.on('error', () => {});
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask(): Promise<Readonly<Record<string, Revisions>>> {
    this.#child.stdin.write('\n');
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the program ended');
    return JSON.parse(value) as Readonly<Record<string, Revisions>>;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
