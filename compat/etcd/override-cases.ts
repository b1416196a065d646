/**
 * `--etcd-servers-overrides`, the metrics of etcd and the comparison of keys, beside a kube-apiserver with the same
 * flags on the same clusters.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json-value.ts';
import { Lifetime } from '../../src/base/lifetime.ts';
import { openGrpcChannel } from '../../src/node/grpc/grpc-channel.ts';
import { openEtcdStorage } from '../../src/storage/etcd/open.ts';
import { expectEqual, expectTrue } from '../../src/storage/suite-assert.ts';
import { type Answer, ask, type Client, createClient } from '../diff/client.ts';
import { freePort } from '../peers/free-port.ts';
import { startKeelson } from '../peers/keelson.ts';
import { makeCredentials } from '../peers/peer.ts';
import { probe, startChild, waitUntilReady } from '../peers/process.ts';
import { keelsonCli, program } from '../peers/programs.ts';
import { type Reference, startReference } from '../peers/reference.ts';
import type { Case } from '../rows/cases.ts';
import { Cluster } from './cluster.ts';

interface Both {
  /** The cluster of Events and Leases. */
  readonly override: Cluster;
  readonly folder: string;
  /** The flags of both servers. */
  readonly flags: readonly string[];
  readonly reference: Reference;
  readonly ours: Client;
  readonly theirs: Client;
}

async function withBoth(etcd: string, run: (both: Both) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'compat-overrides-'));
  const lifetime = new Lifetime('overrides');
  lifetime.add('folder', () => rmSync(folder, { recursive: true, force: true }));
  try {
    const credentials = await makeCredentials(join(folder, 'credentials'));
    const override = await Cluster.start({ program: etcd, members: 1 });
    lifetime.add('etcd', () => override.stop());
    const servers = override.urls.join(';');
    const flags = [
      `--etcd-servers-overrides=/events#${servers},coordination.k8s.io/leases#${servers}`,
      '--etcd-count-metric-poll-period=1s',
    ];
    const reference = await startReference({ credentials, flags });
    lifetime.add('kube-apiserver', () => reference.stop());
    const keelson = await startKeelson({
      credentials,
      storage: 'etcd',
      flags: [`--etcd-servers=${reference.etcdUrl}`, ...flags],
    });
    lifetime.add('keelson', () => keelson.stop());
    const [ours, theirs] = [createClient(keelson), createClient(reference)];
    for (const client of [ours, theirs]) lifetime.add('client', () => client.close());
    await run({ override, folder, flags, reference, ours, theirs });
  } finally {
    await lifetime.stop();
  }
}

async function send(client: Client, method: string, path: string, body?: JsonObject): Promise<Answer> {
  return ask(client, { method, path, ...(body !== undefined && { body }) }, new Map());
}

/** Asks ten times per second, for ten seconds. */
async function eventually(what: string, check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await check()); tries++) {
    expectTrue(tries < 100, what);
    await sleep(systemClock, 100);
  }
}

/** The keys below a prefix, without that of the scope. */
async function keysAt(url: string, prefix: string): Promise<readonly string[]> {
  const storage = openEtcdStorage({ openChannel: openGrpcChannel, endpoints: [url], prefix: '/registry/', scope: '' });
  try {
    const listed = await storage.list({ prefix });
    return listed.outcome === 'ok' ? listed.items.map(({ key }) => key) : [];
  } finally {
    await storage.stop();
  }
}

const EVENTS = '/api/v1/namespaces/default/events';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

function eventOf(name: string): JsonObject {
  return { metadata: { name, namespace: 'default' }, involvedObject: { namespace: 'default' }, reason: 'Test' };
}

async function sharedObjects({ override, reference, ours, theirs }: Both): Promise<void> {
  expectEqual((await send(ours, 'POST', EVENTS, eventOf('ours'))).status, 201);
  expectEqual((await send(theirs, 'POST', EVENTS, eventOf('theirs'))).status, 201);
  expectEqual((await send(theirs, 'POST', LEASES, { metadata: { name: 'theirs' } })).status, 201);
  expectEqual((await send(ours, 'POST', CONFIG_MAPS, { metadata: { name: 'ours' } })).status, 201);
  for (const path of [`${EVENTS}/ours`, `${EVENTS}/theirs`, `${LEASES}/theirs`, `${CONFIG_MAPS}/ours`])
    expectEqual(JSON.parse((await send(ours, 'GET', path)).text), JSON.parse((await send(theirs, 'GET', path)).text));
  const [main, other] = [reference.etcdUrl, override.urls[0] ?? ''];
  expectEqual(await keysAt(other, 'events/default/'), ['events/default/ours', 'events/default/theirs']);
  expectEqual(await keysAt(main, 'events/'), []);
  expectEqual(await keysAt(main, 'leases/'), []);
  expectEqual(await keysAt(main, 'configmaps/default/ours'), ['configmaps/default/ours']);
  expectEqual(await keysAt(other, 'configmaps/'), []);
}

async function checkNames(client: Client, endpoint: string): Promise<readonly string[]> {
  const { text } = await send(client, 'GET', `${endpoint}?verbose=true`);
  return [...text.matchAll(/^\[.\](etcd\S*)/gm)].map(([, name = '']) => name);
}

async function sameChecks({ ours, theirs }: Both): Promise<void> {
  for (const endpoint of ['/healthz', '/livez', '/readyz'])
    expectEqual([...(await checkNames(ours, endpoint))].sort(), [...(await checkNames(theirs, endpoint))].sort());
}

/** The metrics of storage that both servers have, with the operations and resources of the requests above. */
const COMPARED = [
  'etcd_requests_total{group="",operation="create",resource="events"}',
  'etcd_requests_total{group="",operation="create",resource="configmaps"}',
  'etcd_request_duration_seconds_count{group="",operation="create",resource="events"}',
  'etcd_request_duration_seconds_bucket{group="",operation="create",resource="events",le="0.005"}',
  'etcd_lease_object_counts_bucket{le="10"}',
  'apiserver_storage_events_received_total{group="coordination.k8s.io",resource="leases"}',
  'apiserver_storage_list_total{group="",resource="configmaps"}',
  'apiserver_storage_list_fetched_objects_total{group="",resource="configmaps"}',
  'apiserver_resource_objects{group="",resource="events"}',
  'apiserver_resource_objects{group="coordination.k8s.io",resource="leases"}',
  'apiserver_storage_objects{resource="clusterroles.rbac.authorization.k8s.io"}',
  'apiserver_storage_objects{resource="customresourcedefinitions.apiextensions.k8s.io"}',
  'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"}',
];

async function sameMetrics({ ours, theirs }: Both): Promise<void> {
  for (const client of [ours, theirs]) {
    const { text } = await send(client, 'GET', '/metrics');
    const series = new Set(text.split('\n').map((line) => line.slice(0, line.lastIndexOf(' '))));
    const missing = COMPARED.filter((each) => !series.has(each));
    expectTrue(missing.length === 0, `${client.peer.name} has no metric ${missing.join(', ')}`);
  }
  const count = async (client: Client): Promise<string | undefined> =>
    /^apiserver_storage_objects\{resource="clusterroles.*$/m.exec((await send(client, 'GET', '/metrics')).text)?.[0];
  await eventually('both count the same objects', async () => (await count(ours)) === (await count(theirs)));
}

async function failsAlone({ override, ours }: Both): Promise<void> {
  await override.kill(0);
  const readiness = await send(ours, 'GET', '/readyz?verbose=true');
  expectEqual(readiness.status, 500);
  expectTrue(readiness.text.includes('[-]etcd-override-readiness-0 failed'), `readyz says: ${readiness.text}`);
  expectTrue(readiness.text.includes('[+]etcd-readiness ok'), `readyz says: ${readiness.text}`);
  expectEqual((await send(ours, 'GET', `${CONFIG_MAPS}/ours`)).status, 200);
  expectEqual((await send(ours, 'POST', CONFIG_MAPS, { metadata: { name: 'meanwhile' } })).status, 201);
  const write = await send(ours, 'POST', EVENTS, eventOf('lost'));
  expectTrue(write.status >= 500, `a write to the cluster that is down gets ${write.status}`);
  override.launch(0);
  await override.healthy(0);
  await eventually('the server is ready again', async () => (await send(ours, 'GET', '/readyz')).status === 200);
  expectEqual((await send(ours, 'GET', `${EVENTS}/ours`)).status, 200);
  expectEqual((await send(ours, 'POST', EVENTS, eventOf('again'))).status, 201);
}

/** A server with keys of its own on the same clusters: the log says what to do. */
async function otherKeys({ reference, folder, flags }: Both): Promise<void> {
  const port = await freePort();
  const logFile = join(folder, 'stranger.log');
  const dataDir = join(folder, 'stranger');
  const own = [`--etcd-servers=${reference.etcdUrl}`, `--data-dir=${dataDir}`, `--secure-port=${port}`];
  const args = [keelsonCli(), ...own, ...flags];
  const child = startChild(process.execPath, args, logFile);
  try {
    const check = async (): Promise<boolean> =>
      (await probe(`https://127.0.0.1:${port}/readyz`, readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8'))).status ===
      200;
    await waitUntilReady({ what: 'a server with other keys', child, logFile, check });
    const log = readFileSync(logFile, 'utf8');
    for (const text of ['do not trust the client CA of this server', 'have other ServiceAccount keys'])
      expectTrue(log.includes(text), `the log says: ${log}`);
  } finally {
    await child.stop();
  }
}

const INVALID =
  '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated';

async function sameRefusal(): Promise<void> {
  const run = (command: string, args: readonly string[]): string => {
    const flags = ['--etcd-servers=http://127.0.0.1:1', '--etcd-servers-overrides=events#http://127.0.0.1:1'];
    const { status, stderr } = spawnSync(command, [...args, ...flags], { encoding: 'utf8' });
    expectTrue(status !== 0, `${command} refuses the value`);
    return stderr;
  };
  for (const output of [run(program('kube-apiserver'), []), run(process.execPath, [keelsonCli()])])
    expectTrue(output.includes(INVALID), `the message is: ${output}`);
}

export function overrideCases(etcd: string): readonly Case[] {
  return [
    { name: 'an invalid --etcd-servers-overrides is refused with the words of kube-apiserver', run: sameRefusal },
    {
      name: 'Keelson and kube-apiserver share two clusters: objects, checks and metrics; one cluster fails alone; other keys are reported',
      run: () =>
        withBoth(etcd, async (both) => {
          await sharedObjects(both);
          await sameChecks(both);
          await sameMetrics(both);
          await failsAlone(both);
          await otherKeys(both);
        }),
    },
  ];
}
