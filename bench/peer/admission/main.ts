/**
 * Admission by webhooks and policies: the CPU of a create beside configurations that do not match, the CPU that two
 * webhooks add, and a create of a pod under a pod security profile in 20 policies.
 */
import { startKeelson } from '../../../compat/peers/keelson.ts';
import type { Credentials, Peer } from '../../../compat/peers/peer.ts';
import { startReference } from '../../../compat/peers/reference.ts';
import { onPairs, PAIRS, pooled } from '../pairs.ts';
import { ask, type Side, send } from '../side.ts';
import { type Bar, format } from '../table.ts';
import { create, type Measured, measure } from '../work.ts';
import { GROUP, installOthers, installWebhooks } from './configurations.ts';
import { breakingPod, compliantPod, POLICIES, podSecurityPolicies } from './pod-security-policies.ts';
import { startWebhookServer } from './webhook-server.ts';

export interface AdmissionBench {
  readonly short: boolean;
  readonly credentials: Credentials;
  /** Whether a part is to run. */
  wanted(part: string): boolean;
  sideOf(peer: Peer): Side;
  inTurns<T>(ours: Side, peer: Side, work: (side: Side) => Promise<T>, warmUp?: number): Promise<[T[], T[]]>;
  judge(bar: Bar): void;
}

const PLUGINS = [
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
];
/** The number of configurations that do not match, and the CPU that they may cost beside a server without plugins. */
const OTHERS = [
  [0, 1.05],
  [10, 1.05],
  [1000, 1.1],
] as const;
const [PLAIN, HOOKED, PODS] = ['plain', 'hooked', 'pods'];
const IN_FLIGHT = { connections: 4, streams: 16 };
/** The code of webhooks and policies is optimized after some thousands of requests. */
const WARM_UP = 3;

export async function benchAdmission(bench: AdmissionBench): Promise<void> {
  const { credentials, sideOf, wanted } = bench;
  if (wanted('admission-others')) await benchOthers(bench);
  if (!wanted('admission-webhooks') && !wanted('admission-policies')) return;
  const ours = sideOf(await startKeelson({ credentials, storage: 'lmdb' }));
  const peer = sideOf(await startReference({ credentials, fsync: true }));
  try {
    for (const side of [ours, peer])
      for (const name of [PLAIN, HOOKED, PODS]) await ask(side, 'POST', '/api/v1/namespaces', { metadata: { name } });
    if (wanted('admission-webhooks')) await benchWebhooks(bench, ours, peer);
    if (wanted('admission-policies')) await benchPolicies(bench, ours, peer);
  } finally {
    await peer.stop();
    await ours.stop();
  }
}

/** Both sides are ours: one with configurations, and one whose plugins for them are off. */
async function benchOthers({ short, credentials, sideOf, inTurns, judge }: AdmissionBench): Promise<void> {
  const without = [`--disable-admission-plugins=${PLUGINS.join(',')}`];
  const start = async (flags: readonly string[], count: number): Promise<Side> => {
    const side = sideOf(await startKeelson({ credentials, storage: 'lmdb', flags }));
    await ask(side, 'POST', '/api/v1/namespaces', { metadata: { name: PLAIN } });
    await installOthers(side, count);
    return side;
  };
  for (const [count, most] of OTHERS) {
    const pairs = await onPairs(short ? 1 : PAIRS, [() => start([], count), () => start(without, 0)], (ours, bare) =>
      inTurns(ours, bare, (side) => create(side, short ? 3000 : 10_000, PLAIN), 2),
    );
    const [mine, others] = pooled(pairs);
    judge({
      name: `create beside ${count.toLocaleString('en')} configurations that do not match: CPU each`,
      unit: 'µs',
      ours: cpuOf(mine),
      peer: cpuOf(others),
      better: 'less',
      atLeast: 1 / most,
    });
  }
}

async function benchWebhooks(bench: AdmissionBench, ours: Side, peer: Side): Promise<void> {
  const webhooks = await startWebhookServer();
  try {
    for (const side of [ours, peer]) await installWebhooks(side, webhooks, HOOKED);
    await waitUntil(peer, async () => (await createOne(peer, HOOKED)).includes('"mutated":"true"'));
    const requests = bench.short ? 1000 : 2500;
    const work = async (side: Side) => ({
      plain: await create(side, requests * 2, PLAIN),
      hooked: await create(side, requests, HOOKED),
    });
    const results = await bench.inTurns(ours, peer, work, WARM_UP);
    const [mine, theirs] = results.map((all) => all.map(({ plain, hooked }) => hooked.cpuMicros - plain.cpuMicros));
    bench.judge({
      name: 'create with a mutating and a validating webhook: added CPU',
      unit: 'µs',
      ours: mine as number[],
      peer: theirs as number[],
      better: 'less',
      atLeast: 3,
    });
    const [own, other] = results.map((all) => all.map(({ hooked }) => hooked));
    console.log(`    ours ${latencyOf(own as Measured[])}; reference ${latencyOf(other as Measured[])}`);
  } finally {
    for (const side of [ours, peer])
      for (const kind of ['mutating', 'validating'])
        await ask(side, 'DELETE', `${GROUP}/${kind}webhookconfigurations/bench`);
    await webhooks.stop();
  }
}

async function benchPolicies(bench: AdmissionBench, ours: Side, peer: Side): Promise<void> {
  const path = `/api/v1/namespaces/${PODS}/pods`;
  for (const side of [ours, peer]) {
    // Ours creates it with its namespace. No controller creates it for the reference here.
    await send(side, 'POST', `/api/v1/namespaces/${PODS}/serviceaccounts`, { metadata: { name: 'default' } });
    for (const { policy, binding } of podSecurityPolicies()) {
      await ask(side, 'POST', `${GROUP}/validatingadmissionpolicies`, policy);
      await ask(side, 'POST', `${GROUP}/validatingadmissionpolicybindings`, binding);
    }
  }
  const warnings = async (side: Side): Promise<number> =>
    (await send(side, 'POST', `${path}?dryRun=All`, breakingPod())).warnings.length;
  const expected = await warnings(ours);
  await waitUntil(peer, async () => (await warnings(peer)) === expected);
  const body = JSON.stringify(compliantPod());
  const requests = (side: Side): number => (side === ours ? (bench.short ? 1500 : 5000) : bench.short ? 500 : 1500);
  const [mine, theirs] = await bench.inTurns(
    ours,
    peer,
    (side) => measure(side, { ...IN_FLIGHT, path, requests: requests(side), body }),
    WARM_UP,
  );
  bench.judge({
    name: `create of a pod under ${POLICIES} validating policies: CPU each`,
    unit: 'µs',
    ours: cpuOf(mine),
    peer: cpuOf(theirs),
    better: 'less',
    atLeast: 5,
  });
  console.log(
    `    ${expected} policies warn of a pod without settings; ours ${latencyOf(mine)}; reference ${latencyOf(theirs)}`,
  );
}

async function createOne(side: Side, namespace: string): Promise<string> {
  const body = { metadata: { generateName: 'probe-', labels: { app: 'probe' } } };
  return ask(side, 'POST', `/api/v1/namespaces/${namespace}/configmaps`, body);
}

/** kube-apiserver takes new configurations into account within about a second. */
async function waitUntil(side: Side, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${side.name}: the configurations are not in force after 20 s`);
}

function cpuOf(all: readonly Measured[]): number[] {
  return all.map(({ cpuMicros }) => cpuMicros);
}

function latencyOf(all: readonly Measured[]): string {
  const last = all.at(-1) as Measured;
  return `p50 ${format(last.p50)} ms, p99 ${format(last.p99)} ms`;
}
