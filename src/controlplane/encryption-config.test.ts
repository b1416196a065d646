import { describe, expect, it } from 'vitest';
import { createProvider } from '../storage/encryption/providers.ts';
import { parseEncryptionConfig } from './encryption-config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

function config(resources: string): string {
  return `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n${resources}`;
}

const parse = (text: string) => parseEncryptionConfig({ path: 'e.yaml', text }, createProvider);
const rules = (text: string): string[] => [...parse(text).keys()];

describe('an EncryptionConfiguration', () => {
  it('has providers for resources, groups and everything else', () => {
    const text = config(`
- resources: [secrets, deployments.apps]
  providers:
  - aescbc: {keys: [{name: k1, secret: ${KEY}}, {name: k2, secret: ${KEY}}]}
  - identity: {}
- resources: ['*.']
  providers: [{secretbox: {keys: [{name: k1, secret: ${KEY}}]}}]
- resources: ['*.*']
  providers: [{aesgcm: {keys: [{name: k1, secret: ${KEY}}]}}]
`);
    expect(rules(text)).toEqual(['secrets.', 'deployments.apps', '*.', '*.*']);
    expect(parse(text).get('secrets.')).toHaveLength(2);
  });

  it.each([
    [
      'apiVersion: v2\nkind: EncryptionConfiguration',
      /is not an EncryptionConfiguration of apiserver.config.k8s.io\/v1/,
    ],
    [config(' []'), /resources: at least one resources is required/],
    [config('- resources: []\n  providers: [{identity: {}}]'), /resources\[0\].resources: at least one/],
    [config("- resources: ['*']\n  providers: [{identity: {}}]"), /use '\*\.' to encrypt all the resources from core/],
    [config('- resources: [Secrets]\n  providers: [{identity: {}}]'), /should not contain capital letters/],
    [config('- resources: [events.events.k8s.io]\n  providers: [{identity: {}}]'), /Use 'events' instead/],
    [config("- resources: [secrets, '*.']\n  providers: [{identity: {}}]"), /overlapping resources/],
    [config('- resources: [secrets, secrets]\n  providers: [{identity: {}}]'), /specified multiple times/],
    [config('- resources: [secrets]\n  providers: [{identity: {}, kms: {}}]'), /more than one provider/],
    [config('- resources: [secrets]\n  providers: [{rot13: {}}]'), /unknown provider "rot13"/],
    [config('- resources: [secrets]\n  providers: [{kms: {}}]'), /kms providers are not supported yet/],
    [
      config('- resources: [secrets]\n  providers: [{aescbc: {keys: [{name: k, secret: "!"}]}}]'),
      /providers\[0\].aescbc.keys\[0\].secret: secrets must be base64 encoded/,
    ],
    [
      config('- resources: [secrets]\n  providers: [{secretbox: {keys: [{name: k, secret: AAAA}]}}]'),
      /secret is not of the expected length, got 3, expected one of \[32\]/,
    ],
    [
      config(
        "- resources: ['*.*']\n  providers: [{identity: {}}]\n- resources: [secrets]\n  providers: [{identity: {}}]",
      ),
      /resource "secrets" is masked by earlier rule "\*\.\*"/,
    ],
  ])('%j is refused', (text, message) => {
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(/^--encryption-provider-config: e.yaml: /);
  });
});
