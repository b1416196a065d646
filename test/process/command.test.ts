import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readYaml } from '../../src/apimachinery/codec/yaml/yaml.ts';
import { ROOT } from '../source-graph.ts';

// The grandparent folder contains package.json, as for the built command.
const FOLDER = join(ROOT, '.cache', 'command-test');
const COMMAND = join(FOLDER, 'main.js');
const LAST_LINE = 'Press Ctrl-C to stop it.';

let folder: string;
let servers: Server[];
let sessions: ClientHttp2Session[];

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'bundle-command.mjs'), FOLDER]);
}, 120_000);

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-command-'));
  servers = [];
  sessions = [];
});

afterEach(async () => {
  for (const session of sessions) session.destroy();
  for (const server of servers) await server.kill();
  rmSync(folder, { recursive: true });
});

interface ServerContext {
  /** Runs instead of the built command. */
  readonly program?: string;
  /** A shell command that runs `"$0" "$@"`. */
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The command in a child process. */
class Server {
  readonly child: ChildProcess;
  output = '';
  errors = '';
  readonly exited: Promise<number | null>;

  constructor(args: readonly string[], { program, shell, env = {} }: ServerContext = {}) {
    const line = [...(program === undefined ? [process.execPath, COMMAND] : [program]), ...args];
    const [file = '', ...rest] = shell === undefined ? line : ['sh', '-c', shell, ...line];
    this.child = spawn(file, rest, { cwd: folder, env: { ...process.env, FORCE_COLOR: undefined, ...env } });
    this.child.stdout?.on('data', (text: Buffer) => {
      this.output += text.toString();
    });
    this.child.stderr?.on('data', (text: Buffer) => {
      this.errors += text.toString();
    });
    this.exited = once(this.child, 'close').then(([code]) => code as number | null);
  }

  async started(): Promise<string[]> {
    await this.until(LAST_LINE);
    return this.output.trimEnd().split('\n');
  }

  /** Resolves when standard output contains the text. */
  async until(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      const ended = await Promise.race([once(this.child.stdout as NodeJS.EventEmitter, 'data'), this.exited]);
      if (!Array.isArray(ended)) throw new Error(`ended with ${ended}: ${this.errors}`);
    }
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}

async function start(...args: string[]): Promise<Server> {
  const server = new Server(['--secure-port=0', ...args]);
  servers.push(server);
  await server.started();
  return server;
}

/** Returns a client over HTTP/2 with the credentials of the kubeconfig, or with none. */
function client(server: Server, as: 'admin' | 'nobody' = 'admin'): Client {
  const path = /export KUBECONFIG=(\S+)/.exec(server.output)?.[1] as string;
  const read = readYaml(readFileSync(path, 'utf8'));
  if (!read.ok) throw new Error(read.error.message);
  const config = read.value as unknown as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
    users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const decode = (data: string): Buffer => Buffer.from(data, 'base64');
  const session = connect(cluster.server, {
    ca: decode(cluster['certificate-authority-data']),
    ...(as === 'nobody' ? {} : { cert: decode(user['client-certificate-data']), key: decode(user['client-key-data']) }),
  });
  session.on('error', () => undefined);
  sessions.push(session);
  return new Client(session);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

class Client {
  readonly session: ClientHttp2Session;

  constructor(session: ClientHttp2Session) {
    this.session = session;
  }

  async send(method: string, path: string, body?: unknown, accept = 'application/json'): Promise<Answer> {
    const stream = this.session.request({
      ':method': method,
      ':path': path,
      accept,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    });
    stream.end(body === undefined ? undefined : JSON.stringify(body));
    let text = '';
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    if (!stream.readableEnded) await once(stream, 'end');
    return { status: headers[':status'], text };
  }
}

/** Returns the command lines in the README and their output. */
function transcripts(): { command: string; output: string[] }[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```console\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  const found: { command: string; output: string[] }[] = [];
  for (const line of blocks.join('').trimEnd().split('\n')) {
    if (line.startsWith('$ ')) found.push({ command: line.slice(2), output: [] });
    else found.at(-1)?.output.push(line);
  }
  return found;
}

/** Replaces the parts of a line that differ between starts. */
function plain(line: string): string {
  return line
    .replace(/Keelson \d\S*/, 'Keelson VERSION')
    .replace(/https:\/\/127\.0\.0\.1:\d+/, 'URL')
    .replace(/ready in \d+ ms/, 'ready in N ms')
    .replace(/KUBECONFIG=\S*\.keelson/, 'KUBECONFIG=.keelson')
    .replace(/ +\d+s$/, ' AGE');
}

/** Prints a Table as kubectl does, without wide columns. */
function printTable(text: string): string[] {
  const table = JSON.parse(text) as {
    columnDefinitions: { name: string; priority: number }[];
    rows: { cells: unknown[] }[];
  };
  const shown = table.columnDefinitions.flatMap(({ priority }, index) => (priority === 0 ? [index] : []));
  const lines = [
    shown.map((index) => (table.columnDefinitions[index]?.name ?? '').toUpperCase()),
    ...table.rows.map(({ cells }) => shown.map((index) => String(cells[index]))),
  ];
  const widths = shown.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line.map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 3))).join(''),
  );
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const FLAGS = ['--secure-port=0', '--storage=memory', '--allow-privileged'];
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('keelson', () => {
  it('starts as the README shows', async () => {
    const [started, exported, listed, created] = transcripts();
    expect(started?.command).toBe('npx keelson');
    const server = await start();
    const lines = await server.started();
    expect(lines.map(plain)).toEqual(started?.output.map(plain));

    const next = lines.filter((line) => line.startsWith('  ')).map((line) => plain(line.trim()));
    expect(next).toEqual([exported, listed, created].map((one) => plain(one?.command ?? '')));

    const admin = client(server);
    const namespaces = await admin.send('GET', '/api/v1/namespaces?limit=500', undefined, TABLE);
    expect(printTable(namespaces.text).map(plain)).toEqual(listed?.output.map(plain));
    const hello = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello' }, data: { greeting: 'ahoy' } };
    const answer = await admin.send('POST', CONFIG_MAPS, hello);
    expect(`configmap/hello ${answer.status === 201 ? 'created' : answer.text}`).toBe(created?.output.join('\n'));
  });

  it('writes files that only their owner can read, and logs in JSON without secrets', async () => {
    const server = await start('--allow-privileged', '--kubelet-port=10250', '-v=4');
    const kubeconfig = join(folder, '.keelson', 'admin.kubeconfig');
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, '.keelson')).mode & 0o777).toBe(0o700);
    await client(server).send('GET', '/api');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const log = server.errors
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; msg: string });
    const warnings = log.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warnings).toEqual(['flags of kube-apiserver without effect here: --allow-privileged, --kubelet-port']);
    expect(server.errors + server.output).not.toMatch(/PRIVATE KEY|Bearer |eyJ/);
  });

  it('shows an address that can be used, and says that memory is memory', async () => {
    const server = await start('--storage=memory', '--bind-address=0.0.0.0');
    expect(server.output).toMatch(/serves the Kubernetes API at https:\/\/127\.0\.0\.1:\d+ /);
    expect(server.output + server.errors).not.toContain('0.0.0.0');
    expect(server.output).toContain('Objects are in memory only: they are lost when it stops.');
    expect((await client(server).send('GET', '/readyz')).status).toBe(200);
  });

  it('writes nothing but JSON lines if both streams are one pipe', async () => {
    const server = new Server(FLAGS, { shell: 'exec "$0" "$@" 2>&1' });
    servers.push(server);
    await server.until('"msg":"ready"');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const lines = server.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; url?: string });
    expect(lines.map(({ msg }) => msg)).toEqual([
      'flags of kube-apiserver without effect here: --allow-privileged',
      'ready',
      'stopping',
      'stopped',
    ]);
    expect(lines[1]?.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  });

  // The program script of util-linux makes a terminal.
  it.skipIf(process.platform !== 'linux').each([
    ['with colours', {}, '\u001b[33mwarn \u001b[39m flags of kube-apiserver'],
    ['without colours if NO_COLOR is set', { NO_COLOR: '1' }, ' warn  flags of kube-apiserver'],
  ])('prints the start message once to a terminal, and short log lines %s', async (_, env, warning) => {
    const server = new Server(FLAGS, {
      shell: `exec script -qec "$(printf "'%s' " "$0" "$@")" /dev/null`,
      env: { NO_COLOR: '', TERM: 'xterm', ...env },
    });
    servers.push(server);
    await server.started();
    // Ctrl-C at the terminal.
    server.child.stdin?.write('\u0003');
    await server.exited;
    expect(server.output).toContain(warning);
    expect(server.output.split('https://127.0.0.1:')).toHaveLength(2);
    expect(server.output).not.toContain('"msg"');
    expect(server.output).toContain('stopped');
  });

  it('serves only health checks to anonymous clients', async () => {
    const nobody = client(await start('--storage=memory'), 'nobody');
    for (const path of ['/healthz', '/livez', '/readyz'])
      expect(await nobody.send('GET', path)).toEqual({ status: 200, text: 'ok' });
    expect((await nobody.send('GET', CONFIG_MAPS)).status).toBe(403);
    expect((await nobody.send('POST', '/healthz')).status).toBe(403);
  });

  it('reports in one sentence that a folder or a port is in use', async () => {
    const server = await start();
    const port = /127\.0\.0\.1:(\d+)/.exec(server.output)?.[1] as string;
    const sameFolder = new Server(['--secure-port=0']);
    const samePort = new Server([`--secure-port=${port}`, '--data-dir=elsewhere', '--storage=memory']);
    servers.push(sameFolder, samePort);
    expect([await sameFolder.exited, await samePort.exited]).toEqual([2, 2]);
    expect(sameFolder.errors).toMatch(/^keelson: data folder \S+ is in use by process \d+: stop it first, .*\n$/);
    expect(samePort.errors).toMatch(
      new RegExp(`^keelson: cannot listen on 127.0.0.1:${port}: another program uses that port .*\n$`),
    );
    expect(sameFolder.output + samePort.output).toBe('');
  });
});

describe('as the kube-apiserver of another program', () => {
  /** The flags that envtest of controller-runtime passes. */
  const envtestFlags = (certDir: string): string[] => [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${certDir}`,
    '--disable-admission-plugins=ServiceAccount',
    '--etcd-servers=http://127.0.0.1:2379',
    '--secure-port=0',
    '--service-account-issuer=https://127.0.0.1:0/',
    '--service-cluster-ip-range=10.0.0.0/24',
  ];

  async function startAs(program: string, ...args: string[]): Promise<Server> {
    const server = new Server(args, { program });
    servers.push(server);
    await server.started();
    return server;
  }

  function warnings({ errors }: Server): string[] {
    const lines = errors.trimEnd().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as { level: string; msg: string });
    return parsed.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
  }

  it.each(['link', 'shim'])(
    'starts from a %s, writes to --cert-dir only, and says where the objects are',
    async (how) => {
      const program = join(folder, 'kube-apiserver');
      if (how === 'link') symlinkSync(COMMAND, program);
      else writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${COMMAND} "$@"\n`, { mode: 0o755 });
      const certDir = join(folder, 'certs');
      const server = await startAs(program, ...envtestFlags(certDir));
      expect(await client(server, 'nobody').send('GET', '/healthz')).toEqual({ status: 200, text: 'ok' });
      server.child.kill('SIGTERM');
      expect(await server.exited).toBe(0);
      expect(readdirSync(folder).sort()).toEqual(['certs', 'kube-apiserver']);
      expect(warnings(server)).toEqual([
        'flags of kube-apiserver without effect here: --allow-privileged',
        expect.stringContaining(
          `--etcd-servers=http://127.0.0.1:2379; objects are stored in the folder ${certDir}/keelson`,
        ),
      ]);
    },
  );

  it('starts from the folder of keelson envtest, beside an etcd that answers health checks', async () => {
    const assets = join(folder, 'assets');
    const printed = execFileSync(process.execPath, [COMMAND, 'envtest', 'assets'], { cwd: folder, encoding: 'utf8' });
    expect(printed).toContain(`export KUBEBUILDER_ASSETS=${assets}\n`);
    for (const name of ['etcd', 'kube-apiserver'])
      expect(execFileSync(join(assets, name), ['--help'], { encoding: 'utf8' })).not.toMatch(/^\s*--insecure-port\b/m);

    const etcd = new Server(['--data-dir=x', '--listen-client-urls=http://127.0.0.1:0'], {
      program: join(assets, 'etcd'),
    });
    servers.push(etcd);
    while (!etcd.errors.includes('\n')) await once(etcd.child.stderr as NodeJS.EventEmitter, 'data');
    const url = /http:\S+/.exec(etcd.errors)?.[0] as string;
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { health: 'true', reason: '' }]);
    expect((await fetch(`${url}/v3/kv/range`)).status).toBe(404);

    const server = await startAs(join(assets, 'kube-apiserver'), ...envtestFlags(join(folder, 'certs')));
    expect(await client(server, 'nobody').send('GET', '/healthz')).toEqual({ status: 200, text: 'ok' });
    expect(warnings(server).at(-1)).toContain('objects are kept in memory until this process ends');
    for (const { child } of [server, etcd]) child.kill('SIGTERM');
    expect([await server.exited, await etcd.exited]).toEqual([0, 0]);
  });

  it('prints the version of Kubernetes from a link called kube-apiserver', () => {
    const program = join(folder, 'kube-apiserver');
    symlinkSync(COMMAND, program);
    expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toMatch(/^Kubernetes v1\.36\.3\+keelson\S+\n$/);
  });

  it('reports the version that --version sets', async () => {
    const server = await start('--storage=memory', '--version=v1.36.3-custom');
    const { text } = await client(server).send('GET', '/version');
    expect(JSON.parse(text)).toMatchObject({ gitVersion: 'v1.36.3-custom' });
  });
});

describe('keelson, on a full disk,', () => {
  it('logs one line with the reason, and nothing else gets between the JSON lines', async () => {
    // The unit is 512 or 1,024 bytes, depending on the shell. If SIGXFSZ is ignored, a write behind the limit fails.
    const server = new Server(['--secure-port=0'], { shell: `trap '' XFSZ; ulimit -f 20000; exec "$0" "$@"` });
    servers.push(server);
    await server.started();
    const admin = client(server);
    const data = { text: 'x'.repeat(800_000) };
    const answers: Answer[] = [];
    for (let i = 0; i < 60 && answers.length < 5; i++) {
      const answer = await admin.send('POST', CONFIG_MAPS, { metadata: { name: `big-${i}` }, data });
      if (answer.status !== 201) answers.push(answer);
    }
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
    expect(answers[0]?.text).toContain('the disk is full or a quota is reached');
    expect((await admin.send('GET', `${CONFIG_MAPS}/big-0`)).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const log = server.errors
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const errors = log.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      msg: 'a request was answered with an error',
      code: 500,
      reason: 'InternalError',
      err: { type: 'StorageError', message: expect.stringContaining('the disk is full') },
    });
  });
});

describe('keelson storage', () => {
  /** Runs a command to its end. */
  async function run(...args: string[]): Promise<Server> {
    const command = new Server(args);
    servers.push(command);
    expect([await command.exited, command.errors]).toEqual([0, '']);
    return command;
  }

  it('backs up a server that is writing, and the restored server has the same objects and identity', async () => {
    const server = await start();
    const admin = client(server);
    let written = 0;
    let writing = true;
    const writer = async (id: number): Promise<void> => {
      for (let i = 0; writing; i++) {
        const object = { metadata: { name: `w-${id}-${i}` }, data: { text: 'x'.repeat(5000) } };
        expect((await admin.send('POST', CONFIG_MAPS, object)).status).toBe(201);
        written++;
      }
    };
    const writers = Promise.all([0, 1, 2, 3].map(writer));
    const backups: { objects: number; atLeast: number; atMost: number }[] = [];
    for (let i = 0; i < 3; i++) {
      const atLeast = written;
      const { output } = await run('storage', 'backup', `backup-${i}`);
      const objects = Number(/^backed up (\d+) objects at revision \d+ .*verified\)/.exec(output)?.[1]);
      backups.push({ objects, atLeast, atMost: written + 4 });
    }
    writing = false;
    await writers;
    const [first, , last] = backups;
    expect(last?.objects).toBeGreaterThan(first?.objects ?? 0);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);

    expect((await run('storage', 'restore', 'backup-2', '--data-dir=restored')).output).toContain(
      `restored ${last?.objects} objects`,
    );
    // The kubeconfig of the first server works for the restored one, at another port.
    const restored = await start('--data-dir=restored');
    const again = client(restored);
    const list = JSON.parse((await again.send('GET', CONFIG_MAPS)).text) as { items: { metadata: { name: string } }[] };
    const found = list.items.filter(({ metadata }) => metadata.name.startsWith('w-')).length;
    expect(found).toBeGreaterThanOrEqual(last?.atLeast ?? 0);
    expect(found).toBeLessThanOrEqual(last?.atMost ?? 0);
    const ca = (path: string): string => readFileSync(join(folder, path, 'pki', 'ca.crt'), 'utf8');
    expect(ca('restored')).toBe(ca('.keelson'));
    // A watch that resumes from a revision of the first server must list again.
    const resumed = await again.send('GET', `${CONFIG_MAPS}?watch=true&resourceVersion=500&timeoutSeconds=5`);
    expect(resumed.text).toContain('"code":410');
    restored.child.kill('SIGTERM');
    await restored.exited;
    await run('storage', 'verify', 'restored');
  });
});

describe('keelson, after a signal,', () => {
  it('closes watches cleanly, exits with 0 and keeps the stored objects', async () => {
    const server = await start();
    const admin = client(server);
    await admin.send('POST', CONFIG_MAPS, { metadata: { name: 'kept' } });
    const watch = admin.session.request({ ':path': `${CONFIG_MAPS}?watch=true` });
    let watched = '';
    watch.setEncoding('utf8').on('data', (text: string) => {
      watched += text;
    });
    await once(watch, 'data');
    server.child.kill('SIGTERM');
    await once(watch, 'end');
    expect(watch.rstCode).toBe(0);
    expect(watched).toContain('"kept"');
    expect(await server.exited).toBe(0);

    const again = client(await start());
    expect((await again.send('GET', `${CONFIG_MAPS}/kept`)).status).toBe(200);
  });

  it('reports the shutdown by readyz while it still serves requests, and ends at once on a second signal', async () => {
    const server = await start('--storage=memory', '--shutdown-delay-duration=1h');
    const admin = client(server);
    server.child.kill('SIGINT');
    let readyz: Answer;
    do readyz = await admin.send('GET', '/readyz');
    while (readyz.status === 200);
    expect(readyz.text).toContain('[-]shutdown failed');
    expect((await admin.send('GET', '/livez')).status).toBe(200);
    expect((await admin.send('POST', CONFIG_MAPS, { metadata: { name: 'late' } })).status).toBe(201);
    server.child.kill('SIGINT');
    expect(await server.exited).toBe(1);
  });
});
