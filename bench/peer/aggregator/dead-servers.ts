/**
 * 200 APIServices, 20 of them with a dead server, beside 200 with a live one: `/apis`, and `kubectl get pods` with an
 * empty cache. Of the dead servers half refuse connections, and half accept them and never answer.
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { makeServingCertificates } from '../../../compat/aggregation/backend.ts';
import { freePort } from '../../../compat/peers/free-port.ts';
import { startKeelson } from '../../../compat/peers/keelson.ts';
import { runKubectl } from '../../../compat/peers/kubectl.ts';
import type { Peer } from '../../../compat/peers/peer.ts';
import type { KeyedCertificate } from '../../../src/pki/certificates.ts';
import { ask, type Side } from '../side.ts';
import { measure } from '../work.ts';
import type { AggregatorBench } from './main.ts';

const API_SERVICES = 200;
const DEAD = 20;
/** Registrations at a time. */
const BATCH = 20;
/** A dead server may make these lines longer by a fifth. */
const AT_LEAST = 1 / 1.2;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const groupOf = (i: number): string => `g${i}.bench.example.com`;

export async function benchDeadServers(bench: AggregatorBench): Promise<void> {
  const { credentials, folder, sideOf } = bench;
  const certificates = await makeServingCertificates(join(folder, 'serving'));
  const live = await startLive(await certificates.issue('live', 'default'));
  const silent = await startSilent();
  const refusing = await freePort();
  const peers: Peer[] = [];
  try {
    for (const _ of ['dead', 'live']) peers.push(await startKeelson({ credentials, storage: 'lmdb' }));
    const [withDead, allLive] = peers as [Peer, Peer];
    const portOf = (i: number): number => (i >= DEAD ? live.port : i % 2 === 0 ? refusing : silent.port);
    await registerAll(sideOf(withDead), portOf, API_SERVICES - DEAD);
    await registerAll(sideOf(allLive), () => live.port, API_SERVICES);

    const requests = bench.short ? 1000 : 4000;
    const [dead, none] = [sideOf(withDead), sideOf(allLive)];
    const apis = await bench.inTurns(dead, none, (side) =>
      measure(side, { path: '/apis', requests, connections: 1, streams: 1, mediaType: AGGREGATED }),
    );
    bench.judge({
      name: '/apis with 200 APIServices, 20 dead / none dead: p99',
      unit: 'ms',
      ours: apis[0].map(({ p99 }) => p99),
      peer: apis[1].map(({ p99 }) => p99),
      better: 'less',
      atLeast: AT_LEAST,
    });
    const times = await bench.inTurns(dead, none, (side) =>
      kubectlMillis(side === dead ? withDead : allLive, join(folder, 'kubectl-home'), bench.short ? 3 : 5),
    );
    bench.judge({
      name: 'kubectl get pods, 20 dead / none dead',
      unit: 'ms',
      ours: times[0],
      peer: times[1],
      better: 'less',
      atLeast: AT_LEAST,
    });
  } finally {
    for (const peer of peers) await peer.stop();
    live.stop();
    silent.stop();
  }
}

/** Registers all APIServices, each with a service of its own. Resolves when `available` of them are available. */
async function registerAll(side: Side, portOf: (i: number) => number, available: number): Promise<void> {
  const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
  const register = async (i: number): Promise<void> => {
    await ask(side, 'POST', '/api/v1/namespaces/default/services', {
      metadata: { name: `bench-${i}` },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await ask(side, 'POST', apiServices, {
      metadata: { name: `v1.${groupOf(i)}` },
      spec: {
        group: groupOf(i),
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: `bench-${i}`, port: portOf(i) },
      },
    });
  };
  for (let i = 0; i < API_SERVICES; i += BATCH)
    await Promise.all(Array.from({ length: BATCH }, (_, j) => register(i + j)));
  for (let tries = 0; tries < 300; tries++) {
    const { items } = JSON.parse(await ask(side, 'GET', apiServices)) as { items: ApiService[] };
    const remote = items.filter(({ spec }) => spec.service !== undefined);
    const ready = remote.filter(({ status }) => status?.conditions?.some(({ status: is }) => is === 'True'));
    if (ready.length === available && remote.every(({ status }) => status?.conditions !== undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${side.name}: ${available} of ${API_SERVICES} APIServices do not become available`);
}

interface ApiService {
  readonly spec: { readonly service?: object };
  readonly status?: { readonly conditions?: readonly { readonly status: string }[] };
}

/** Returns the mean time of a run without a discovery cache. */
async function kubectlMillis(peer: Peer, home: string, runs: number): Promise<number> {
  let millis = 0;
  for (let i = 0; i < runs; i++) {
    rmSync(home, { recursive: true, force: true });
    const start = performance.now();
    const { exit, stderr } = await runKubectl({ args: ['get', 'pods'], kubeconfig: peer.kubeconfig('admin'), home });
    millis += performance.now() - start;
    if (exit !== 0) throw new Error(`kubectl get pods: ${exit} ${stderr}`);
  }
  return millis / runs;
}

interface Backend {
  readonly port: number;
  stop(): void;
}

/** A server of all groups, with the aggregated form of discovery and without OpenAPI. */
async function startLive({ certificatePem: cert, keyPem: key }: KeyedCertificate): Promise<Backend> {
  const resources = [
    {
      resource: 'things',
      responseKind: { group: '', version: '', kind: 'Thing' },
      scope: 'Namespaced',
      singularResource: 'thing',
      verbs: ['get', 'list'],
    },
  ];
  const items = Array.from({ length: API_SERVICES }, (_, i) => ({
    metadata: { name: groupOf(i) },
    versions: [{ version: 'v1', resources, freshness: 'Current' }],
  }));
  const kind = 'APIGroupDiscoveryList';
  const groups = JSON.stringify({ kind, apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items });
  const server = createHttpsServer({ cert, key }, ({ url = '' }, response) => {
    if (url === '/apis') response.writeHead(200, { 'content-type': AGGREGATED }).end(groups);
    else if (url.startsWith('/apis/')) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return backend(server);
}

/** A server that accepts connections and never answers. */
async function startSilent(): Promise<Backend> {
  const server = createServer(() => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return backend(server);
}

function backend(server: Server): Backend {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, stop };
}
