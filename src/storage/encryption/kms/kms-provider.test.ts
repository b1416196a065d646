import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';
import { GRPC, GrpcError } from '../../../base/grpc.ts';
import { SILENT } from '../../../base/logger.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { aesgcm } from '../cipher-provider.ts';
import type { Opened } from '../provider.ts';
import { encodeEncryptedObject, encodeKeySource } from './encrypted-object.ts';
import { IGNORING_OBSERVER } from './kms-observer.ts';
import { EnvelopeProvider } from './kms-provider.ts';
import { TestPlugin } from './test-plugin.fixtures.ts';

const PATH = '/registry/secrets/default/a';
const VALUE = encodeUtf8('{"kind":"Secret"}');
const SETTINGS = { name: 'vault', socketPath: '/unused', timeoutMs: 3000 };
const DOWN = new GrpcError(GRPC.unavailable, 'connect ENOENT', { progress: 'refused' });
const MINUTE = 60_000;

let clock: VirtualClock;
let plugin: TestPlugin;
let provider: EnvelopeProvider;
const providers: EnvelopeProvider[] = [];

function create(service = plugin): EnvelopeProvider {
  const made = new EnvelopeProvider(SETTINGS, {
    clock,
    logger: SILENT,
    observer: IGNORING_OBSERVER,
    service,
    close: async () => undefined,
  });
  providers.push(made);
  return made;
}

beforeEach(() => {
  clock = new VirtualClock();
  plugin = new TestPlugin();
  provider = create();
});

afterEach(async () => {
  for (const each of providers.splice(0)) await each.stop();
  expect(clock.pendingTimers).toBe(0);
});

async function open(by: EnvelopeProvider, stored: Uint8Array, path = PATH): Promise<Opened> {
  return by.open(stored, path);
}

describe('a KMS provider', () => {
  it('encrypts values of one seed without further calls, and reads them at once', async () => {
    await provider.start();
    const stored = provider.seal(VALUE, PATH);
    expect(decodeUtf8(stored)).toMatch(/^k8s:enc:kms:v2:vault:/);
    expect(provider.seal(VALUE, PATH)).not.toEqual(stored);
    expect(provider.open(stored, PATH)).toEqual({ outcome: 'ok', value: VALUE, isFirstKey: true });
    expect(plugin.calls).toEqual(['status', 'encrypt']);
  });

  it('asks the plugin once for a seed of another server', async () => {
    plugin.annotations = new Map([['region.example.com', encodeUtf8('west')]]);
    await provider.start();
    const stored = provider.seal(VALUE, PATH);
    const reader = create();
    const all = await Promise.all(Array.from({ length: 100 }, () => reader.open(stored, PATH)));
    expect(all.every(({ outcome }) => outcome === 'ok')).toBe(true);
    // A provider that was not started can decrypt. It has no current key id.
    expect(reader.open(stored, PATH)).toEqual({ outcome: 'ok', value: VALUE, isFirstKey: false });
    expect(plugin.calls.filter((call) => call === 'decrypt')).toHaveLength(1);
    expect(() => reader.seal(VALUE, PATH)).toThrow(
      /KMS provider vault has no key to encrypt with: it was not asked yet/,
    );
  });

  it('binds a value to its path, and leaves values of others alone', async () => {
    await provider.start();
    const stored = provider.seal(VALUE, PATH);
    expect(provider.open(stored, `${PATH}b`)).toMatchObject({ outcome: 'failed' });
    for (const other of ['{}', 'k8s:enc:kms:v2:vault2:x', 'k8s:enc:kms:v1:vault:x', 'k8s:enc:aescbc:v1:vault:x'])
      expect(provider.open(encodeUtf8(other), PATH)).toEqual({ outcome: 'other' });
    const cut = stored.subarray(0, 40);
    expect(provider.open(cut, PATH)).toMatchObject({ outcome: 'failed', reason: /EncryptedObject/ as unknown });
  });

  it('reads values whose key is not derived, as Kubernetes wrote them before 1.29, and calls them outdated', async () => {
    await provider.start();
    const key = new Uint8Array(32).fill(3);
    const { ciphertext: encrypted, keyId, annotations } = await plugin.encrypt(key);
    const source = encodeKeySource({ type: 0, keyId, encrypted, annotations });
    const stored = encodeEncryptedObject(encodeUtf8('k8s:enc:kms:v2:vault:'), aesgcm(key).seal(VALUE, PATH), source);
    expect(await open(provider, stored)).toEqual({ outcome: 'ok', value: VALUE, isFirstKey: false });
  });

  it('refuses a decrypted seed that is too short', async () => {
    const { ciphertext: encrypted, keyId, annotations } = await plugin.encrypt(new Uint8Array(31));
    const source = encodeKeySource({ type: 1, keyId, encrypted, annotations });
    const stored = encodeEncryptedObject(encodeUtf8('k8s:enc:kms:v2:vault:'), VALUE, source);
    expect(await open(provider, stored)).toMatchObject({
      outcome: 'unavailable',
      reason: 'failed to decrypt DEK, error: invalid seed length 31 used for key generation',
    });
  });
});

describe('the key of a KMS provider', () => {
  it('is used until the plugin reports another key id', async () => {
    await provider.start();
    const before = provider.seal(VALUE, PATH);
    await clock.advance(10 * MINUTE);
    expect(plugin.calls.filter((call) => call === 'encrypt')).toHaveLength(1);
    expect(plugin.calls.filter((call) => call === 'status')).toHaveLength(11);
    plugin.keyId = 'key-2';
    expect(provider.open(before, PATH)).toMatchObject({ outcome: 'ok', isFirstKey: true });
    await clock.advance(MINUTE);
    expect(provider.open(before, PATH)).toMatchObject({ outcome: 'ok', isFirstKey: false });
    expect(provider.open(provider.seal(VALUE, PATH), PATH)).toMatchObject({ isFirstKey: true });
    expect(await create().check()).toBeUndefined();
  });

  it('expires for writes three minutes after the last healthy status, and comes back without another seed', async () => {
    await provider.start();
    const stored = provider.seal(VALUE, PATH);
    plugin.failure = DOWN;
    await clock.advance(3 * MINUTE - 1);
    provider.seal(VALUE, PATH);
    await clock.advance(2);
    expect(() => provider.seal(VALUE, PATH)).toThrow(
      /^encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at 2030-01-01T00:03:00Z \(current time is 2030-01-01T00:03:00Z\)$/,
    );
    expect(provider.open(stored, PATH)).toMatchObject({ outcome: 'ok', isFirstKey: true });
    plugin.failure = undefined;
    await clock.advance(10_000);
    provider.seal(VALUE, PATH);
    expect(plugin.calls.filter((call) => call === 'encrypt')).toHaveLength(1);
  });

  it('is asked for every ten seconds while the plugin is down at the start', async () => {
    plugin.failure = DOWN;
    await provider.start();
    expect(await provider.check()).toBe(
      'failed to perform status section of the healthz check for KMS Provider vault, error: connect ENOENT',
    );
    expect(() => provider.seal(VALUE, PATH)).toThrow(
      /KMS provider vault has no key to encrypt with: failed to perform/,
    );
    await clock.advance(MINUTE);
    expect(plugin.calls).toHaveLength(7);
    plugin.failure = undefined;
    await clock.advance(10_000);
    expect(await provider.check()).toBeUndefined();
    provider.seal(VALUE, PATH);
  });

  it.each<[string, (plugin: TestPlugin) => void, string | RegExp]>([
    [
      'that encrypts with another key',
      (each) => {
        each.encryptsAs = 'other';
      },
      /failed to rotate DEK: the plugin encrypted with keyID hash "sha256:\w+", its status has "sha256:\w+"$/,
    ],
    [
      'with an empty key id',
      (each) => {
        each.keyId = '';
      },
      'kmsv2 Provider vault is not healthy, error: got invalid KMSv2 KeyID hash "": keyID is empty',
    ],
    [
      'with a long key id',
      (each) => {
        each.keyId = 'k'.repeat(1025);
      },
      /keyID is 1025 bytes, which exceeds the max size of 1024$/,
    ],
    [
      'with large annotations',
      (each) => {
        each.annotations = new Map([['a.example.com', new Uint8Array(33_000)]]);
      },
      /failed to rotate DEK: failed to validate annotations: total size of annotations is 33013, which exceeds/,
    ],
    [
      'of another version',
      (each) => {
        each.version = 'v1';
      },
      'kmsv2 Provider vault is not healthy, error: expected KMSv2 API version v2, got v1',
    ],
    [
      'that is sick in two ways',
      (each) => {
        each.healthz = 'no token';
        each.keyId = '';
      },
      'kmsv2 Provider vault is not healthy, error: [got unexpected healthz status: no token, got invalid KMSv2 KeyID hash "": keyID is empty]',
    ],
  ])('is not taken from a plugin %s', async (_, spoil, reason) => {
    await provider.start();
    const before = provider.seal(VALUE, PATH);
    plugin.keyId = 'key-2';
    spoil(plugin);
    await clock.advance(MINUTE);
    expect(await provider.check()).toMatch(reason);
    // The current key encrypts until it expires.
    expect(await open(create(), provider.seal(VALUE, PATH))).toMatchObject({ outcome: 'ok' });
    expect(await open(provider, before)).toMatchObject({ outcome: 'ok' });
  });

  it('is checked once for requests at the same time, and a result counts for some seconds', async () => {
    await Promise.all([provider.check(), provider.check()]);
    await clock.advance(19_999);
    await provider.check();
    expect(plugin.calls).toEqual(['status', 'encrypt']);
    plugin.failure = DOWN;
    await clock.advance(1);
    await provider.check();
    await clock.advance(2_999);
    await provider.check();
    expect(plugin.calls).toHaveLength(3);
    await clock.advance(1);
    await provider.check();
    expect(plugin.calls).toHaveLength(4);
  });

  it('may not change the version of the plugin', async () => {
    await provider.start();
    plugin.version = 'v2beta1';
    await clock.advance(MINUTE);
    expect(await provider.check()).toMatch(
      /should not change after the initial status response version v2, got v2beta1$/,
    );
  });
});

describe('a seed that cannot be decrypted', () => {
  it('is asked for again after a second, not for each value', async () => {
    await provider.start();
    const stored = provider.seal(VALUE, PATH);
    const reader = create();
    plugin.failure = DOWN;
    for (let i = 0; i < 5; i++)
      expect(await open(reader, stored)).toEqual({
        outcome: 'unavailable',
        reason: 'failed to decrypt DEK, error: connect ENOENT',
        code: 'Unavailable',
      });
    const decryptions = (): number => plugin.calls.filter((call) => call === 'decrypt').length;
    expect(decryptions()).toBe(1);
    plugin.failure = undefined;
    await clock.advance(1_000);
    expect(await open(reader, stored)).toMatchObject({ outcome: 'ok' });
    expect(decryptions()).toBe(2);
  });
});
