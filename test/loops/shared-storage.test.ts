/** Servers that share a storage: claims of node ports and cluster IPs, endpoints of `default/kubernetes`, identities. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import type { Stored } from '../../src/client/object-types.ts';
import { APIService } from '../../src/kinds/api/apiregistration/v1.ts';
import { Lease } from '../../src/kinds/api/coordination/v1.ts';
import { ConfigMap, Endpoints, Namespace, Service } from '../../src/kinds/api/core/v1.ts';
import { EndpointSlice } from '../../src/kinds/api/discovery/v1.ts';
import { IPAddress } from '../../src/kinds/api/networking/v1.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { holdCreate } from './held-create.fixtures.ts';
import { laggingStorage, type Plane, sharedStorage, startPlane, until } from './plane.fixtures.ts';
import { DEFINITION, defineWidgets, WIDGET } from './widgets.fixtures.ts';

const RANGE_KEY = 'registry/ranges/servicenodeports';

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

async function start(
  advertiseAddress = '',
  nodePorts = { first: 30000, size: 4 },
  on: Storage = sharedStorage(storage),
): Promise<Plane> {
  const options = { controllers: [], serving: { port: 0, advertiseAddress }, network: { nodePorts } };
  const plane = await startPlane(options, on, { clock });
  planes.push(plane);
  return plane;
}

const services = ({ client }: Plane) => client.api(Service, 'default');

async function createService(plane: Plane, name: string, nodePort?: number): Promise<Stored<Service>> {
  const ports = [{ port: 80, ...(nodePort !== undefined && { nodePort }) }];
  return services(plane).create({ metadata: { name }, spec: { type: 'NodePort', ports } });
}

function portOf(service: Stored<Service>): number | undefined {
  return service.spec?.ports?.[0]?.nodePort;
}

async function storedRange(): Promise<Uint8Array> {
  const result = await storage.get(RANGE_KEY);
  return result.outcome === 'found' ? result.item.value : new Uint8Array();
}

it('two servers never give a node port or a cluster IP twice', async () => {
  const [a, b] = [await start(), await start()];
  const created = await Promise.all([0, 1, 2, 3].map((i) => createService(i % 2 === 0 ? a : b, `s${i}`)));
  expect(created.map(portOf).sort()).toEqual([30000, 30001, 30002, 30003]);
  expect(new Set(created.map(({ spec }) => spec?.clusterIP)).size).toBe(4);
  await expect(createService(b, 'more')).rejects.toThrow('failed to allocate a nodePort: range is full');
  await expect(createService(b, 'same', 30001)).rejects.toThrow('provided port is already allocated');
});

it('the allocated ports have the bytes of kube-apiserver', async () => {
  const plane = await start('', { first: 30000, size: 2768 });
  await createService(plane, 'a', 30000);
  await createService(plane, 'b', 30009);
  // k8s\0, then runtime.Unknown with apiVersion v1, kind RangeAllocation and the message: metadata, range, data 0x0201.
  const text = Buffer.from(await storedRange()).toString('latin1');
  expect(text.startsWith('k8s\0\n\x15\n\x02v1\x12\x0fRangeAllocation')).toBe(true);
  expect(text).toContain('\x12\x0b30000-32767\x1a\x02\x02\x01');
});

it('a port is free again when its Service is deleted or no longer has it, on every server', async () => {
  const [a, b] = [await start(), await start()];
  await createService(a, 'one', 30002);
  await services(b).delete('one');
  const again = await createService(b, 'two', 30002);
  await services(a).update({ ...again, spec: { ...again.spec, ports: [{ port: 80, nodePort: 30003 }] } } as never);
  await createService(a, 'three', 30002);
  await expect(createService(a, 'four', 30003)).rejects.toThrow('already allocated');
});

it('a write that fails frees its port, and a dry run claims none', async () => {
  const plane = await start();
  await createService(plane, 'one', 30000);
  const before = await storedRange();
  await expect(createService(plane, 'one', 30001)).rejects.toThrow('already exists');
  const spec = { type: 'NodePort' as const, ports: [{ port: 80, nodePort: 30002 }] };
  await services(plane).create({ metadata: { name: 'dry' }, spec }, { dryRun: true });
  expect(await storedRange()).toEqual(before);
});

it('a port that a killed server claimed is freed by the repairs, and ports of Services are claimed again', async () => {
  const plane = await start();
  await createService(plane, 'one', 30000);
  const whole = await storedRange();
  await createService(plane, 'two', 30001);
  const both = await storage.get(RANGE_KEY);
  if (both.outcome !== 'found') throw new TypeError('no range');
  // As if Service one were lost and its port still claimed.
  await services(plane).delete('one');
  const current = await storage.get(RANGE_KEY);
  if (current.outcome !== 'found') throw new TypeError('no range');
  await storage.compareAndWrite(RANGE_KEY, current.item, both.item.value);
  for (let i = 0; i < 3; i++) {
    await expect(createService(plane, 'x', 30000)).rejects.toThrow('already allocated');
    await clock.advance(180_000);
  }
  expect(portOf(await createService(plane, 'x', 30000))).toBe(30000);
  // As if another server had written a state without the port of Service two.
  const last = await storage.get(RANGE_KEY);
  if (last.outcome !== 'found') throw new TypeError('no range');
  await storage.compareAndWrite(RANGE_KEY, last.item, whole);
  await clock.advance(180_000);
  await expect(createService(plane, 'y', 30001)).rejects.toThrow('already allocated');
});

it('an address that a killed server claimed is freed by a later repair', async () => {
  const plane = await start();
  await services(plane).create({ metadata: { name: 'one' }, spec: { clusterIP: '10.0.0.9', ports: [{ port: 80 }] } });
  // As if the server were killed before it stored the Service.
  await plane.client.api(IPAddress).create({
    metadata: { name: '10.0.0.77', labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'lost' } },
  });
  const spec = { clusterIP: '10.0.0.77', ports: [{ port: 80 }] };
  await expect(services(plane).create({ metadata: { name: 'two' }, spec })).rejects.toThrow('already allocated');
  await clock.advance(180_000);
  expect((await services(plane).create({ metadata: { name: 'two' }, spec })).spec?.clusterIP).toBe('10.0.0.77');
  const names = (await plane.client.api(IPAddress).list().toArray()).map(({ metadata }) => metadata.name);
  expect(names).toEqual(['10.0.0.1', '10.0.0.77', '10.0.0.9']);
});

it('a namespace of one server can be used through another one that has not seen it yet', async () => {
  const late = laggingStorage(storage);
  const [a, b] = [await start(), await start('', undefined, late.storage)];
  late.hold();
  await a.client.api(Namespace).create({ metadata: { name: 'new' } });
  const created = b.client.api(ConfigMap, 'new').create({ metadata: { name: 'at-once' } });
  await new Promise((resolve) => setImmediate(resolve));
  late.release();
  expect((await created).metadata.namespace).toBe('new');
  await expect(b.client.api(ConfigMap, 'none').create({ metadata: { name: 'x' } })).rejects.toThrow('"none" not found');
});

it('a custom object that another server has stored under an earlier schema is shown in the present one', async () => {
  const { client } = await start();
  await defineWidgets(client);
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 3 } } } },
    },
  };
  const present = await client.api(DEFINITION).get('widgets.example.com');
  const versions = [
    { name: 'v1', served: true, storage: false, schema },
    { name: 'v2', served: true, storage: true, schema },
  ];
  const { spec } = present as unknown as { spec: Record<string, unknown> };
  await client.api(DEFINITION).update({ ...present, spec: { ...spec, versions } });
  const widgets = client.api({ ...WIDGET, version: 'v2' }, 'default');
  await widgets.create({ metadata: { name: 'ours' }, spec: {} });
  const theirs = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'theirs', namespace: 'default', uid: 'u', creationTimestamp: '2030-01-01T00:00:00Z' },
    spec: { pruned: true },
  };
  await storage.create('registry/example.com/widgets/default/theirs', Buffer.from(JSON.stringify(theirs)));
  const shown = [...(await widgets.list().toArray()), await widgets.get('theirs')];
  expect(shown.map(({ apiVersion, spec: own }) => [apiVersion, own])).toEqual(
    shown.map(() => ['example.com/v2', { size: 3 }]),
  );
  expect(shown).toHaveLength(3);
});

it('a version that kube-apiserver does not serve is served and not registered', async () => {
  const { client } = await start();
  const services = await client.api(APIService).list().toArray();
  const names = services.map(({ metadata }) => metadata.name).filter((name) => name.endsWith('.apiextensions.k8s.io'));
  expect(names).toEqual(['v1.apiextensions.k8s.io']);
  await defineWidgets(client);
  const old = await client.api({ ...DEFINITION, version: 'v1beta1' }).get('widgets.example.com');
  expect(old.apiVersion).toBe('apiextensions.k8s.io/v1beta1');
});

it('a custom object that is stored after its definition is gone is removed', async () => {
  const held = holdCreate('late', storage);
  const [a, b] = [await start(), await start('', undefined, sharedStorage(held.storage))];
  await defineWidgets(a.client);
  await until('the other server has the definition', async () => {
    const served = await b.client
      .api(WIDGET, 'default')
      .list()
      .toArray()
      .catch(() => undefined);
    return served !== undefined;
  });
  const created = b.client.api(WIDGET, 'default').create({ metadata: { name: 'late' } });
  await held.entered;
  await a.client.api(DEFINITION).delete('widgets.example.com');
  await until(
    'the definition is gone',
    async () => (await a.client.api(DEFINITION).find('widgets.example.com')) === undefined,
  );
  held.release();
  await created;
  const stored = async (): Promise<number> => {
    const listed = await storage.list({ prefix: 'registry/example.com/widgets/' });
    return listed.outcome === 'ok' ? listed.items.length : -1;
  };
  await until('the object is removed', async () => (await stored()) === 0);
});

async function addresses({ client }: Plane): Promise<string> {
  const endpoints = await client.api(Endpoints, 'default').find('kubernetes');
  const slice = await client.api(EndpointSlice, 'default').find('kubernetes');
  const ips = (endpoints?.subsets ?? []).flatMap((subset) => (subset.addresses ?? []).map(({ ip }) => ip)).join();
  expect((slice?.endpoints ?? []).flatMap((endpoint) => endpoint.addresses).join()).toBe(ips);
  return ips;
}

it('the endpoints of default/kubernetes are the servers that run', async () => {
  const a = await start('10.1.0.1');
  expect(await addresses(a)).toBe('10.1.0.1');
  const b = await start('10.1.0.2');
  const c = await start('10.1.0.3');
  expect(await addresses(c)).toBe('10.1.0.1,10.1.0.2,10.1.0.3');
  await b.plane.stop();
  expect(await addresses(c)).toBe('10.1.0.1,10.1.0.3');
  // The key of a server that was killed: it is not renewed.
  await storage.create('registry/masterleases/10.1.0.9', await leaseLike('10.1.0.3', '10.1.0.9'), { ttlMs: 15_000 });
  await clock.advance(10_000);
  await until('the endpoints are those of the keys', async () => (await addresses(a)).endsWith('10.1.0.9'));
  await clock.advance(10_000);
  await until('the key has expired', async () => (await addresses(a)) === '10.1.0.1,10.1.0.3');
});

/** The value of one server's key, with the address of another one of the same length. */
async function leaseLike(ip: string, other: string): Promise<Uint8Array> {
  const result = await storage.get(`registry/masterleases/${ip}`);
  if (result.outcome !== 'found') throw new TypeError('no lease');
  return Buffer.from(Buffer.from(result.item.value).toString('latin1').replace(ip, other), 'latin1');
}

it('the identity Lease of a killed server is removed when it has expired', async () => {
  const plane = await start();
  const leases = plane.client.api(Lease, 'kube-system');
  const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
  const spec = (agoMs: number) => ({
    leaseDurationSeconds: 3600,
    renewTime: new Date(clock.now() - agoMs).toISOString().replace('Z', '000Z'),
  });
  await leases.create({ metadata: { name: 'apiserver-killed', labels }, spec: spec(3_700_000) });
  await leases.create({ metadata: { name: 'apiserver-other', labels }, spec: spec(10_000) });
  await leases.create({ metadata: { name: 'no-server' }, spec: spec(3_700_000) });
  await clock.advance(10_000);
  await until('the Lease is removed', async () => (await leases.find('apiserver-killed')) === undefined);
  expect(await leases.find('apiserver-other')).toBeDefined();
  expect(await leases.find('no-server')).toBeDefined();
});
