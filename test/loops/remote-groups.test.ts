/** Namespace deletion and garbage collection beside an extension API server, alive and dead. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UntypedObject } from '../../src/client/object-types.ts';
import { APIService } from '../../src/kinds/api/apiregistration/v1.ts';
import { ConfigMap, Namespace } from '../../src/kinds/api/core/v1.ts';
import { ACCOUNT, API_SERVICE, Backend, register } from './backend.fixtures.ts';
import { Family, type Plane, startPlane, until } from './plane.fixtures.ts';

let plane: Plane;
let backend: Backend;

beforeEach(async () => {
  backend = new Backend();
  await backend.start();
  plane = await startPlane({}, undefined, { outbound: backend.outbound });
  await plane.client.api(Namespace).create({ metadata: { name: 'shop' } });
});

afterEach(async () => {
  await plane.plane.stop();
  await backend.stop();
});

/** Lets virtual time pass until the check passes. */
async function eventually(what: string, check: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < 200; step++) {
    for (let turn = 0; turn < 20; turn++) {
      if (await check()) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await plane.clock.advance(500);
  }
  throw new TypeError(`never: ${what}`);
}

async function isDiscovered(): Promise<boolean> {
  const { status, body } = await plane.client.transport({
    method: 'GET',
    target: '/apis',
    headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
  });
  let text = '';
  for await (const chunk of body instanceof Uint8Array ? [body] : body) text += new TextDecoder().decode(chunk);
  return status === 200 && text.includes('"resource":"accounts"');
}

const accounts = () => plane.client.api(ACCOUNT, 'shop');

async function createAccount(name: string, owner?: { kind: string; name: string; uid: string }): Promise<string> {
  const ownerReferences = owner === undefined ? [] : [{ apiVersion: 'v1', ...owner }];
  const made = await accounts().create({ metadata: { name, namespace: 'shop', ownerReferences } } as UntypedObject);
  return made.metadata.uid;
}

async function isGone(): Promise<boolean> {
  return (await plane.client.api(Namespace).find('shop')) === undefined;
}

async function problems(): Promise<string[]> {
  const { status } = await plane.client.api(Namespace).get('shop');
  return (status?.conditions ?? [])
    .filter((condition) => condition.status === 'True')
    .map(({ type, message }) => `${type}: ${message}`);
}

async function isUnavailable(): Promise<boolean> {
  const { status } = await plane.client.api(APIService).get(API_SERVICE);
  return status?.conditions?.[0]?.status === 'False';
}

describe('a deleted namespace', () => {
  it('goes away with the objects of an extension API server', async () => {
    await register(plane);
    await eventually('accounts are discovered', isDiscovered);
    await createAccount('a');
    await plane.client.api(Namespace).delete('shop');
    await eventually('shop is gone', isGone);
    expect(await plane.client.all(ACCOUNT).list().toArray()).toEqual([]);
  });

  it('does not wait for a group that was never discovered', async () => {
    backend.down = true;
    await register(plane);
    await eventually('the APIService is unavailable', isUnavailable);
    await plane.client.api(Namespace).delete('shop');
    await until('shop is gone', isGone);
  });

  it('waits for a group that had deletable resources, and names its APIService', async () => {
    await register(plane);
    await eventually('accounts are discovered', isDiscovered);
    await createAccount('a');
    backend.down = true;
    await eventually('the APIService is unavailable', isUnavailable);
    await plane.client.api(Namespace).delete('shop');
    await until('the condition is reported', async () => (await problems()).length > 0);
    expect(await problems()).toEqual([
      'NamespaceDeletionDiscoveryFailure: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: bank.example.com/v1: stale GroupVersion discovery: bank.example.com/v1 (APIService v1.bank.example.com)',
    ]);
    backend.down = false;
    await eventually('shop is gone', isGone);
    expect(await plane.client.all(ACCOUNT).list().toArray()).toEqual([]);
  });

  it('goes on when the APIService that it waits for is deleted', async () => {
    await register(plane);
    await eventually('accounts are discovered', isDiscovered);
    backend.down = true;
    await eventually('the APIService is unavailable', isUnavailable);
    await plane.client.api(Namespace).delete('shop');
    await until('the condition is reported', async () => (await problems()).length > 0);
    await plane.client.api(APIService).delete(API_SERVICE);
    await eventually('shop is gone', isGone);
  });
});

describe('the garbage collector', () => {
  it('deletes objects of an extension API server whose owner is deleted here', async () => {
    await register(plane);
    await eventually('accounts are discovered', isDiscovered);
    const family = new Family(plane, 'shop');
    const uid = await family.create('owner');
    await createAccount('owned', { kind: 'ConfigMap', name: 'owner', uid });
    await createAccount('free');
    await family.delete('owner');
    await eventually('the account is deleted', async () => (await accounts().find('owned')) === undefined);
    expect(await accounts().find('free')).toBeDefined();
  });

  it('deletes objects here whose owner is deleted by an extension API server', async () => {
    await register(plane);
    await eventually('accounts are discovered', isDiscovered);
    const uid = await createAccount('owner');
    const owner = { apiVersion: 'bank.example.com/v1', kind: 'Account', name: 'owner', uid };
    const maps = plane.client.api(ConfigMap, 'shop');
    await maps.create({ metadata: { name: 'owned', namespace: 'shop', ownerReferences: [owner] } });
    await accounts().delete('owner');
    await eventually('the ConfigMap is deleted', async () => (await maps.find('owned')) === undefined);
  });

  it('keeps the dependents of owners whose server is unavailable or no longer registered', async () => {
    await register(plane);
    await eventually('accounts are discovered', isDiscovered);
    const uid = await createAccount('owner');
    const owner = { apiVersion: 'bank.example.com/v1', kind: 'Account', name: 'owner', uid };
    const maps = plane.client.api(ConfigMap, 'shop');
    await maps.create({ metadata: { name: 'owned', namespace: 'shop', ownerReferences: [owner] } });
    backend.down = true;
    await eventually('the APIService is unavailable', isUnavailable);
    await maps.create({ metadata: { name: 'late', namespace: 'shop', ownerReferences: [owner] } });
    await plane.clock.advance(60_000);
    await plane.client.api(APIService).delete(API_SERVICE);
    await plane.clock.advance(60_000);
    expect((await maps.list().toArray()).map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['owned', 'late']),
    );
  });
});
