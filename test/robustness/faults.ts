/** Faults from a seeded schedule: one at a time, for a few seconds, then a pause. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MEMBERS, SERVERS, type Servers, SMALL_MEMBER } from './servers.ts';
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
/** Larger than every free page of a database of a run, so that the database must grow. */
const BALLAST_MB = 12;
const MOST_BALLAST_MB = 64;
/** The longest time until a member has noticed that its disk is full. */
const END_MS = 60_000;
/** Seconds. Longer than the Leases and the certificates that a server renews, in both directions. */
const JUMPS = [-7 * 86_400, -3600, -90, 90, 3600, 30 * 86_400];

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
  async 'jump the clock of a server'({ servers, random, wait }) {
    const { clock } = servers.servers[random(SERVERS)]!;
    clock?.set(JUMPS[random(JUMPS.length)]!);
    // The process reads the offset once per second. The clock jumps back afterwards.
    await sleep(1000);
    await wait();
  },
  async 'fill the disk of a member'({ servers, truth, wait }) {
    const { disk, ballast, cluster } = servers;
    disk.fill();
    for (let i = 0; i < BALLAST_MB; i++) await ballast.add();
    // etcd ends when it cannot write its database.
    const deadline = performance.now() + END_MS;
    while (cluster.isRunning(SMALL_MEMBER)) {
      if (performance.now() > deadline) throw new Error('the disk of a member is full, and the member continues');
      await sleep(100);
    }
    await wait();
    disk.free();
    cluster.launch(SMALL_MEMBER);
    await cluster.healthy(SMALL_MEMBER);
    await ballast.remove(truth);
  },
  async 'exceed the quota'({ servers, truth, wait }) {
    const { ballast } = servers;
    let i = 0;
    while (await ballast.add()) if (++i > MOST_BALLAST_MB) throw new Error('etcd raises no alarm at its quota');
    await wait();
    await ballast.remove(truth);
  },
};

/** Faults that need servers that are processes of their own. */
const OF_PROCESSES = ['kill a server', 'suspend a server', 'jump the clock of a server'];

export const FAULT_NAMES: readonly string[] = Object.keys(FAULTS);

export interface ScheduleOptions extends Omit<FaultContext, 'wait'> {
  /** The faults to choose from. */
  readonly names: readonly string[];
  readonly isOver: () => boolean;
}

/** Runs faults until the time is over. Returns how often each of them took place. */
export async function runFaults({ names, isOver, ...context }: ScheduleOptions): Promise<ReadonlyMap<string, number>> {
  const { servers, random } = context;
  const hasProcesses = servers.servers[0]?.process !== undefined;
  const possible = names.filter((name) => hasProcesses || !OF_PROCESSES.includes(name));
  const counts = new Map<string, number>();
  // Each kind takes place once before any takes place again, so that a short run has most of them.
  let left: string[] = [];
  while (!isOver()) {
    if (left.length === 0) left = [...possible];
    const [name] = left.splice(random(left.length), 1) as [string];
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await FAULTS[name]?.({ ...context, wait: () => sleep(500 + random(LONGEST_MS)) });
    servers.heal();
    await sleep(random(PAUSE_MS));
  }
  return counts;
}
