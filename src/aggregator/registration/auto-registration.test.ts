import { afterEach, describe, expect, it } from 'vitest';
import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { settle } from '../../base/virtual-clock.ts';
import { DiscoveryManager } from '../../server/discovery/discovery-manager.ts';
import type { DiscoveryVersion } from '../../server/discovery/discovery-publisher.ts';
import { remoteApiService, type TestApiServices, testApiServices } from '../aggregator.fixtures.ts';
import { AutoRegistration } from './auto-registration.ts';
import { AUTOMANAGED } from './decide-registration.ts';

const PRIORITIES = { resources: [], stale: false };
const APPS: DiscoveryVersion = {
  ...PRIORITIES,
  group: 'apps',
  version: 'v1',
  groupPriority: 17_800,
  versionPriority: 15,
  ownsGroup: true,
};
const CORE: DiscoveryVersion = { ...APPS, group: '', groupPriority: 18_000, versionPriority: 1 };
const BOATS: DiscoveryVersion = {
  ...PRIORITIES,
  group: 'boats.example.com',
  version: 'v1',
  groupPriority: 1000,
  versionPriority: 100,
};
const BOATS_NAME = { namespace: '', name: 'v1.boats.example.com' };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function started(
  services: TestApiServices,
  discovery: DiscoveryManager,
  unregistered: readonly string[] = [],
): Promise<{ stop(): Promise<void>; failures: string[] }> {
  const failures: string[] = [];
  const registration = new AutoRegistration({
    clock: services.clock,
    discovery,
    apiServices: await services.resource.registry.lister(),
    writer: services.writer,
    unregistered,
    onFailure: (name, error) => failures.push(`${name}: ${error.message}`),
  });
  await registration.start();
  const stop = (): Promise<void> => registration.stop();
  stops.push(stop);
  return { stop, failures };
}

function discoveryOf(...versions: DiscoveryVersion[]): DiscoveryManager {
  const discovery = new DiscoveryManager();
  for (const version of versions) discovery.publish(version);
  return discovery;
}

async function names(services: TestApiServices): Promise<string[]> {
  const lister = await services.resource.registry.lister();
  return lister.list().map((object) => `${textAt(object, 'metadata', 'name')} ${label(object)}`);
}

function label(object: JsonObject): string {
  return textAt(object, 'metadata', 'labels', AUTOMANAGED);
}

describe('AutoRegistration', () => {
  it('does not register versions that it is told to leave out, and removes their registration of an earlier start', async () => {
    const services = testApiServices();
    const first = await started(services, discoveryOf(APPS, BOATS));
    await first.stop();
    const discovery = discoveryOf(APPS, BOATS);
    await started(services, discovery, ['v1.apps']);
    expect(await names(services)).toEqual(['v1.boats.example.com true']);
    discovery.publish(APPS);
    await settle();
    expect(await names(services)).toEqual(['v1.boats.example.com true']);
  });

  it('registers built-in versions on start and those of custom resources always', async () => {
    const services = testApiServices();
    await started(services, discoveryOf(CORE, APPS, BOATS, { ...APPS, group: 'apiregistration.k8s.io' }));
    expect(await names(services)).toEqual(['v1. onstart', 'v1.apps onstart', 'v1.boats.example.com true']);
    expect(await services.read('v1.')).toMatchObject({
      spec: { version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    expect(objectAt((await services.read('v1.boats.example.com')) ?? {}, 'spec')).toEqual({
      group: 'boats.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 100,
    });
  });

  it('writes nothing if everything is in place', async () => {
    const services = testApiServices();
    const discovery = discoveryOf(CORE, APPS, BOATS);
    const { stop } = await started(services, discovery);
    await stop();
    const before = await services.read('v1.apps');
    await started(services, discovery);
    expect(await services.read('v1.apps')).toEqual(before);
  });

  it('follows custom resources that come and go', async () => {
    const services = testApiServices();
    const discovery = discoveryOf(APPS);
    await started(services, discovery);
    discovery.publish(BOATS);
    await settle();
    expect(await names(services)).toContain('v1.boats.example.com true');
    discovery.remove(BOATS);
    await settle();
    expect(await names(services)).toEqual(['v1.apps onstart']);
  });

  it('removes the registration of a custom resource that was deleted while the server was stopped', async () => {
    const services = testApiServices();
    const { stop } = await started(services, discoveryOf(APPS, BOATS));
    await stop();
    await started(services, discoveryOf(APPS));
    expect(await names(services)).toEqual(['v1.apps onstart']);
  });

  it('restores the registration of a custom resource, and one of a built-in version at the next start', async () => {
    const services = testApiServices();
    const discovery = discoveryOf(APPS, BOATS);
    const { stop } = await started(services, discovery);
    const setPriority = (name: string, priority: number): Promise<unknown> =>
      services.writer.update({ namespace: '', name }, (object) => {
        object['spec'] = { ...objectAt(object, 'spec'), versionPriority: priority };
      });
    const priorityOf = async (name: string): Promise<unknown> =>
      objectAt((await services.read(name)) ?? {}, 'spec')?.['versionPriority'];
    await setPriority('v1.boats.example.com', 7);
    await setPriority('v1.apps', 7);
    await settle();
    expect([await priorityOf('v1.boats.example.com'), await priorityOf('v1.apps')]).toEqual([100, 7]);
    await services.writer.delete(BOATS_NAME);
    await settle();
    expect(await priorityOf('v1.boats.example.com')).toBe(100);
    await stop();
    await started(services, discovery);
    expect(await priorityOf('v1.apps')).toBe(15);
  });

  it('leaves an APIService of a user, also when a custom resource of its version comes and goes', async () => {
    const services = testApiServices();
    await services.writer.create(remoteApiService('boats.example.com', 'v1'));
    const discovery = discoveryOf(APPS);
    await started(services, discovery);
    const before = await services.read('v1.boats.example.com');
    discovery.publish(BOATS);
    await settle();
    discovery.remove(BOATS);
    await settle();
    expect(await services.read('v1.boats.example.com')).toEqual(before);
    discovery.publish(BOATS);
    await services.writer.delete(BOATS_NAME);
    await settle();
    expect(await names(services), 'the version is local again').toContain('v1.boats.example.com true');
  });

  it('ignores remote versions in discovery', async () => {
    const services = testApiServices();
    const discovery = discoveryOf(APPS);
    await started(services, discovery);
    discovery.remote.publish({ ...BOATS, givenResources: [] });
    await settle();
    expect(await names(services)).toEqual(['v1.apps onstart']);
  });
});
