import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import { parseEtcdOverrides } from './etcd-overrides.ts';
import { allStorages, storageOf } from './storages.ts';

const MESSAGE =
  '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated';

describe('--etcd-servers-overrides', () => {
  it('names clusters by their servers, in any order, and keeps the order of the flag', () => {
    const overrides = parseEtcdOverrides([
      '/events#http://a:1;http://b:1',
      'apps/deployments#http://c:1',
      'coordination.k8s.io/leases#http://b:1;http://a:1',
    ]);
    expect(overrides).toEqual([
      {
        servers: ['http://a:1', 'http://b:1'],
        resources: [
          { group: '', resource: 'events' },
          { group: 'coordination.k8s.io', resource: 'leases' },
        ],
      },
      { servers: ['http://c:1'], resources: [{ group: 'apps', resource: 'deployments' }] },
    ]);
  });

  it('takes the last value for a resource; its other cluster has no resources', () => {
    const [first, second] = parseEtcdOverrides(['/events#http://a:1', '/events#http://b:1']);
    expect(first?.resources).toEqual([]);
    expect(second?.resources).toEqual([{ group: '', resource: 'events' }]);
  });

  for (const value of ['', 'events', '/events', '/events#', '/events#a;', 'events#a', 'a/b/c#a', '/events#a#b'])
    it(`refuses ${JSON.stringify(value)} with the text of the reference`, () => {
      expect(() => parseEtcdOverrides([value])).toThrow(MESSAGE);
    });
});

describe('the storage of a resource', () => {
  const main = createMemoryStorage();
  const [group, one] = [createMemoryStorage(), createMemoryStorage()];
  const storages = {
    main,
    overrides: [
      { resources: [{ group: 'apps', resource: '*' }], storage: group },
      {
        resources: [
          { group: 'apps', resource: 'deployments' },
          { group: 'apiregistration.k8s.io', resource: 'apiservices' },
        ],
        storage: one,
      },
    ],
  };

  it('is that of its override, then that of its group, then the main one', () => {
    expect(storageOf(storages, { group: 'apps', resource: 'deployments' })).toBe(one);
    expect(storageOf(storages, { group: 'apps', resource: 'replicasets' })).toBe(group);
    expect(storageOf(storages, { group: '', resource: 'pods' })).toBe(main);
    expect(allStorages(storages)).toEqual([main, group, one]);
  });

  it('is the main one for the groups of the aggregator and of the extensions server', () => {
    expect(storageOf(storages, { group: 'apiregistration.k8s.io', resource: 'apiservices' })).toBe(main);
  });
});
