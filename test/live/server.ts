/** The built server as a child process. Every process that a test started has ended when the test ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../compat/peers/free-port.ts';

/** In system:masters. */
export const ADMIN_TOKEN = 'live-admin-token';

interface LiveServerParts {
  readonly folder: string;
  readonly port: number;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A data folder, a port and a token that survive a killed process, for the next one. */
export class LiveServer {
  readonly folder: string;
  readonly port: number;
  readonly logFile: string;
  readonly #flags: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  private constructor({ folder, port, flags, env }: LiveServerParts) {
    this.folder = folder;
    this.port = port;
    this.logFile = join(folder, 'log');
    this.#flags = flags;
    this.#env = env;
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  /** `env` is added to the environment of the process. */
  static async create(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<LiveServer> {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-live-'));
    mkdirSync(join(folder, 'certs'));
    writeFileSync(join(folder, 'tokens.csv'), `${ADMIN_TOKEN},admin,1,"system:masters"\n`, { mode: 0o600 });
    return new LiveServer({ folder, port: await freePort(), flags, env });
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('the server does not run');
    return pid;
  }

  /** Starts a process; `ready` waits until it serves. */
  start(): void {
    const log = openSync(this.logFile, 'a');
    const args = [
      join('dist', 'cli', 'main.js'),
      `--data-dir=${join(this.folder, 'data')}`,
      `--secure-port=${this.port}`,
      `--token-auth-file=${join(this.folder, 'tokens.csv')}`,
      ...this.#flags,
    ];
    const env = { ...process.env, ...this.#env };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#child = child;
  }

  /** Waits until the server is ready. Throws with the last log lines if the process ends first, or after a minute. */
  async ready(): Promise<void> {
    for (let i = 0; i < 6000; i++) {
      const child = this.#child;
      if (child === undefined || child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the server ended before it was ready:\n${this.log()}`);
      if ((await probe(`${this.url}/readyz`)) === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`the server is not ready after a minute:\n${this.log()}`);
  }

  /** Sends the signal and waits for the end. Returns the exit code, or the signal's name. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | string> {
    const child = this.#child;
    if (child === undefined) throw new Error('the server does not run');
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill(signal);
      await exit;
    }
    return child.exitCode ?? (child.signalCode as string);
  }

  /** The last lines that it printed. */
  log(): string {
    return readFileSync(this.logFile, 'utf8').split('\n').slice(-25).join('\n');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Returns the status of one GET; 0 without an answer. */
function probe(url: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, { rejectUnauthorized: false, agent: false, timeout: 2000 }, (answer) => {
      answer.resume();
      answer.on('close', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(0));
    sent.end();
  });
}
