import { afterEach, expect, it } from 'vitest';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { Deferred } from '../base/deferred.ts';
import { GRPC, GrpcError } from '../base/grpc.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { EnvelopeProvider } from '../storage/encryption/kms/kms-provider.ts';
import { TestPlugin } from '../storage/encryption/kms/test-plugin.fixtures.ts';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import { completeOptions } from './complete-options.ts';
import type { ControlPlane } from './control-plane.ts';
import { nodePlatform } from './node/node-platform.ts';
import { serverOptions } from './options.ts';
import type { Platform } from './platform.ts';
import { startControlPlane } from './start.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');
const SECRETBOX = { secretbox: { keys: [{ name: 'k1', secret: KEY }] } };
const KMS = { kms: { apiVersion: 'v2', name: 'vault', endpoint: 'unix:///unused' } };
const MINUTE = 60_000;

function config(provider: object): string {
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets'], providers: [provider, { identity: {} }] }],
  });
}

let plane: ControlPlane | undefined;
const inner = { storage: createMemoryStorage() };

afterEach(async () => {
  await plane?.stop();
  plane = undefined;
});

async function start(text: string, change: Partial<Platform> = {}): Promise<void> {
  await begin(text, change);
  await plane?.ready;
}

/** Starts a server, which need not be ready. */
async function begin(text: string, change: Partial<Platform>, signal?: AbortSignal): Promise<void> {
  inner.storage = createMemoryStorage();
  const options = serverOptions({
    storage: 'memory',
    dataDir: '',
    controllers: [],
    serving: { port: 0 },
    encryption: { configFile: 'encryption.json' },
  });
  const completed = await completeOptions(options, { ...nodePlatform, readFile: async () => text, ...change });
  plane = await startControlPlane(completed, { storage: inner.storage, ...(signal && { signal }) });
}

/** A platform whose KMS plugins are this one. */
function withPlugin(plugin: TestPlugin, more: { readonly clock?: VirtualClock } = {}): Partial<Platform> {
  return {
    createProviderFactory: (host) => ({
      ...nodePlatform.createProviderFactory(host),
      kms: (settings) =>
        new EnvelopeProvider(settings, { ...host, ...more, service: plugin, close: async () => undefined }),
    }),
  };
}

async function send(method: string, target: string, body?: object): Promise<[status: number, text: string]> {
  const { status, body: answer } = await plane!.transport({
    method,
    target,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: encodeUtf8(JSON.stringify(body)) }),
  });
  const chunks: Uint8Array[] = [];
  if (answer instanceof Uint8Array) chunks.push(answer);
  else for await (const chunk of answer) chunks.push(chunk);
  return [status, decodeUtf8(concatBytes(chunks))];
}

async function stored(key: string): Promise<string> {
  const result = await inner.storage.get(key);
  return result.outcome === 'found' ? decodeUtf8(result.item.value) : result.outcome;
}

const SECRETS = '/api/v1/namespaces/default/secrets';
const PASSWORD = Buffer.from('hunter2').toString('base64');

it('the server stores Secrets encrypted, other objects as they are, and shows both', async () => {
  await start(config(SECRETBOX));
  const [created] = await send('POST', SECRETS, { metadata: { name: 'a' }, stringData: { password: 'hunter2' } });
  expect(created).toBe(201);
  expect((await send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } }))[0]).toBe(201);
  expect(await stored('registry/secrets/default/a')).toMatch(/^k8s:enc:secretbox:v1:k1:/);
  expect(await stored('registry/configmaps/default/a')).toMatch(/^\{"kind":"ConfigMap"/);
  expect((await send('GET', `${SECRETS}/a`))[1]).toContain(PASSWORD);
  expect((await send('GET', '/readyz/kms-providers'))[0]).toBe(404);
});

it('a KMS plugin encrypts Secrets; a rotated key is used by an update without a change; its failure is a 500', async () => {
  const plugin = new TestPlugin();
  const clock = new VirtualClock();
  await start(config(KMS), withPlugin(plugin, { clock }));
  const [, text] = await send('POST', SECRETS, { metadata: { name: 'a' }, stringData: { password: 'hunter2' } });
  const before = await stored('registry/secrets/default/a');
  expect(before).toMatch(/^k8s:enc:kms:v2:vault:/);
  expect((await send('GET', `${SECRETS}/a`))[1]).toContain(PASSWORD);
  for (const endpoint of ['healthz', 'readyz'])
    expect(await send('GET', `/${endpoint}/kms-providers`)).toEqual([200, 'ok']);
  expect((await send('GET', '/livez/kms-providers'))[0]).toBe(404);

  const secret = JSON.parse(text) as { metadata: { resourceVersion: string } };
  const put = async (): Promise<string> => {
    const [status, answer] = await send('PUT', `${SECRETS}/a`, secret);
    expect(status).toBe(200);
    secret.metadata.resourceVersion = (JSON.parse(answer) as typeof secret).metadata.resourceVersion;
    return secret.metadata.resourceVersion;
  };
  const revision = secret.metadata.resourceVersion;
  expect(await put()).toBe(revision);
  plugin.keyId = 'key-2';
  await clock.advance(MINUTE);
  expect(await put()).not.toBe(revision);
  expect(await stored('registry/secrets/default/a')).toContain('key-2');

  plugin.failure = new GrpcError(GRPC.unavailable, 'down', { progress: 'refused' });
  await clock.advance(4 * MINUTE);
  const [status, failure] = await send('POST', SECRETS, { metadata: { name: 'b' } });
  expect([status, JSON.parse(failure)]).toMatchObject([
    500,
    {
      reason: 'InternalError',
      message: expect.stringMatching(
        /^Internal error occurred: encryptedDEKSource with keyID hash "sha256:\w+" expired/,
      ),
    },
  ]);
  expect((await send('GET', `${SECRETS}/a`))[0]).toBe(200);
  expect(await send('GET', '/readyz/kms-providers')).toEqual([
    500,
    'internal server error: kms-provider-0: failed to perform status section of the healthz check for KMS Provider vault, error: down\n',
  ]);
  const [, metrics] = await send('GET', '/metrics');
  expect(metrics).toMatch(/apiserver_envelope_encryption_key_id_hash_total\{.*transformation_type="to_storage"\} 1/);
  expect(metrics).toContain('apiserver_envelope_encryption_dek_source_cache_size{provider_name="vault"} 2');
});

it('a configuration that cannot be used is refused at the start', async () => {
  await expect(start(config({ kms: { ...KMS.kms, apiVersion: 'v1' } }))).rejects.toThrow(/KMSv1 is deprecated/);
  const options = serverOptions({ storage: 'memory', dataDir: '', encryption: { reload: true } });
  await expect(completeOptions(options, nodePlatform)).rejects.toThrow(
    '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config',
  );
});

it('a server that waits for its KMS plugin stops at once', async () => {
  const plugin = new TestPlugin();
  plugin.failure = new GrpcError(GRPC.unavailable, 'down', { progress: 'refused' });
  await begin(config(KMS).replace('secrets', 'configmaps'), withPlugin(plugin));
  const { ready } = plane!;
  await plane!.stop();
  await expect(ready).rejects.toThrow('aborted');
});

it('a start that waits for the first answer of a KMS plugin ends with its signal, and closes the plugin', async () => {
  const plugin = new TestPlugin();
  const asked = new Deferred<void>();
  plugin.status = () => {
    asked.resolve();
    return new Promise(() => undefined);
  };
  const aborter = new AbortController();
  const starting = begin(config(KMS), withPlugin(plugin), aborter.signal);
  await asked.promise;
  aborter.abort(new Error('SIGTERM'));
  await expect(starting).rejects.toThrow('SIGTERM');
  await expect((async () => inner.storage.revision())()).rejects.toThrow('stopped');
});
