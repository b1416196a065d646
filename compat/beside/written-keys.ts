/**
 * The keys that servers write without a request: at their start, and while nothing happens. A server beside another one
 * must not change the other's objects, and two must not change an object in turn.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { readKeys } from './etcd-keys.ts';
import type { OneEtcd, Side } from './one-etcd.ts';

/** Objects that belong to one server, or to all that run. */
const OF_SERVERS =
  /^\/registry\/(masterleases\/|peerserverleases\/|ranges\/servicenodeports$|leases\/kube-system\/apiserver-|services\/endpoints\/default\/kubernetes$|endpointslices\/default\/kubernetes$)/;
/** A server has finished its start when it has written nothing for this time. */
const SETTLED_MS = 2_000;
const SETTLED_TRIES = 30;

/** Starts a server beside the one that runs. Returns the keys that it changed or removed. */
export async function changesOfStart(etcd: OneEtcd, side: Side, flags: readonly string[]): Promise<readonly string[]> {
  const before = await settled(etcd);
  await etcd.launch(side, flags);
  const after = await settled(etcd);
  const differences: string[] = [];
  for (const [key, revision] of before) {
    const now = after.get(key);
    if (now === undefined) differences.push(`the start of ${side} removes ${key}`);
    else if (now !== revision) differences.push(`the start of ${side} changes ${key}`);
  }
  for (const key of after.keys()) if (!before.has(key)) differences.push(`the start of ${side} creates ${key}`);
  return differences;
}

/** Returns the keys that are written within a time in which no client sends a request. */
export async function writesWithin(etcd: OneEtcd, ms: number): Promise<readonly string[]> {
  const { revision } = await readKeys(etcd.url, '/registry/masterleases/');
  await sleep(ms);
  const { keys } = await readKeys(etcd.url, '/registry/', { since: revision + 1 });
  return keys.filter(({ key }) => !OF_SERVERS.test(key)).map(({ key }) => `${key} is written although nothing happens`);
}

/** Returns the revisions of all other keys when they have not changed for a while. */
async function settled(etcd: OneEtcd): Promise<ReadonlyMap<string, number>> {
  let last = await revisions(etcd);
  for (let tries = 0; tries < SETTLED_TRIES; tries++) {
    await sleep(SETTLED_MS);
    const now = await revisions(etcd);
    if (now.size === last.size && [...now].every(([key, revision]) => last.get(key) === revision)) return now;
    last = now;
  }
  throw new Error('the servers keep writing their objects');
}

async function revisions(etcd: OneEtcd): Promise<ReadonlyMap<string, number>> {
  const { keys } = await readKeys(etcd.url, '/registry/');
  return new Map(keys.filter(({ key }) => !OF_SERVERS.test(key)).map(({ key, modRevision }) => [key, modRevision]));
}
