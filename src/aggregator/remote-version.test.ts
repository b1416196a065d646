import { describe, expect, it } from 'vitest';
import { availabilityOf, NOT_CHECKED, parseRemoteVersion } from './remote-version.ts';

const SPEC = { group: 'bank.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 };

describe('parseRemoteVersion', () => {
  it('returns undefined for a local APIService', () => {
    expect(parseRemoteVersion({ metadata: { name: 'v1.bank.example.com' }, spec: SPEC })).toBeUndefined();
  });

  it('reads the service, the trust and the priorities', () => {
    const spec = { ...SPEC, service: { namespace: 'bank', name: 'api' }, caBundle: 'UEVN' };
    expect(parseRemoteVersion({ metadata: { name: 'v1.bank.example.com' }, spec })).toEqual({
      name: 'v1.bank.example.com',
      group: 'bank.example.com',
      version: 'v1',
      service: { namespace: 'bank', name: 'api', port: 443 },
      ca: 'PEM',
      insecureSkipTlsVerify: false,
      groupPriority: 1000,
      versionPriority: 15,
      availability: NOT_CHECKED,
    });
  });
});

describe('availabilityOf', () => {
  it('reads the condition Available', () => {
    const condition = { type: 'Available', status: 'False', reason: 'ServiceNotFound', message: 'no service' };
    expect(availabilityOf({ status: { conditions: [condition] } })).toEqual({
      status: 'False',
      reason: 'ServiceNotFound',
      message: 'no service',
    });
  });
});
