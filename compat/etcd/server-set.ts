/** Several servers of the built command on one etcd cluster, with shared keys, that the cases stop, kill and start again. */
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../peers/free-port.ts';
import { type Child, probe, startChild, waitUntilReady } from '../peers/process.ts';
import { keelsonCli } from '../peers/programs.ts';

export interface ServerSetOptions {
  readonly etcd: readonly string[];
  readonly folder: string;
  readonly servers: number;
  readonly flags: readonly string[];
}

export class ServerSet {
  readonly ports: readonly number[];
  readonly #options: ServerSetOptions;
  readonly #children: (Child | undefined)[];

  private constructor(options: ServerSetOptions, ports: readonly number[]) {
    this.#options = options;
    this.ports = ports;
    this.#children = ports.map(() => undefined);
  }

  /** Starts the first server, gives its keys to the others, and starts them. */
  static async start(options: ServerSetOptions): Promise<ServerSet> {
    const ports: number[] = [];
    for (let i = 0; i < options.servers; i++) ports.push(await freePort());
    const set = new ServerSet(options, ports);
    await set.launch(0);
    for (let i = 1; i < options.servers; i++) {
      mkdirSync(set.#dataDir(i), { recursive: true });
      cpSync(join(set.#dataDir(0), 'pki'), join(set.#dataDir(i), 'pki'), { recursive: true });
    }
    await Promise.all(ports.slice(1).map((_, i) => set.launch(i + 1)));
    return set;
  }

  /** The kubeconfig of the admin with another URL of the servers. */
  kubeconfig(url: string): string {
    const text = readFileSync(join(this.#dataDir(0), 'admin.kubeconfig'), 'utf8');
    return text.replace(/https:\/\/127\.0\.0\.1:\d+/, url);
  }

  /** Starts a server and resolves when it is ready. */
  async launch(i: number): Promise<void> {
    const { etcd, flags } = this.#options;
    const logFile = join(this.#options.folder, `server-${i}.log`);
    const child = startChild(
      process.execPath,
      [
        keelsonCli(),
        `--etcd-servers=${etcd.join(',')}`,
        `--data-dir=${this.#dataDir(i)}`,
        `--secure-port=${this.ports[i]}`,
        ...flags,
      ],
      logFile,
    );
    this.#children[i] = child;
    const ca = join(this.#dataDir(i), 'pki', 'ca.crt');
    const check = async (): Promise<boolean> =>
      (await probe(`https://127.0.0.1:${this.ports[i]}/readyz`, readFileSync(ca, 'utf8'))).status === 200;
    await waitUntilReady({ what: `server ${i}`, child, logFile, check });
  }

  /** Sends SIGTERM and resolves when the server has ended. Returns how it ended. */
  async terminate(i: number): Promise<string> {
    const child = this.#children[i];
    await child?.stop(60_000);
    return child?.ended() ?? 'not started';
  }

  /** Sends SIGKILL and resolves when the server has ended. */
  async kill(i: number): Promise<void> {
    const child = this.#children[i];
    if (child === undefined) return;
    process.kill(child.pid, 'SIGKILL');
    await child.stop(0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#children.map((child) => child?.stop(0)));
  }

  #dataDir(i: number): string {
    return join(this.#options.folder, `server-${i}`);
  }
}
