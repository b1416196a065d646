import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { createServiceResolver } from './service-resolver.ts';

function resolve(service: JsonObject | undefined, slices: readonly JsonObject[], port = 443, random = 0) {
  const resolver = createServiceResolver({ service: () => service, endpointSlices: () => slices }, () => random);
  return resolver.resolve('ns', 'hook', port);
}

const SERVICE: JsonObject = {
  spec: { type: 'ClusterIP', clusterIP: '10.0.0.7', ports: [{ name: 'https', port: 443 }] },
};
const SLICE: JsonObject = {
  ports: [{ name: 'https', port: 9443 }],
  endpoints: [
    { addresses: ['10.1.0.1'], conditions: { ready: false } },
    { addresses: ['10.1.0.2'], conditions: { ready: true } },
    { addresses: ['10.1.0.3'] },
  ],
};

describe('the service resolver', () => {
  it("chooses a ready endpoint, with the target port of the Service's port", () => {
    expect(resolve(SERVICE, [SLICE])).toEqual({ host: '10.1.0.2', port: 9443 });
    expect(resolve(SERVICE, [SLICE], 443, 0.9)).toEqual({ host: '10.1.0.3', port: 9443 });
  });

  it('uses the cluster IP where there are no endpoints', () => {
    expect(resolve(SERVICE, [])).toEqual({ host: '10.0.0.7', port: 443 });
  });

  it('follows an external name', () => {
    const service = { spec: { type: 'ExternalName', externalName: 'hook.example.com' } };
    expect(resolve(service, [], 8443)).toEqual({ host: 'hook.example.com', port: 8443 });
  });

  it('fails with what is missing', () => {
    expect(() => resolve(undefined, [])).toThrow('service "hook" not found');
    expect(() => resolve(SERVICE, [SLICE], 80)).toThrow('no service port 80 found for service "hook"');
    expect(() => resolve({ spec: { ports: [{ port: 443 }] } }, [])).toThrow(
      'no endpoints available for service "hook"',
    );
  });
});
