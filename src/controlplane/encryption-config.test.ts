import { describe, expect, it } from 'vitest';
import { SILENT } from '../base/logger.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { IGNORING_OBSERVER } from '../storage/encryption/kms/kms-observer.ts';
import { parseEncryptionConfig } from './encryption-config.ts';
import { nodePlatform } from './node/node-platform.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

function config(resources: string): string {
  return `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n${resources}`;
}

const factory = nodePlatform.createProviderFactory({
  clock: new VirtualClock(),
  logger: SILENT,
  observer: IGNORING_OBSERVER,
});
const parse = (text: string) => parseEncryptionConfig({ path: 'e.yaml', text }, factory);
const rules = (text: string): string[] => [...parse(text).rules.keys()];
const kms = (fields: string): string => config(`- resources: [secrets]\n  providers: [{kms: {${fields}}}]`);
const KMS = 'apiVersion: v2, name: a, endpoint: "unix:///run/kms.sock"';

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
    expect(parse(text).rules.get('secrets.')).toHaveLength(2);
    expect(parse(text).hasKms).toBe(false);
  });

  it('has KMS v2 plugins with the timeout of the file', () => {
    const set = parse(kms(`${KMS}, timeout: 1500ms`));
    expect([set.hasKms, set.graceMs]).toEqual([true, 3000]);
    expect(parse(kms(KMS)).graceMs).toBe(6000);
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
    [kms(''), /providers\[0\].kms.name: Required value: name is a mandatory field for a provider; .*endpoint: Invalid/],
    [kms('name: a, endpoint: "unix:///a"'), /kms: KMSv1 is deprecated and will only receive security updates going/],
    [kms(KMS.replace('v2', 'v3')), /kms.apiVersion: Invalid value: "v3": unsupported apiVersion v3 for KMS provider/],
    [kms(KMS.replace('name: a', 'name: "a:b"')), /Invalid value: "a:b": invalid KMS provider name a:b, must not/],
    [
      kms(`${KMS}}}, {kms: {${KMS}`),
      /providers\[1\].kms.name: Invalid value: "a": duplicate KMS provider name a, names must be unique/,
    ],
    [kms(`${KMS}, timeout: 0s`), /kms.timeout: Invalid value: "0s": timeout should be a positive value/],
    [kms(`${KMS}, timeout: 5`), /kms.timeout: must be a string/],
    [kms(`${KMS}, timeout: 5 minutes`), /kms.timeout: time: unknown unit " minutes" in duration "5 minutes"/],
    [kms(`${KMS}, cachesize: 5`), /kms.cachesize: Invalid value: 5: cachesize is not supported in v2/],
    [kms('apiVersion: v2, name: a'), /kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms/],
    [
      kms(KMS.replace('unix', 'tcp')),
      /kms.endpoint: Invalid value: "tcp:\/\/\/run\/kms.sock": unsupported scheme "tcp" for KMS provider, only unix/,
    ],
    [kms(KMS.replace('unix://', '')), /unsupported scheme "" for KMS provider, only unix is supported/],
    [
      kms(KMS.replace('kms.sock', '%zz')),
      /invalid endpoint for kms provider, error: parse "unix:\/\/\/run\/%zz": invalid URL escape "%zz"/,
    ],
    [kms(KMS.replace('/run/kms.sock', '')), /invalid endpoint for kms provider, error: it has no path of a socket/],
    [kms(`${KMS}, retries: 3`), /unknown field "resources\[0\].providers\[0\].kms.retries"/],
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
