/**
 * A PostgreSQL server of Debian's package, on a socket in a temporary folder. It refuses to run as root, so root starts
 * it as the user `postgres` of the package.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The parts of the package `pg` that the suite uses. */
export interface Pool {
  query(sql: string, params?: readonly string[]): Promise<{ readonly rows: Record<string, string | null>[] }>;
  connect(): Promise<PoolClient>;
  on(event: 'error', listener: (error: Error) => void): void;
  end(): Promise<void>;
}

export interface PoolClient extends Pick<Pool, 'query'> {
  on(event: 'notification' | 'error', listener: () => void): void;
  release(destroy?: boolean): void;
}

const { Pool: OpenPool } = createRequire(import.meta.url)('pg') as {
  Pool: new (options: object) => Pool;
};

const PACKAGES = '/usr/lib/postgresql';

function program(name: string): string {
  const versions = existsSync(PACKAGES) ? readdirSync(PACKAGES).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((version) => join(PACKAGES, version, 'bin', name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${name} is missing: apt-get install postgresql`);
  return found;
}

/** The user that runs the server: the present one, or `postgres` for root. */
function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export class PostgresServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'compat-rows-'));
  readonly #user = serverUser();
  readonly #pools = new Set<Pool>();
  #child: ChildProcess | undefined;

  static async start(): Promise<PostgresServer> {
    const server = new PostgresServer();
    const { uid, gid } = server.#user;
    if (uid !== undefined && gid !== undefined) chownSync(server.#folder, uid, gid);
    chmodSync(server.#folder, 0o755);
    const args = ['-D', server.#data, '-U', 'keelson', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
    execFileSync(program('initdb'), args, { ...server.#user, stdio: 'ignore', cwd: server.#folder });
    await server.launch();
    return server;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  /** Starts the process. Resolves when it accepts connections. */
  async launch(): Promise<void> {
    const settings = ['listen_addresses=', 'fsync=off', 'max_connections=100'].flatMap((each) => ['-c', each]);
    const child = spawn(program('postgres'), ['-D', this.#data, '-k', this.#folder, ...settings], {
      ...this.#user,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr! })) {
      lines.push(line);
      if (line.includes('ready to accept connections')) {
        child.stderr!.resume();
        return;
      }
    }
    throw new Error(`PostgreSQL did not start:\n${lines.join('\n')}`);
  }

  /** Ends the process at once, as a power failure does. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGQUIT');
    await exit;
  }

  /** A pool of connections. It ends with the server. */
  pool(): Pool {
    const pool = new OpenPool({ host: this.#folder, user: 'keelson', database: 'postgres', max: 10 });
    pool.on('error', () => {}); // connections that are idle when the server is killed
    this.#pools.add(pool);
    return pool;
  }

  /** Creates a database. Returns its address for other programs. */
  async createDatabase(name: string): Promise<string> {
    await this.pool().query(`CREATE DATABASE ${name}`);
    return `postgresql://keelson@/${name}?host=${encodeURIComponent(this.#folder)}`;
  }

  async stop(): Promise<void> {
    for (const pool of this.#pools) await pool.end();
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
