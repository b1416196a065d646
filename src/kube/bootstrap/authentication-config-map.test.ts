import { beforeAll, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createCa, type KeyedCertificate } from '../../pki/certificates.ts';
import { authenticationData } from './authentication-config-map.ts';

describe('what extension servers are told', () => {
  const clock = new VirtualClock();
  let first: KeyedCertificate;
  let second: KeyedCertificate;
  beforeAll(async () => {
    [first, second] = await Promise.all([
      createCa({ commonName: 'a', clock }),
      createCa({ commonName: 'b', clock, validity: 1000 }),
    ]);
  });

  test('is nothing where nobody is trusted', () => {
    expect(authenticationData({}, { clientCaPem: '', requestHeader: undefined }, clock.now())).toEqual({});
  });

  test('keeps what another server wrote, each value once', () => {
    const present = {
      'client-ca-file': second.certificatePem + first.certificatePem,
      'requestheader-client-ca-file': second.certificatePem,
      'requestheader-allowed-names': '["one","two"]',
    };
    const requestHeader = {
      caPem: first.certificatePem,
      usernameHeaders: ['X-Remote-User'],
      uidHeaders: ['X-Remote-Uid'],
      groupHeaders: [],
      extraHeaderPrefixes: [],
      allowedNames: ['two', 'three'],
    };
    const data = authenticationData(present, { clientCaPem: first.certificatePem, requestHeader }, clock.now());
    expect(data['client-ca-file']).toBe(second.certificatePem + first.certificatePem);
    expect(data['requestheader-client-ca-file']).toBe(second.certificatePem + first.certificatePem);
    expect(data['requestheader-allowed-names']).toBe('["one","two","three"]');
    expect(data['requestheader-uid-headers']).toBe('["X-Remote-Uid"]');
    expect(data['requestheader-group-headers']).toBe('[]');
  });

  test('drops certificates that have expired and lists that somebody broke', () => {
    const present = { 'client-ca-file': second.certificatePem, 'requestheader-allowed-names': '{' };
    const trust = { clientCaPem: first.certificatePem, requestHeader: undefined };
    expect(authenticationData(present, trust, clock.now() + 10_000)).toEqual({
      'client-ca-file': first.certificatePem,
    });
  });
});
