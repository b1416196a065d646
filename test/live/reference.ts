/** etcd and kube-apiserver as child processes on one folder, which may be killed and started again. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../compat/peers/free-port.ts';
import { type Credentials, commonFlags, makeCredentials } from '../../compat/peers/peer.ts';
import { type Child, probe, startChild, waitUntilReady } from '../../compat/peers/process.ts';
import { program } from '../../compat/peers/programs.ts';
import { ADMIN_TOKEN } from './server.ts';

export class LiveReference {
  readonly port: number;
  readonly #folder: string;
  readonly #credentials: Credentials;
  readonly #etcdPort: number;
  readonly #flags: readonly string[];
  #etcd: Child | undefined;
  #apiserver: Child | undefined;

  private constructor(folder: string, credentials: Credentials, ports: readonly number[], flags: readonly string[]) {
    this.#folder = folder;
    this.#credentials = credentials;
    [this.port, this.#etcdPort] = ports as [number, number];
    this.#flags = flags;
  }

  static async create(flags: readonly string[] = []): Promise<LiveReference> {
    const folder = mkdtempSync(join(tmpdir(), 'reference-live-'));
    const credentials = await makeCredentials(join(folder, 'credentials'));
    writeFileSync(credentials.tokenFile, `${ADMIN_TOKEN},admin,1,"system:masters"\n`, { mode: 0o600 });
    mkdirSync(join(folder, 'certs'));
    return new LiveReference(folder, credentials, [await freePort(), await freePort()], flags);
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Starts the programs that do not run; `ready` waits until they serve. */
  start(): void {
    const etcdUrl = `http://127.0.0.1:${this.#etcdPort}`;
    if (this.#etcd === undefined || this.#etcd.ended() !== undefined)
      this.#etcd = startChild(
        program('etcd'),
        [
          `--data-dir=${join(this.#folder, 'etcd')}`,
          `--listen-client-urls=${etcdUrl}`,
          `--advertise-client-urls=${etcdUrl}`,
          '--listen-peer-urls=http://127.0.0.1:0',
        ],
        join(this.#folder, 'etcd.log'),
      );
    this.#apiserver = startChild(
      program('kube-apiserver'),
      [
        `--etcd-servers=${etcdUrl}`,
        ...commonFlags(this.#credentials, this.port, join(this.#folder, 'certs')),
        '--advertise-address=127.0.0.1',
        '--endpoint-reconciler-type=none',
        ...this.#flags,
      ],
      this.logFile,
    );
  }

  get logFile(): string {
    return join(this.#folder, 'kube-apiserver.log');
  }

  async ready(): Promise<void> {
    const paths = ['/readyz', '/api/v1/namespaces/default'];
    await waitUntilReady({
      what: 'kube-apiserver',
      child: this.#apiserver as Child,
      logFile: this.logFile,
      tries: 1200,
      check: async () => {
        for (const path of paths)
          if ((await probe(this.url + path, this.#credentials.caPem, ADMIN_TOKEN)).status !== 200) return false;
        return true;
      },
    });
  }

  /** Kills kube-apiserver, and etcd with it every other time. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const grace = signal === 'SIGKILL' ? 0 : 10_000;
    await this.#apiserver?.stop(grace);
    if (signal === 'SIGTERM' || Math.random() < 0.5) await this.#etcd?.stop(grace);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
