import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createCa } from '../../pki/certificates.ts';
import { type SharedTrust, sharedTrust, trustAnnotations, trustWarnings } from './shared-trust.ts';

const NOW = Date.parse('2026-05-05T12:00:00Z');
const trust = (clientCas: string, verifying: string, signingKey: string): SharedTrust => ({
  clientCas: clientCas.split(','),
  verifyingKeys: verifying.split(','),
  signingKey,
});

function lease(name: string, annotations: Record<string, string>, secondsAgo = 5): JsonObject {
  const renewTime = new Date(NOW - secondsAgo * 1000).toISOString().replace('Z', '000Z');
  return { metadata: { name, namespace: 'kube-system', annotations }, spec: { renewTime } };
}

describe('servers with different keys on one storage', () => {
  const own = trust('ca1', 'key1', 'key1');
  const check = (identities: readonly JsonObject[], publishedCaPem = '', mine = own): readonly string[] =>
    trustWarnings({ own: mine, identities, publishedCaPem, now: NOW });

  it('give one warning about the CA and one about the keys, with the names of the servers', () => {
    const other = trustAnnotations(trust('ca2', 'key2', 'key2'));
    const warnings = check([lease('apiserver-a', other), lease('apiserver-b', other)]);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('do not trust the client CA of this server (apiserver-a, apiserver-b)');
    expect(warnings[0]).toContain('or give all the same --client-ca-file');
    expect(warnings[1]).toContain('have other ServiceAccount keys (apiserver-a, apiserver-b)');
  });

  it('give none if the keys are the same, and none if the other server is gone', () => {
    expect(check([lease('apiserver-a', trustAnnotations(own))])).toEqual([]);
    expect(check([lease('apiserver-a', trustAnnotations(trust('ca2', 'key2', 'key2')), 61)])).toEqual([]);
    expect(check([])).toEqual([]);
  });

  it('give none at any step of a rotation in the right order', () => {
    const steps = [
      trust('ca1', 'key1', 'key1'),
      trust('ca1,ca2', 'key1,key2', 'key1'),
      trust('ca2', 'key1,key2', 'key2'),
    ];
    for (let i = 1; i < steps.length; i++) {
      const [before, after] = [steps[i - 1] as SharedTrust, steps[i] as SharedTrust];
      expect(check([lease('apiserver-a', trustAnnotations(before))], '', after)).toEqual([]);
      expect(check([lease('apiserver-a', trustAnnotations(after))], '', before)).toEqual([]);
    }
  });

  it('give one if a server signs with a key before the others verify it', () => {
    const other = lease('apiserver-a', trustAnnotations(own));
    expect(check([other], '', trust('ca1', 'key1,key2', 'key2')).join()).toContain('ServiceAccount keys (apiserver-a)');
  });

  describe('beside a kube-apiserver, whose Lease has no hashes', () => {
    let [pem, otherPem] = ['', ''];
    const clock = new VirtualClock(NOW);
    beforeAll(async () => {
      [pem, otherPem] = (await Promise.all(['one', 'two'].map((commonName) => createCa({ commonName, clock })))).map(
        ({ certificatePem }) => certificatePem,
      ) as [string, string];
    });

    it('compare the CAs that are published', () => {
      const keys = { signingKey: { publicKey: { keyId: 'k' } }, verifyKeys: [] } as unknown as Parameters<
        typeof sharedTrust
      >[1];
      const mine = sharedTrust(pem, keys);
      expect(check([lease('apiserver-a', {})], otherPem, mine).join()).toContain('(apiserver-a)');
      expect(check([lease('apiserver-a', {})], otherPem + pem, mine)).toEqual([]);
      expect(check([lease('apiserver-a', {})], '', mine)).toEqual([]);
    });
  });
});
