/** Two Keelsons on one etcd, with all control loops, for the cases about several servers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectionVersion, must, nameOf } from '../common/json-requests.ts';
import { type Client, createClient } from '../diff/client.ts';
import { type Etcd, startEtcd } from '../peers/etcd.ts';
import { startKeelson } from '../peers/keelson.ts';
import { makeCredentials, type Peer } from '../peers/peer.ts';
import { EventStream, type WatchEvent } from './event-stream.ts';
import { PORT_RANGE_FLAG } from './services.ts';

/** A failed leader is replaced soon. */
const FLAGS = [
  PORT_RANGE_FLAG,
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=500ms',
];
const NAMES = ['a', 'b'] as const;

/** A case about two servers. */
export type ServerCase = readonly [name: string, run: (servers: Servers) => Promise<void>];

export class Servers {
  readonly a: Client;
  readonly b: Client;
  readonly #etcd: Etcd;
  readonly #folder: string;
  readonly #peers: readonly Peer[];
  #namespaces = 0;

  private constructor(folder: string, etcd: Etcd, peers: readonly Peer[]) {
    this.#folder = folder;
    this.#etcd = etcd;
    this.#peers = peers;
    const [a, b] = peers.map((peer, i) => createClient({ ...peer, name: NAMES[i] as string }));
    this.a = a as Client;
    this.b = b as Client;
  }

  static async start(): Promise<Servers> {
    const folder = mkdtempSync(join(tmpdir(), 'compat-servers-'));
    const credentials = await makeCredentials(join(folder, 'credentials'));
    const etcd = await startEtcd({ folder });
    const flags = [`--etcd-servers=${etcd.url}`, ...FLAGS];
    const launch = (): Promise<Peer> => startKeelson({ credentials, storage: 'etcd', controllers: null, flags });
    return new Servers(folder, etcd, [await launch(), await launch()]);
  }

  get etcdUrl(): string {
    return this.#etcd.url;
  }

  /** Creates a namespace through A. */
  async namespace(): Promise<string> {
    const name = `several-${++this.#namespaces}`;
    await must(this.a, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });
    return name;
  }

  /** Sends SIGKILL to the server of a client. */
  kill(client: Client): void {
    const peer = this.#peers.find(({ url }) => url === client.peer.url);
    for (const pid of peer?.pids ?? []) process.kill(pid, 'SIGKILL');
  }

  async stop(): Promise<void> {
    this.a.close();
    this.b.close();
    await Promise.all(this.#peers.map((peer) => peer.stop()));
    await this.#etcd.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Watches a collection from now on, for the time of `use`. */
export async function watching<T>(
  client: Client,
  collection: string,
  use: (stream: EventStream) => Promise<T>,
): Promise<T> {
  const stream = await EventStream.open(client.peer, collection, await collectionVersion(client, collection));
  try {
    return await use(stream);
  } finally {
    stream.stop();
  }
}

/** A test for the event of a type for the object of a name. */
export function eventOf(type: string, name: string): (event: WatchEvent) => boolean {
  return (event) => event.type === type && nameOf(event.object) === name;
}

/** A test for the condition of an object. */
export function hasCondition(name: string, type: string, status: string): (event: WatchEvent) => boolean {
  return ({ object }) => {
    const { conditions } = (object['status'] ?? {}) as unknown as {
      conditions?: { type: string; status: string }[] | null;
    };
    return nameOf(object) === name && (conditions ?? []).some((one) => one.type === type && one.status === status);
  };
}
