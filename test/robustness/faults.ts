/** Faults from a seeded schedule: one at a time, for a few seconds, then a pause. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MEMBERS, SERVERS, type Servers } from './servers.ts';
import type { Truth } from './truth.ts';

type Random = (below: number) => number;

interface FaultContext {
  readonly servers: Servers;
  readonly truth: Truth;
  readonly random: Random;
  /** Waits for a random part of the longest time of a fault. */
  wait(): Promise<void>;
}

const LONGEST_MS = 4000;
const PAUSE_MS = 1500;
/** The changes that a compaction keeps. Watches that were cut off for longer get 410. */
const KEPT = 10;

/** Each is over when its promise resolves. Those of processes need servers that are processes of their own. */
const FAULTS: Readonly<Record<string, (context: FaultContext) => Promise<void>>> = {
  async 'kill a server'({ servers, random, wait }) {
    const server = servers.servers[random(SERVERS)]?.process;
    if (server === undefined) return;
    await server.end('SIGKILL');
    await wait();
    server.start();
    await server.ready();
  },
  async 'suspend a server'({ servers, random, wait }) {
    const server = servers.servers[random(SERVERS)]?.process;
    if (server === undefined) return;
    process.kill(server.pid, 'SIGSTOP');
    await wait();
    process.kill(server.pid, 'SIGCONT');
  },
  async 'kill a member'({ servers, random, wait }) {
    const member = random(MEMBERS);
    await servers.cluster.kill(member);
    await wait();
    servers.cluster.launch(member);
    await servers.cluster.healthy(member);
  },
  async 'suspend a member'({ servers, random, wait }) {
    const member = random(MEMBERS);
    servers.cluster.signal(member, 'SIGSTOP');
    await wait();
    servers.cluster.signal(member, 'SIGCONT');
  },
  async 'cut a server off from a member'({ servers, random, wait }) {
    const proxy = servers.clientProxies[random(SERVERS)]![random(MEMBERS)]!;
    proxy.refuse(true);
    proxy.cut(() => true);
    await wait();
  },
  async 'cut a server off from etcd'({ servers, random, wait }) {
    for (const proxy of servers.clientProxies[random(SERVERS)]!) {
      proxy.refuse(true);
      proxy.cut(() => true);
    }
    await wait();
  },
  async 'swallow the answers of etcd'({ servers, random, wait }) {
    const proxies = servers.clientProxies[random(SERVERS)]!;
    for (const proxy of proxies) proxy.stall();
    await wait();
    for (const proxy of proxies) proxy.cut(() => true);
  },
  async 'delay a server'({ servers, random, wait }) {
    for (const proxy of servers.clientProxies[random(SERVERS)]!) proxy.delay(20 + random(150));
    await wait();
  },
  async 'partition a member'({ servers, random, wait }) {
    const proxy = servers.peerProxies[random(MEMBERS)]!;
    proxy.refuse(true);
    proxy.cut(() => true);
    await wait();
  },
  async 'delay a member'({ servers, random, wait }) {
    servers.peerProxies[random(MEMBERS)]!.delay(20 + random(150));
    await wait();
  },
  async compact({ truth }) {
    // A cluster that has no quorum compacts nothing.
    await truth.compact(KEPT).catch(() => undefined);
  },
};

/** Runs faults until the time is over. Returns how often each of them took place. */
export async function runFaults(
  context: Omit<FaultContext, 'wait'>,
  isOver: () => boolean,
): Promise<ReadonlyMap<string, number>> {
  const { servers, random } = context;
  const hasProcesses = servers.servers[0]?.process !== undefined;
  const names = Object.keys(FAULTS).filter(
    (name) => hasProcesses || !name.endsWith(' a server') || name.startsWith('delay'),
  );
  const counts = new Map<string, number>();
  while (!isOver()) {
    const name = names[random(names.length)] as string;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await FAULTS[name]?.({ ...context, wait: () => sleep(500 + random(LONGEST_MS)) });
    servers.heal();
    await sleep(random(PAUSE_MS));
  }
  return counts;
}
