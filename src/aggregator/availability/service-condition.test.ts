import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { serviceCondition } from './service-condition.ts';

const OF = { namespace: 'backends', name: 'api', port: 443 };
const clusterIp = (port: number, name = 'https'): JsonObject => ({
  spec: { type: 'ClusterIP', ports: [{ name, port }] },
});
const slice = (name: string | undefined, ready?: boolean): JsonObject => ({
  endpoints: [{ addresses: ['10.0.0.1'], ...(ready !== undefined && { conditions: { ready } }) }],
  ports: [{ ...(name !== undefined && { name }), port: 8443 }],
});

describe('serviceCondition', () => {
  it.each<[string, JsonObject | undefined, JsonObject[], string | undefined]>([
    ['no Service', undefined, [], 'ServiceNotFound: service/api in "backends" is not present'],
    ['another type', { spec: { type: 'ExternalName', externalName: 'localhost' } }, [], undefined],
    ['another port', clusterIp(80), [], 'ServicePortError: service/api in "backends" is not listening on port 443'],
    ['no slices', clusterIp(443), [], 'EndpointsNotFound: cannot find endpointslices for service/api in "backends"'],
    [
      'another port name',
      clusterIp(443),
      [slice('http')],
      'MissingEndpoints: endpointslices for service/api in "backends" have no addresses with port name "https"',
    ],
    [
      'no ready endpoint',
      clusterIp(443),
      [slice('https', false)],
      'MissingEndpoints: endpointslices for service/api in "backends" have no addresses with port name "https"',
    ],
    ['a ready endpoint', clusterIp(443), [slice('http'), slice('https', true)], undefined],
    ['an endpoint without conditions', clusterIp(443), [slice('https')], undefined],
  ])('%s', (_, service, slices, expected) => {
    const condition = serviceCondition(OF, service, slices);
    expect(condition && `${condition.reason}: ${condition.message}`).toBe(expected);
  });
});
