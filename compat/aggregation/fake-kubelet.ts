/**
 * The metrics of kubelets without kubelets: one TLS port for each node serves /metrics/resource. Invariant: every
 * counter is a constant multiple of the sample's time, so that any two samples have the same rate.
 */

import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyedCertificate } from '../../src/pki/certificates.ts';

export interface Usage {
  readonly cores: number;
  readonly bytes: number;
}

export interface PodUsage extends Usage {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface NodeUsage extends Usage {
  readonly name: string;
  readonly pods: readonly PodUsage[];
}

export interface FakeKubelets {
  /** The ports of the nodes, in order. */
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

/** The path is answered to requests with a bearer token, as kubelets do; others get 401. */
export async function startFakeKubelets(
  nodes: readonly NodeUsage[],
  certificate: KeyedCertificate,
): Promise<FakeKubelets> {
  const servers = await Promise.all(nodes.map((node) => listen(node, certificate)));
  return {
    ports: servers.map((server) => (server.address() as AddressInfo).port),
    async stop() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function listen(node: NodeUsage, { certificatePem, keyPem }: KeyedCertificate): Promise<Server> {
  const server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    if (!/^Bearer ./.test(request.headers.authorization ?? '')) return void response.writeHead(401).end();
    if (request.url !== '/metrics/resource') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(resourceMetrics(node, Date.now()));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** The Prometheus text of /metrics/resource at a time in milliseconds. */
function resourceMetrics(node: NodeUsage, now: number): string {
  // Seconds since an hour ago, rounded up to one: the beginning of all containers of the node.
  const start = Math.floor(now / 3_600_000) * 3600 - 3600;
  const seconds = now / 1000 - start;
  const lines = [
    '# TYPE node_cpu_usage_seconds_total counter',
    `node_cpu_usage_seconds_total ${node.cores * seconds} ${now}`,
    '# TYPE node_memory_working_set_bytes gauge',
    `node_memory_working_set_bytes ${node.bytes} ${now}`,
  ];
  const each = (name: string, type: string, value: (pod: PodUsage) => number): void => {
    lines.push(`# TYPE ${name} ${type}`);
    for (const one of node.pods) {
      const labels = `container="${one.container}",namespace="${one.namespace}",pod="${one.pod}"`;
      lines.push(`${name}{${labels}} ${value(one)} ${now}`);
    }
  };
  each('container_start_time_seconds', 'gauge', () => start);
  each('container_cpu_usage_seconds_total', 'counter', ({ cores }) => cores * seconds);
  each('container_memory_working_set_bytes', 'gauge', ({ bytes }) => bytes);
  return `${lines.join('\n')}\n`;
}
