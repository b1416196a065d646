/** Clusters of real etcd on loopback, whose members the cases kill, suspend and start again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../peers/free-port.ts';
import { type Child, startChild, waitUntilReady } from '../peers/process.ts';

export interface ClusterOptions {
  /** The path of the program. */
  readonly program: string;
  readonly members: number;
  /** More flags of etcd, for all members. */
  readonly flags?: readonly string[];
  /** The files of members that serve TLS and demand client certificates of the CA. Default: no TLS. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  /** Returns the URL under which the other members reach the one that listens on `url`. Default: that URL. */
  readonly advertise?: (url: string) => Promise<string>;
  /** Returns the place of a member. `folder` is one that exists. Default: its data is in `dataDir`. */
  readonly place?: (member: number, folder: string) => MemberPlace;
}

export interface MemberPlace {
  /** A command that runs the command that follows it, as the same process. */
  readonly command?: readonly string[];
  /** Flags of this member. They override those of all members. */
  readonly flags?: readonly string[];
}

interface MemberUrls {
  /** For clients. */
  readonly urls: readonly string[];
  readonly peerUrls: readonly string[];
  readonly advertised: readonly string[];
  /** Of /health, without TLS. */
  readonly healthUrls: readonly string[];
}

export class Cluster {
  readonly folder: string;
  readonly urls: readonly string[];
  readonly #options: ClusterOptions;
  readonly #peerUrls: readonly string[];
  readonly #advertised: readonly string[];
  readonly #healthUrls: readonly string[];
  readonly #children: (Child | undefined)[];

  private constructor(options: ClusterOptions, { urls, peerUrls, advertised, healthUrls }: MemberUrls) {
    this.#options = options;
    this.urls = urls;
    this.#peerUrls = peerUrls;
    this.#advertised = advertised;
    this.#healthUrls = healthUrls;
    this.#children = urls.map(() => undefined);
    this.folder = mkdtempSync(join(tmpdir(), 'compat-etcd-'));
  }

  /** Starts all members and waits until they are healthy. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const urls: string[] = [];
    const peerUrls: string[] = [];
    const advertised: string[] = [];
    const healthUrls: string[] = [];
    for (let i = 0; i < options.members; i++) {
      const scheme = options.tls === undefined ? 'http' : 'https';
      urls.push(`${scheme}://127.0.0.1:${await freePort()}`);
      healthUrls.push(`http://127.0.0.1:${await freePort()}`);
      const peerUrl = `http://127.0.0.1:${await freePort()}`;
      peerUrls.push(peerUrl);
      advertised.push((await options.advertise?.(peerUrl)) ?? peerUrl);
    }
    const cluster = new Cluster(options, { urls, peerUrls, advertised, healthUrls });
    try {
      for (let i = 0; i < options.members; i++) cluster.launch(i);
      for (let i = 0; i < options.members; i++) await cluster.healthy(i);
      return cluster;
    } catch (caught) {
      await cluster.stop();
      throw caught;
    }
  }

  /** Starts a member that does not run. */
  launch(i: number): void {
    const initial = this.#advertised.map((url, member) => `m${member}=${url}`).join(',');
    const { command = [], flags = [] } = this.#options.place?.(i, this.folder) ?? {};
    const [first, ...rest] = [
      ...command,
      this.#options.program,
      `--name=m${i}`,
      `--data-dir=${this.dataDir(i)}`,
      `--listen-client-urls=${this.urls[i]}`,
      `--advertise-client-urls=${this.urls[i]}`,
      `--listen-peer-urls=${this.#peerUrls[i]}`,
      `--initial-advertise-peer-urls=${this.#advertised[i]}`,
      `--initial-cluster=${initial}`,
      `--listen-metrics-urls=${this.#healthUrls[i]}`,
      ...tlsFlags(this.#options),
      '--unsafe-no-fsync',
      ...(this.#options.flags ?? []),
      ...flags,
    ];
    this.#children[i] = startChild(first as string, rest, this.#log(i), {
      env: { ETCD_UNSUPPORTED_ARCH: process.arch },
    });
  }

  /** False after `kill`, and if the member has ended by itself. */
  isRunning(i: number): boolean {
    const child = this.#children[i];
    return child !== undefined && child.ended() === undefined;
  }

  async healthy(i: number): Promise<void> {
    const check = async (): Promise<boolean> => (await fetch(`${this.#healthUrls[i]}/health`)).ok;
    const child = this.#children[i]!;
    await waitUntilReady({ what: `etcd member ${i}`, child, logFile: this.#log(i), check });
  }

  dataDir(i: number): string {
    return join(this.folder, `m${i}`);
  }

  /** Sends SIGKILL and waits until the member is gone. */
  async kill(i: number): Promise<void> {
    const child = this.#children[i];
    if (child === undefined) return;
    this.#children[i] = undefined;
    await child.stop(0);
  }

  signal(i: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const child = this.#children[i];
    if (child !== undefined && this.isRunning(i)) process.kill(child.pid, signal);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#children.map((child) => child?.stop(0)));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #log(i: number): string {
    return join(this.folder, `m${i}.log`);
  }
}

function tlsFlags({ tls }: ClusterOptions): readonly string[] {
  if (tls === undefined) return [];
  return [`--cert-file=${tls.cert}`, `--key-file=${tls.key}`, `--trusted-ca-file=${tls.ca}`, '--client-cert-auth'];
}
