/**
 * Rolling restarts under load: three servers on one etcd behind a balancer are restarted one after the other, most of
 * them with SIGTERM and some with SIGKILL, while clients send requests. Every failed request is listed. Only requests that
 * were in flight on a killed server may fail.
 *
 * usage: rolling.ts [--restarts N] [--etcd PROGRAM]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '../../src/client/create-client.ts';
import { Lease } from '../../src/kinds/api/coordination/v1.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import { connect } from '../../src/node/kubeconfig/connect.ts';
import { program } from '../peers/programs.ts';
import { Balancer } from './balancer.ts';
import { Cluster } from './cluster.ts';
import { RequestLoad } from './request-load.ts';
import { ServerSet } from './server-set.ts';

const SERVERS = 3;
const CLIENTS = 6;
const WORKERS = 3;
/** The third of every four restarts is a kill. */
const KILL_EVERY = 4;
const KILL_AT = 2;
/** The longest time until the balancer sees that a started server is ready. */
const READY_MS = 30_000;
/** A client may send on a connection for this long after the balancer saw it break. */
const NOTICE_MS = 100;

const { values } = parseArgs({ options: { restarts: { type: 'string', default: '3' }, etcd: { type: 'string' } } });
const restarts = Number(values.restarts);
const folder = mkdtempSync(join(tmpdir(), 'compat-rolling-'));
const cluster = await Cluster.start({ program: values.etcd ?? program('etcd'), members: 1 });
const problems: string[] = [];
/** When each kill began, and when the connections of the server had broken. */
const kills: { from: number; to: number }[] = [];
let servers: ServerSet | undefined;
let balancer: Balancer | undefined;
const started = performance.now();

try {
  const flags = ['--shutdown-delay-duration=500ms', '--goaway-chance=0.001', '--leader-elect-retry-period=500ms'];
  servers = await ServerSet.start({ etcd: cluster.urls, folder, servers: SERVERS, flags });
  balancer = await Balancer.start(servers.ports);
  await untilReady(balancer, servers.ports);
  const kubeconfig = servers.kubeconfig(balancer.url);
  const connections = await Promise.all(
    Array.from({ length: CLIENTS }, () => connect({ kubeconfig, retries: false, env: {} })),
  );
  const load = new RequestLoad(connections.map(({ transport }) => transport));
  const client = createClient(connections[0]!.transport);
  const holders = new Set<string>();
  load.start(WORKERS);
  for (let i = 0; i < restarts; i++) {
    await restart(servers, balancer, i);
    const lease = await client.api(Lease, 'kube-system').find('keelson-controllers');
    holders.add(lease?.spec?.holderIdentity ?? '');
  }
  await sleep(1_000);
  await load.stop();
  judge(load);
  const stored = new Set(
    (await client.api(ConfigMap, 'default').list().toArray()).map(({ metadata }) => metadata.name),
  );
  for (const name of load.kept) if (!stored.has(name)) problems.push(`${name} was created and is not stored`);
  await Promise.all(connections.map((connection) => connection.stop()));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `rolling restarts: ${restarts} (${kills.length} kills), ${load.requests} requests, ${load.failed.length} failed, ` +
      `${load.unsent} repeated that no server had processed, ${holders.size} leaders seen, ${seconds} s`,
  );
} finally {
  await balancer?.stop();
  await servers?.stop();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(`FAIL ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);

async function restart(set: ServerSet, through: Balancer, i: number): Promise<void> {
  const server = i % SERVERS;
  const port = set.ports[server]!;
  if (i % KILL_EVERY === KILL_AT) {
    const from = performance.now();
    await set.kill(server);
    kills.push({ from, to: Math.max(performance.now(), through.brokeAt(port)) + NOTICE_MS });
  } else {
    const end = await set.terminate(server);
    if (end !== 'exit code 0') problems.push(`server ${server} ended with ${end} after SIGTERM`);
  }
  await set.launch(server);
  await untilReady(through, [port]);
}

async function untilReady(through: Balancer, ports: readonly number[]): Promise<void> {
  const deadline = performance.now() + READY_MS;
  const late = (): readonly number[] => ports.filter((port) => !through.isReady(port));
  while (late().length > 0) {
    if (performance.now() > deadline)
      throw new Error(`the balancer gets no 200 from /readyz at port ${late().join(', ')} within ${READY_MS / 1000} s`);
    await sleep(50);
  }
}

function judge(load: RequestLoad): void {
  for (const { request, startedAt, failedAt, reason } of load.failed) {
    const isInFlight = kills.some(({ from, to }) => startedAt <= to && failedAt >= from);
    console.log(`failed${isInFlight ? ', in flight on a killed server' : ''}: ${request}: ${reason}`);
    if (!isInFlight) problems.push(`${request} failed without a kill: ${reason}`);
  }
}
