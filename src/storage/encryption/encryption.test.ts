import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { createCipherProvider as createProvider } from './cipher-provider.ts';
import { Encryption, type EncryptionRules, type TransformationObserver } from './encryption.ts';
import { type CipherName, IDENTITY } from './provider.ts';

const secret = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill);
const CIPHERS: readonly CipherName[] = ['aescbc', 'aesgcm', 'secretbox'];
const KEY = 'registry/secrets/default/a';

function encryption(rules: EncryptionRules, observer?: TransformationObserver): Encryption {
  return new Encryption({
    rules,
    observer,
    resourceOf: (key) => {
      const [, resource = '', next = ''] = key.split('/');
      return resource.includes('.') ? { group: resource, resource: next } : { group: '', resource };
    },
    pathOf: (key) => `/${key}`,
  });
}

const VALUE = encodeUtf8('{"kind":"Secret"}');

describe('encryption of stored values', () => {
  it.each(CIPHERS)('by %s gives back the value, with the name of the key in its prefix', (name) => {
    const sealed = encryption(new Map([['secrets.', [createProvider(name, [{ name: 'k1', secret: secret(1) }])]]]));
    const stored = sealed.toStorage(VALUE, { key: KEY });
    expect(decodeUtf8(stored.subarray(0, 24))).toContain(`k8s:enc:${name}:v1:k1:`);
    expect(sealed.fromStorage(stored, { key: KEY })).toEqual({ value: VALUE, stale: false });
    stored[stored.byteLength - 1]! ^= 1;
    if (name !== 'aescbc') expect(() => sealed.fromStorage(stored, { key: KEY })).toThrow(/cannot be decrypted/);
    expect(() => sealed.fromStorage(stored.subarray(0, 30), { key: KEY })).toThrow(/shorter than the required size/);
  });

  it('by aesgcm belongs to the path of the value', () => {
    const sealed = encryption(new Map([['*.*', [createProvider('aesgcm', [{ name: 'k', secret: secret(1, 16) }])]]]));
    const stored = sealed.toStorage(VALUE, { key: KEY });
    expect(() => sealed.fromStorage(stored, { key: `${KEY}b` })).toThrow(/cannot be decrypted/);
  });

  it('marks values of another key or provider as stale', () => {
    const [old, next] = [
      { name: 'old', secret: secret(1) },
      { name: 'new', secret: secret(2) },
    ];
    const before = encryption(new Map([['secrets.', [createProvider('aescbc', [old])]]]));
    const after = encryption(
      new Map([['secrets.', [createProvider('secretbox', [next]), createProvider('aescbc', [next, old]), IDENTITY]]]),
    );
    const stored = before.toStorage(VALUE, { key: KEY });
    expect(after.fromStorage(stored, { key: KEY })).toEqual({ value: VALUE, stale: true });
    expect(after.fromStorage(VALUE, { key: KEY })).toEqual({ value: VALUE, stale: true });
    expect(after.fromStorage(after.toStorage(VALUE, { key: KEY }), { key: KEY })).toMatchObject({ stale: false });
    before.setRules(new Map([['secrets.', [IDENTITY]]]));
    expect(() => before.fromStorage(stored, { key: KEY })).toThrow(/no provider .* \(k8s:enc:aescbc:v1:old:\)/);
  });

  it('is reported by provider and by key, with the status of the reference', () => {
    const seen: string[] = [];
    let time = 0;
    const observer: TransformationObserver = {
      now: () => time++,
      transformed: (resource, direction, prefix, ms, status) =>
        void seen.push([resource.resource, direction, prefix, ms, status].join(' ')),
    };
    const take = (): string[] => seen.splice(0);
    const first = createProvider('secretbox', [{ name: 'k1', secret: secret(1) }]);
    const sealed = encryption(new Map([['secrets.', [first, IDENTITY]]]), observer);
    const stored = sealed.toStorage(VALUE, { key: KEY });
    expect(take()).toEqual(['secrets to_storage k1: 1 OK', 'secrets to_storage k8s:enc:secretbox:v1: 1 OK']);
    sealed.fromStorage(stored, { key: KEY });
    expect(take()).toEqual(['secrets from_storage k1: 1 OK', 'secrets from_storage k8s:enc:secretbox:v1: 1 OK']);
    sealed.fromStorage(VALUE, { key: KEY });
    expect(take()).toEqual(['secrets from_storage identity 1 OK']);
    const fail = (text: string): string[] => {
      expect(() => sealed.fromStorage(encodeUtf8(text), { key: KEY })).toThrow();
      return take();
    };
    expect(fail('k8s:enc:secretbox:v1:k2:x')).toEqual([
      'secrets from_storage unknown 1 unknown-non-grpc',
      'secrets from_storage k8s:enc:secretbox:v1: 1 unknown-non-grpc',
    ]);
    expect(fail('k8s:enc:secretbox:v1:k1:x')).toEqual([
      'secrets from_storage k1: 1 unknown-non-grpc',
      'secrets from_storage k8s:enc:secretbox:v1: 1 unknown-non-grpc',
    ]);
    expect(fail('k8s:enc:aescbc:v1:k1:x')).toEqual(['secrets from_storage unknown 1 unknown-non-grpc']);
    encryption(new Map([['secrets.', [IDENTITY]]]), observer).toStorage(VALUE, { key: KEY });
    expect(take()).toEqual(['secrets to_storage  1 OK']);
  });

  it('chooses the rule of the resource, then of its group, then of all', () => {
    const provider = (name: string) => [createProvider('aescbc', [{ name, secret: secret(3) }])];
    const chosen = encryption(
      new Map([
        ['secrets.', provider('one')],
        ['*.', provider('core')],
        ['*.*', provider('all')],
      ]),
    );
    const keyNameOf = (key: string) => decodeUtf8(chosen.toStorage(VALUE, { key })).split(':')[4];
    expect(['registry/secrets/a', 'registry/pods/a', 'registry/example.com/sails/a'].map(keyNameOf)).toEqual([
      'one',
      'core',
      'all',
    ]);
  });
});
