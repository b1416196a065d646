import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { DiscoveryManager } from '../../server/discovery/discovery-manager.ts';
import type { DiscoveryResource, DiscoveryVersion } from '../../server/discovery/discovery-publisher.ts';
import { PublishedServedResources } from './published-resources.ts';

function remote(group: string, kind: string | undefined, more: Partial<DiscoveryResource> = {}): DiscoveryVersion {
  const resource: DiscoveryResource = {
    plural: `${kind?.toLowerCase()}s`,
    singular: '',
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    kind: { group, version: 'v1', kind: kind ?? '' },
    verbs: ['delete', 'get', 'list'],
    storageVersionHash: '',
    subresources: [],
    ...more,
  };
  const resources = kind === undefined ? [] : [resource];
  return { group, version: 'v1', resources, groupPriority: 1, versionPriority: 1, stale: false, givenResources: [] };
}

describe('discovery for loops', () => {
  it('has the resources of remote versions, which are not stored here', () => {
    const discovery = new DiscoveryManager();
    const served = new PublishedServedResources(discovery, new VirtualClock());
    discovery.remote.publish(remote('a.example', 'Gear'));
    const gear = {
      group: 'a.example',
      version: 'v1',
      kind: 'Gear',
      plural: 'gears',
      scope: 'Namespaced',
      stored: false,
    };
    expect(served.list()).toMatchObject([gear]);
    expect(served.find('a.example/v1', 'Gear')).toMatchObject(gear);
    expect(served.findKind('a.example', 'Gear')).toMatchObject(gear);
    discovery.remote.remove({ group: 'a.example', version: 'v1' });
    expect(served.list()).toEqual([]);
    served.stop();
  });

  it('reports a stale version as unavailable only if it had namespaced objects to delete', () => {
    const discovery = new DiscoveryManager();
    const served = new PublishedServedResources(discovery, new VirtualClock());
    const versions = [
      remote('a.example', 'Gear'),
      remote('b.example', undefined),
      remote('c.example', 'Metric', { verbs: ['get', 'list'] }),
      remote('d.example', 'Zone', { scope: 'Cluster' }),
    ];
    for (const version of versions) discovery.remote.publish(version);
    expect(served.unavailable()).toEqual([]);
    for (const version of versions) discovery.remote.publish({ ...version, stale: true });
    expect(served.unavailable()).toEqual(['a.example/v1']);
    expect(served.findKind('a.example', 'Gear'), 'owners are still looked up').toBeDefined();
    served.stop();
  });
});
