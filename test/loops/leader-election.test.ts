/** The control loops of servers that share a storage. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import { Lease } from '../../src/kinds/api/coordination/v1.ts';
import { ConfigMap, Namespace } from '../../src/kinds/api/core/v1.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { type Plane, sharedStorage, startPlane, until } from './plane.fixtures.ts';

let clock: VirtualClock;
let storage: Storage;
let planes: Plane[];

beforeEach(() => {
  clock = new VirtualClock();
  storage = createMemoryStorage({ clock });
  planes = [];
});

afterEach(async () => {
  for (const { plane } of planes) await plane.stop();
  await storage.stop();
});

async function start(): Promise<Plane> {
  const plane = await startPlane({}, sharedStorage(storage), { clock });
  planes.push(plane);
  return plane;
}

async function holder({ client }: Plane): Promise<string> {
  const lease = await client.api(Lease, 'kube-system').find('keelson-controllers');
  return lease?.spec?.holderIdentity ?? '';
}

/** The loop of the root CA restores the ConfigMap if loops run anywhere. */
async function loopsRun({ client }: Plane): Promise<void> {
  const api = client.api(ConfigMap, 'default');
  await until('the ConfigMap exists', async () => (await api.find('kube-root-ca.crt')) !== undefined);
  await api.delete('kube-root-ca.crt');
  await until('the ConfigMap is restored', async () => (await api.find('kube-root-ca.crt')) !== undefined);
}

async function untilHeld(plane: Plane, check: (identity: string) => boolean): Promise<string> {
  let identity = '';
  await until('the Lease is held', async () => {
    await clock.advance(100);
    identity = await holder(plane);
    return check(identity);
  });
  return identity;
}

it('one server holds the Lease and runs the loops; another one takes over when it stops', async () => {
  const first = await start();
  const leader = await untilHeld(first, (identity) => identity !== '');
  const second = await start();
  await loopsRun(second);
  expect(await holder(second)).toBe(leader);
  await first.plane.stop();
  planes.shift();
  const next = await untilHeld(second, (identity) => identity !== '' && identity !== leader);
  expect(next).not.toBe(leader);
  await loopsRun(second);
});

it('a server that loses its Lease stops its loops, serves requests and campaigns again', async () => {
  const only = await start();
  const leases = only.client.api(Lease, 'kube-system');
  const leader = await untilHeld(only, (identity) => identity !== '');
  await loopsRun(only);
  const lease = await leases.get('keelson-controllers');
  await leases.update({ ...lease, spec: { ...lease.spec, holderIdentity: 'another' } });
  await clock.advance(3_000);
  await until('the loss is logged', () => only.problems.some((line) => line.startsWith('lost the Lease')));
  const maps = only.client.api(ConfigMap, 'default');
  await maps.delete('kube-root-ca.crt');
  for (let i = 0; i < 5; i++) await clock.advance(1_000);
  expect(await maps.find('kube-root-ca.crt')).toBeUndefined();
  await untilHeld(only, (identity) => identity === leader);
  await until('the ConfigMap is restored', async () => (await maps.find('kube-root-ca.crt')) !== undefined);
});

it('a namespace is finalized when the other servers have had time to see its deletion', async () => {
  const only = await start();
  await untilHeld(only, (identity) => identity !== '');
  const namespaces = only.client.api(Namespace);
  await namespaces.create({ metadata: { name: 'a' } });
  await namespaces.delete('a');
  const before = clock.now();
  await until('the namespace is gone', async () => {
    await clock.advance(100);
    return (await namespaces.find('a')) === undefined;
  });
  expect(clock.now() - before).toBeGreaterThanOrEqual(5_000);
});

it('a server with a storage of its own has no Lease', async () => {
  const alone = await startPlane({}, undefined, { clock });
  planes.push(alone);
  await loopsRun(alone);
  expect(await holder(alone)).toBe('');
});
