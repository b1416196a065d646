import { beforeAll, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createCa, type KeyedCertificate } from '../../pki/certificates.ts';
import { authenticationData } from './authentication-config-map.ts';

describe('the data of the authentication ConfigMap', () => {
  const clock = new VirtualClock();
  let first: KeyedCertificate;
  let second: KeyedCertificate;
  beforeAll(async () => {
    [first, second] = await Promise.all([
      createCa({ commonName: 'a', clock }),
      createCa({ commonName: 'b', clock, validity: 1000 }),
    ]);
  });

  test('is empty if no CA is trusted', () => {
    expect(authenticationData({}, { clientCaPem: '', requestHeader: undefined }, clock.now())).toEqual({});
  });

  test('keeps the values of another server, each once', () => {
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

  test('drops expired certificates and invalid lists', () => {
    const present = { 'client-ca-file': second.certificatePem, 'requestheader-allowed-names': '{' };
    const trust = { clientCaPem: first.certificatePem, requestHeader: undefined };
    expect(authenticationData(present, trust, clock.now() + 10_000)).toEqual({
      'client-ca-file': first.certificatePem,
    });
  });
});
