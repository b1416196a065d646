/**
 * Three servers on one etcd cluster of three members, with a proxy on each connection that faults may disturb. The
 * database of the first member is on a small disk, and each server that is a process has a clock of its own.
 */
import { Cluster } from '../../compat/etcd/cluster.ts';
import { program } from '../../compat/peers/programs.ts';
import { ChaosProxy } from '../live/chaos-proxy.ts';
import { LiveServer } from '../live/server.ts';
import { Ballast } from './ballast.ts';
import { BrokenServer, type Defect } from './broken-server.ts';
import { FakeClock } from './fake-clock.ts';
import { SmallDisk } from './small-disk.ts';

export const MEMBERS = 3;
export const SERVERS = 3;
/** The member whose database is on the small disk. Its WAL, which etcd allocates in pieces of 64 MB, is not. */
export const SMALL_MEMBER = 0;
const DISK_MB = 96;
const QUOTA_BYTES = 32_000_000;

/** A server of the run. A server with a defect runs in this process and cannot be killed or suspended. */
export interface Server {
  readonly url: string;
  readonly process: LiveServer | undefined;
  readonly clock: FakeClock | undefined;
  stop(): Promise<void>;
}

export class Servers {
  readonly cluster: Cluster;
  readonly servers: readonly Server[];
  /** By server, then by member. */
  readonly clientProxies: readonly (readonly ChaosProxy[])[];
  /** By member: connections of other members to it. */
  readonly peerProxies: readonly ChaosProxy[];
  readonly disk: SmallDisk;
  readonly ballast: Ballast;

  private constructor(parts: Pick<Servers, 'cluster' | 'disk' | 'servers' | 'clientProxies' | 'peerProxies'>) {
    this.cluster = parts.cluster;
    this.disk = parts.disk;
    this.ballast = new Ballast(parts.cluster.urls);
    this.servers = parts.servers;
    this.clientProxies = parts.clientProxies;
    this.peerProxies = parts.peerProxies;
  }

  static async start(defect: Defect | undefined): Promise<Servers> {
    const peerProxies: ChaosProxy[] = [];
    const advertise = async (url: string): Promise<string> => {
      const proxy = await ChaosProxy.start(Number(new URL(url).port));
      peerProxies.push(proxy);
      return `http://127.0.0.1:${proxy.port}`;
    };
    const disk = await SmallDisk.create(DISK_MB);
    const cluster = await Cluster.start({
      program: program('etcd'),
      members: MEMBERS,
      flags: [`--quota-backend-bytes=${QUOTA_BYTES}`],
      advertise,
      place: (i, folder) =>
        i === SMALL_MEMBER
          ? { command: disk.enter, flags: [`--data-dir=${disk.folder}/data`, `--wal-dir=${folder}/wal`] }
          : {},
    });
    const clientProxies: ChaosProxy[][] = [];
    const servers: Server[] = [];
    for (let i = 0; i < SERVERS; i++) {
      const proxies: ChaosProxy[] = [];
      for (const url of cluster.urls) proxies.push(await ChaosProxy.start(Number(new URL(url).port)));
      clientProxies.push(proxies);
      // Each server uses another member at first.
      const urls = proxies.map((_, member) => `http://127.0.0.1:${proxies[(i + member) % MEMBERS]?.port}`);
      servers.push(await startServer(urls, defect));
    }
    return new Servers({ cluster, disk, servers, clientProxies, peerProxies });
  }

  /** Ends all disturbances of connections, clocks and the disk. */
  heal(): void {
    for (const proxy of [...this.clientProxies.flat(), ...this.peerProxies]) {
      proxy.refuse(false);
      proxy.delay(0);
    }
    for (const { clock } of this.servers) clock?.set(0);
    this.disk.free();
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
    await this.cluster.stop();
    await this.disk.stop();
    for (const proxy of [...this.clientProxies.flat(), ...this.peerProxies]) proxy.stop();
  }
}

async function startServer(etcdUrls: readonly string[], defect: Defect | undefined): Promise<Server> {
  if (defect !== undefined) return BrokenServer.start(etcdUrls, defect);
  const clock = new FakeClock();
  const flags = [
    '--storage=etcd',
    `--etcd-servers=${etcdUrls.join(',')}`,
    '--advertise-address=127.0.0.1',
    '--controllers=',
  ];
  const server = await LiveServer.create(flags, clock.env);
  server.start();
  await server.ready();
  return {
    url: server.url,
    process: server,
    clock,
    async stop() {
      await server.end('SIGKILL');
      server.remove();
      clock.remove();
    },
  };
}
