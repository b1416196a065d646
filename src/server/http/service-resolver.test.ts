import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import type { ServiceAddress } from './outbound.ts';
import { createServiceResolver, type ServiceRouting } from './service-resolver.ts';

interface Asked {
  readonly routing?: ServiceRouting;
  readonly port?: number;
  readonly random?: number;
  readonly tried?: readonly ServiceAddress[];
}

function resolve(service: JsonObject | undefined, slices: readonly JsonObject[], asked: Asked = {}) {
  const { routing, port = 443, random = 0, tried } = asked;
  const objects = { service: () => service, endpointSlices: () => slices };
  const resolver = createServiceResolver({ objects, random: () => random, ...(routing && { routing }) });
  return resolver.resolve('ns', 'hook', port, tried);
}

const SERVICE: JsonObject = {
  spec: { type: 'ClusterIP', clusterIP: '10.0.0.7', ports: [{ name: 'https', port: 443 }] },
};
const HEADLESS: JsonObject = {
  spec: { type: 'ClusterIP', clusterIP: 'None', ports: [{ name: 'https', port: 443 }] },
};
const EXTERNAL: JsonObject = { spec: { type: 'ExternalName', externalName: 'localhost' } };
const SLICE: JsonObject = {
  addressType: 'IPv4',
  ports: [{ name: 'https', port: 9443 }],
  endpoints: [
    { addresses: ['10.1.0.1'], conditions: { ready: false } },
    { addresses: ['10.1.0.2'], conditions: { ready: true } },
    { addresses: ['10.1.0.3'] },
  ],
};
const IPV6_SLICE: JsonObject = {
  addressType: 'IPv6',
  ports: [{ name: 'https', port: 9443 }],
  endpoints: [{ addresses: ['2001:db8::1'] }],
};
const SECOND = { host: '10.1.0.2', port: 9443 };
const THIRD = { host: '10.1.0.3', port: 9443 };

for (const routing of ['available', 'endpoints'] as const) {
  describe(`the service resolver with ${routing}`, () => {
    it("chooses a ready endpoint, with the target port of the Service's port", () => {
      expect(resolve(SERVICE, [SLICE], { routing })).toEqual(SECOND);
      expect(resolve(SERVICE, [SLICE], { routing, random: 0.9 })).toEqual(THIRD);
      expect(resolve(HEADLESS, [SLICE], { routing })).toEqual(SECOND);
    });

    it('prefers the first IP family of the Service', () => {
      const dual = (family: string): JsonObject => ({
        spec: { ...(SERVICE['spec'] as JsonObject), ipFamilies: [family] },
      });
      const asked = { routing, random: 0.99 };
      expect(resolve(dual('IPv4'), [SLICE, IPV6_SLICE], asked)).toEqual(THIRD);
      expect(resolve(dual('IPv6'), [SLICE, IPV6_SLICE], asked)).toEqual({ host: '2001:db8::1', port: 9443 });
      expect(resolve(dual('IPv6'), [SLICE], asked)).toEqual(THIRD);
    });

    it('avoids endpoints that were tried, unless there are no others', () => {
      expect(resolve(SERVICE, [SLICE], { routing, tried: [SECOND] })).toEqual(THIRD);
      expect(resolve(SERVICE, [SLICE], { routing, tried: [SECOND, THIRD] })).toEqual(SECOND);
    });

    it('fails with what is missing', () => {
      expect(() => resolve(undefined, [], { routing })).toThrow('service "hook" not found');
      expect(() => resolve(SERVICE, [SLICE], { routing, port: 80 })).toThrow(
        'no service port 80 found for service "hook"',
      );
      expect(() => resolve(HEADLESS, [], { routing })).toThrow('no endpoints available for service "hook"');
    });
  });
}

describe('the service resolver', () => {
  it('by default uses the external name, and the cluster IP where there are no endpoints', () => {
    expect(resolve(SERVICE, [])).toEqual({ host: '10.0.0.7', port: 443 });
    expect(resolve(EXTERNAL, [], { port: 8443 })).toEqual({ host: 'localhost', port: 8443 });
  });

  it('with endpoints supports no external name, and uses no cluster IP', () => {
    const asked = { routing: 'endpoints' } as const;
    expect(() => resolve(EXTERNAL, [SLICE], asked)).toThrow('unsupported service type "ExternalName"');
    expect(() => resolve(SERVICE, [], asked)).toThrow('no endpoints available for service "hook"');
  });

  it('with cluster-ip uses the cluster IP or the external name, and never an endpoint', () => {
    const asked = { routing: 'cluster-ip' } as const;
    expect(resolve(SERVICE, [SLICE], asked)).toEqual({ host: '10.0.0.7', port: 443 });
    expect(resolve(EXTERNAL, [SLICE], { ...asked, port: 8443 })).toEqual({ host: 'localhost', port: 8443 });
    expect(() => resolve(HEADLESS, [SLICE], asked)).toThrow('cannot route to service with ClusterIP "None"');
    expect(() => resolve(SERVICE, [], { ...asked, port: 80 })).toThrow('no service port 80 found for service "hook"');
    expect(() => resolve(undefined, [], asked)).toThrow('service "hook" not found');
  });
});
