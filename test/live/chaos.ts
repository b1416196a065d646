/**
 * The chaos test of informers and operators. Writers change objects while the server is killed and started again on its
 * folder, connections are cut, stalled and refused by a proxy, watches expire after seconds, and history is compacted,
 * so that resumed watches get 410. At the end every cache, every handler and every last reconcile must have the state
 * of the server. usage: run-ts.mjs test/live/chaos.ts [--seconds 300] [--server keelson|reference] [--seed S]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect } from '../../src/node/kubeconfig/connect.ts';
import { randomFrom } from '../crash/model.ts';
import { type Follower, InformersUnderTest } from './chaos-followers.ts';
import { ChaosProxy } from './chaos-proxy.ts';
import { LiveClient } from './client.ts';
import { LiveReference } from './reference.ts';
import { ADMIN_TOKEN, LiveServer } from './server.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    server: { type: 'string', default: 'keelson' },
    seed: { type: 'string' },
  },
});
const NAMESPACES = ['default', 'kube-public'];
const NAMES = 60;
const WRITERS = 3;
/** The longest time until every copy is equal after the last disturbance. A silent watch is ended after 36 s. */
const SETTLE_MS = 90_000;
/** History is kept for this time only. */
const FLAGS = ['--etcd-compaction-interval=4s'];
/** Fills the event window of our watch cache, which has 16 MiB. */
const BURST = { writes: 20, bytes: 900_000 };

const seconds = Number(options.seconds);
const seed = options.seed === undefined ? Date.now() % 0x7fffffff : Number(options.seed);
const random = randomFrom(seed);
const done: Record<string, number> = {};

/** The disturbances. Each is over when its promise resolves. */
const DISTURBANCES: Readonly<Record<string, (proxy: ChaosProxy, leftMs: number) => Promise<void>>> = {
  async kill(_proxy, leftMs) {
    await server.end('SIGKILL');
    await sleep(Math.min(random(3000), leftMs));
    server.start();
    await server.ready();
  },
  async 'cut all'(proxy) {
    proxy.cut(() => true);
  },
  async 'cut some'(proxy) {
    proxy.cut(() => random(2) === 0);
  },
  async stall(proxy, leftMs) {
    proxy.stall();
    await sleep(Math.min(random(3000), leftMs));
    proxy.cut(() => true);
  },
  async refuse(proxy, leftMs) {
    proxy.refuse(true);
    proxy.cut(() => true);
    await sleep(Math.min(random(2000), leftMs));
    proxy.refuse(false);
  },
  /** Also outlasts the history that is kept, so that resumed watches expire. */
  async 'refuse and burst'(proxy) {
    proxy.refuse(true);
    proxy.cut(() => true);
    await burst();
    proxy.refuse(false);
  },
};

console.log(`chaos: ${seconds} s on ${options.server}, seed ${seed}`);

const server = options.server === 'reference' ? await LiveReference.create(FLAGS) : await LiveServer.create(FLAGS);
let problems: readonly string[] = ['the test did not end'];
try {
  server.start();
  await server.ready();
  problems = await run();
} finally {
  await server.end('SIGTERM');
  server.remove();
}
for (const problem of problems.slice(0, 20)) console.error(`PROBLEM: ${problem}`);
console.log(`${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function run(): Promise<readonly string[]> {
  const proxy = await ChaosProxy.start(server.port);
  const connection = await connect({ kubeconfig: kubeconfigOf(proxy.url), context: 'chaos' });
  const informers = new InformersUnderTest(connection.transport);
  await informers.start();
  const end = performance.now() + seconds * 1000;
  const goesOn = (): boolean => performance.now() < end;
  const writers = Array.from({ length: WRITERS }, () => write(goesOn));
  for (const name of disturbances()) {
    await sleep(200 + random(1200));
    if (!goesOn()) break;
    count(name);
    await DISTURBANCES[name]?.(proxy, Math.max(0, end - performance.now()));
  }
  await Promise.all(writers);
  const { followers, counts } = informers;
  const unequal = await untilEqual(followers);
  // A stopped informer has notified its handlers of everything: a late notification would show here.
  await informers.stop();
  await connection.stop();
  proxy.stop();
  console.log(`done: ${JSON.stringify(done)}`);
  console.log(`${followers.length} copies: ${JSON.stringify(counts)}`);
  if (counts.expired === 0 && seconds >= 20) return [...unequal, 'no watch expired: the test did not force a 410'];
  return [...informers.problems, ...unequal];
}

function count(what: string): void {
  done[what] = (done[what] ?? 0) + 1;
}

/** Every disturbance once, in random order, again and again. */
function* disturbances(): Generator<string, never> {
  for (;;) {
    const names = Object.keys(DISTURBANCES);
    while (names.length > 0) yield names.splice(random(names.length), 1)[0] as string;
  }
}

/** Large writes push the events before them out of the window, while no informer is connected. */
async function burst(): Promise<void> {
  const client = new LiveClient(server.url);
  const name = 'burst';
  for (let i = 0; i < BURST.writes; i++) {
    const data = { value: String(i).padEnd(BURST.bytes, 'x') };
    const path = '/api/v1/namespaces/default/configmaps';
    const body = { metadata: { name, labels: { half: '0' } }, data };
    const { status } = await client.request('PATCH', `${path}/${name}`, body, 'application/merge-patch+json');
    if (status === 404) await client.request('POST', path, body);
  }
  client.close();
}

/** Random creates, updates and deletes. A write without an answer, while the server is down, is tried again. */
async function write(goesOn: () => boolean): Promise<void> {
  let client = new LiveClient(server.url);
  while (goesOn()) {
    const at = random(NAMES);
    const name = `object-${at}`;
    const collection = `/api/v1/namespaces/${NAMESPACES[random(2)]}/configmaps`;
    const body = {
      metadata: { name, labels: { half: String(random(2)) } },
      data: { value: String(random(1_000_000)) },
    };
    const kind = random(5);
    const { status } =
      kind === 0
        ? await client.request('DELETE', `${collection}/${name}`)
        : kind === 1
          ? await client.request('POST', collection, body)
          : await client.request('PATCH', `${collection}/${name}`, body, 'application/merge-patch+json');
    count(status === 0 ? 'writes without answer' : 'writes');
    if (status === 0) {
      client.close();
      await sleep(50);
      client = new LiveClient(server.url);
    }
    await sleep(random(15));
  }
  client.close();
}

async function untilEqual(followers: readonly Follower[]): Promise<readonly string[]> {
  const client = new LiveClient(server.url);
  const begin = performance.now();
  let differences: string[] = [];
  do {
    differences = [];
    const states = new Map<string, ReadonlyMap<string, string>>();
    for (const { name, query, revisions } of followers) {
      const state = states.get(query) ?? (await stateOf(client, query));
      states.set(query, state);
      const difference = firstDifference(revisions(), state);
      if (difference !== undefined) differences.push(`${name}: ${difference}`);
    }
    if (differences.length > 0) await sleep(100);
  } while (differences.length > 0 && performance.now() - begin < SETTLE_MS);
  client.close();
  console.log(`all equal after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return differences;
}

async function stateOf(client: LiveClient, query: string): Promise<ReadonlyMap<string, string>> {
  const { status, body } = await client.request('GET', query);
  if (status !== 200) throw new Error(`GET ${query} was answered ${status}: ${body.slice(0, 300)}`);
  const { items } = JSON.parse(body) as {
    items: { metadata: { name: string; namespace: string; resourceVersion: string } }[];
  };
  return new Map(items.map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion]));
}

function firstDifference(has: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): string | undefined {
  for (const key of new Set([...has.keys(), ...wanted.keys()]))
    if (has.get(key) !== wanted.get(key))
      return `has ${key} at ${has.get(key) ?? 'none'}, the server at ${wanted.get(key) ?? 'none'}`;
  return undefined;
}

function kubeconfigOf(url: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'chaos', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token: ADMIN_TOKEN } }],
    contexts: [{ name: 'chaos', context: { cluster: 'chaos', user: 'admin' } }],
  });
}
