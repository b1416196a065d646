/** Three servers on one etcd cluster of three members, with a proxy on each connection that faults may disturb. */
import { Cluster } from '../../compat/etcd/cluster.ts';
import { program } from '../../compat/peers/programs.ts';
import { ChaosProxy } from '../live/chaos-proxy.ts';
import { LiveServer } from '../live/server.ts';
import { BrokenServer, type Defect } from './broken-server.ts';

export const MEMBERS = 3;
export const SERVERS = 3;

/** A server of the run. A server with a defect runs in this process and cannot be killed or suspended. */
export interface Server {
  readonly url: string;
  readonly process: LiveServer | undefined;
  stop(): Promise<void>;
}

export class Servers {
  readonly cluster: Cluster;
  readonly servers: readonly Server[];
  /** By server, then by member. */
  readonly clientProxies: readonly (readonly ChaosProxy[])[];
  /** By member: connections of other members to it. */
  readonly peerProxies: readonly ChaosProxy[];

  private constructor(parts: Pick<Servers, 'cluster' | 'servers' | 'clientProxies' | 'peerProxies'>) {
    this.cluster = parts.cluster;
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
    const cluster = await Cluster.start({ program: program('etcd'), members: MEMBERS, advertise });
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
    return new Servers({ cluster, servers, clientProxies, peerProxies });
  }

  /** Ends all disturbances of connections. */
  heal(): void {
    for (const proxy of [...this.clientProxies.flat(), ...this.peerProxies]) {
      proxy.refuse(false);
      proxy.delay(0);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
    await this.cluster.stop();
    for (const proxy of [...this.clientProxies.flat(), ...this.peerProxies]) proxy.stop();
  }
}

async function startServer(etcdUrls: readonly string[], defect: Defect | undefined): Promise<Server> {
  if (defect !== undefined) return BrokenServer.start(etcdUrls, defect);
  const server = await LiveServer.create([
    '--storage=etcd',
    `--etcd-servers=${etcdUrls.join(',')}`,
    '--advertise-address=127.0.0.1',
    '--controllers=',
  ]);
  server.start();
  await server.ready();
  return {
    url: server.url,
    process: server,
    async stop() {
      await server.end('SIGKILL');
      server.remove();
    },
  };
}
