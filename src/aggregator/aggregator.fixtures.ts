/** APIServices over memory storage for tests. */
import type { JsonObject } from '../base/json-value.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';
import { OwnWriter } from '../server/own/own-writer.ts';
import { testHost } from '../server/registry/thing.fixtures.ts';
import { openResource, type StoredResource } from '../server/resource/open-resource.ts';
import { API_SERVICE } from './api-service.ts';

export interface TestApiServices {
  readonly resource: StoredResource;
  readonly writer: OwnWriter;
  readonly clock: VirtualClock;
  /** Creates a remote APIService `<version>.<group>` of the service `backends/api`, without a condition. */
  createRemote(group: string, version?: string): Promise<void>;
  /** Sets the condition Available, as the availability loop does. */
  setAvailable(name: string, status: 'True' | 'False', reason: string): Promise<void>;
  read(name: string): Promise<JsonObject | undefined>;
}

export function testApiServices(): TestApiServices {
  const { host, clock } = testHost();
  const resource = openResource(API_SERVICE, host) as StoredResource;
  const writer = new OwnWriter(resource);
  const at = (name: string) => ({ namespace: '', name });
  return {
    resource,
    writer,
    clock,
    createRemote: async (group, version = 'v1') => {
      await writer.create(remoteApiService(group, version));
    },
    setAvailable: async (name, status, reason) => {
      const condition = { type: 'Available', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
      await writer.updateStatus(at(name), (object) => {
        object['status'] = { conditions: [condition] };
      });
    },
    read: (name) => writer.read(at(name)),
  };
}

/** The body of a remote APIService of the service `backends/api`. */
export function remoteApiService(group: string, version: string): JsonObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { namespace: 'backends', name: 'api' },
    },
  };
}
