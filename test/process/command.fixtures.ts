/** The built command `keelson` in child processes, for tests. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { readYaml } from '../../src/apimachinery/codec/yaml/yaml.ts';
import { ROOT } from '../source-graph.ts';

const LAST_LINE = 'Press Ctrl-C to stop it.';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

export interface SpawnOptions {
  /** Runs instead of the built command. */
  readonly program?: string;
  /** A shell command that runs `"$0" "$@"`. */
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The command in a child process. */
export class Server {
  readonly child: ChildProcess;
  output = '';
  errors = '';
  readonly exited: Promise<number | null>;

  constructor(line: readonly string[], folder: string, { shell, env = {} }: SpawnOptions) {
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

/** The command of one test file, built before its tests, and the folder, servers and clients of the present test. */
export class Command {
  readonly program: string;
  /** The working folder: new for each test. */
  folder = '';
  #servers: Server[] = [];
  #sessions: ClientHttp2Session[] = [];

  constructor(built: string) {
    this.program = join(built, 'main.js');
  }

  /** Starts the command. It is killed when the test ends. */
  spawn(args: readonly string[], options: SpawnOptions = {}): Server {
    const { program } = options;
    const line = [...(program === undefined ? [process.execPath, this.program] : [program]), ...args];
    const server = new Server(line, this.folder, options);
    this.#servers.push(server);
    return server;
  }

  /** Starts a server on a free port and waits for its start message. */
  async start(...args: string[]): Promise<Server> {
    const server = this.spawn(['--secure-port=0', ...args]);
    await server.started();
    return server;
  }

  /** Returns a client over HTTP/2 with the credentials of the kubeconfig, or with none. */
  client(server: Server, as: 'admin' | 'nobody' = 'admin'): Client {
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
      ...(as === 'nobody'
        ? {}
        : { cert: decode(user['client-certificate-data']), key: decode(user['client-key-data']) }),
    });
    session.on('error', () => undefined);
    this.#sessions.push(session);
    return new Client(session);
  }

  beginTest(): void {
    this.folder = mkdtempSync(join(tmpdir(), 'keelson-command-'));
  }

  async endTest(): Promise<void> {
    for (const session of this.#sessions.splice(0)) session.destroy();
    for (const server of this.#servers.splice(0)) await server.kill();
    rmSync(this.folder, { recursive: true });
  }
}

/** Builds the command before the tests of the calling file and cleans up after each of them. */
export function useCommand(name: string): Command {
  // The grandparent folder of the program contains package.json, as for the built command.
  const built = join(ROOT, '.cache', `command-${name}`);
  const command = new Command(built);
  beforeAll(() => {
    execFileSync(process.execPath, [join(ROOT, 'scripts', 'bundle-command.mjs'), built]);
  }, 120_000);
  afterAll(() => rmSync(built, { recursive: true, force: true }));
  beforeEach(() => command.beginTest());
  afterEach(() => command.endTest());
  return command;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export class Client {
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
