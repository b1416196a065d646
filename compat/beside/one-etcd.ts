/** Servers that share an etcd. All have the same credentials, and the two addresses serve at one port. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FLAGS as REFERENCE_FLAGS, RUNTIME_CONFIG } from '../backup/runs.ts';
import { type Client, createClient } from '../diff/client.ts';
import { type Etcd, startEtcd } from '../peers/etcd.ts';
import { freePort } from '../peers/free-port.ts';
import { startKeelson } from '../peers/keelson.ts';
import { type Credentials, makeCredentials, type Peer } from '../peers/peer.ts';
import { startReference } from '../peers/reference.ts';

/** Pods need no account, which a controller would create in the reference. */
const NO_ACCOUNTS = '--disable-admission-plugins=ServiceAccount';

export type Side = 'reference' | 'keelson';
export const SIDES: readonly Side[] = ['reference', 'keelson'];

/** The addresses that the servers publish in `default/kubernetes`. */
export const ADVERTISED: Readonly<Record<Side, string>> = { reference: '10.9.0.1', keelson: '10.9.0.2' };

export function otherSide(side: Side): Side {
  return side === 'reference' ? 'keelson' : 'reference';
}

export interface OneEtcdOptions {
  /** Flags of both servers. */
  readonly flags?: readonly string[];
  /** Whether both serve every version of every kind. Default: what they serve by default. */
  readonly everyVersion?: boolean;
}

interface Running {
  readonly peer: Peer;
  readonly client: Client;
}

export class OneEtcd {
  readonly folder: string;
  readonly #options: OneEtcdOptions;
  readonly #etcd: Etcd;
  readonly #credentials: Credentials;
  readonly #port: number;
  readonly #running = new Map<Side, Running>();

  private constructor(
    options: OneEtcdOptions,
    parts: { folder: string; etcd: Etcd; credentials: Credentials; port: number },
  ) {
    this.#options = options;
    this.folder = parts.folder;
    this.#etcd = parts.etcd;
    this.#credentials = parts.credentials;
    this.#port = parts.port;
  }

  /** Starts an empty etcd and no server. */
  static async start(options: OneEtcdOptions = {}): Promise<OneEtcd> {
    const folder = mkdtempSync(join(tmpdir(), 'compat-beside-'));
    const credentials = await makeCredentials(join(folder, 'credentials'));
    const etcd = await startEtcd({ folder });
    return new OneEtcd(options, { folder, etcd, credentials, port: await freePort() });
  }

  get url(): string {
    return this.#etcd.url;
  }

  /** Starts a server and resolves when it is ready. */
  async launch(side: Side, more: readonly string[] = []): Promise<Client> {
    const { everyVersion = false } = this.#options;
    const shared = { credentials: this.#credentials };
    const flags = [`--advertise-address=${ADVERTISED[side]}`, ...(this.#options.flags ?? []), ...more];
    const peer =
      side === 'reference'
        ? await startReference({
            ...shared,
            etcdUrl: this.url,
            listen: { address: '127.0.0.1', port: this.#port },
            flags: [...(everyVersion ? REFERENCE_FLAGS : [NO_ACCOUNTS]), '--endpoint-reconciler-type=lease', ...flags],
          })
        : await startKeelson({
            ...shared,
            storage: 'etcd',
            listen: { address: '127.0.0.2', port: this.#port },
            flags: [`--etcd-servers=${this.url}`, NO_ACCOUNTS, ...(everyVersion ? [RUNTIME_CONFIG] : []), ...flags],
          });
    const client = createClient(peer);
    this.#running.set(side, { peer, client });
    return client;
  }

  /** Throws if the server does not run. */
  client(side: Side): Client {
    const running = this.#running.get(side);
    if (running === undefined) throw new Error(`${side} does not run`);
    return running.client;
  }

  /** Sends SIGTERM and resolves when the server has ended. */
  async terminate(side: Side): Promise<void> {
    const running = this.#running.get(side);
    this.#running.delete(side);
    running?.client.close();
    await running?.peer.stop();
  }

  /** Sends SIGKILL and resolves when the server has ended. */
  async kill(side: Side): Promise<void> {
    for (const pid of this.#running.get(side)?.peer.pids ?? []) process.kill(pid, 'SIGKILL');
    await this.terminate(side);
  }

  async stop(): Promise<void> {
    await Promise.all(SIDES.map((side) => this.terminate(side)));
    await this.#etcd.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
