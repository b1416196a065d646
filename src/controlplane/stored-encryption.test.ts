import { afterEach, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { SILENT } from '../base/logger.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { StoredForms } from '../server/registry/stored-forms.ts';
import { createProvider } from '../storage/encryption/providers.ts';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import { completeOptions } from './complete-options.ts';
import type { ControlPlane } from './control-plane.ts';
import { parseEncryptionConfig } from './encryption-config.ts';
import { nodePlatform } from './node/node-platform.ts';
import { serverOptions } from './options.ts';
import { startControlPlane } from './start.ts';
import { createEncryption, startEncryptionReload } from './stored-encryption.ts';

const key = (fill: number): string => Buffer.alloc(32, fill).toString('base64');
const config = (name: string): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      { resources: ['secrets'], providers: [{ secretbox: { keys: [{ name, secret: key(1) }] } }, { identity: {} }] },
    ],
  });

const parse = (text: string) => parseEncryptionConfig({ path: 'e', text }, createProvider);

let plane: ControlPlane | undefined;
afterEach(async () => {
  await plane?.stop();
  plane = undefined;
});

it('the server stores Secrets encrypted, other objects as they are, and shows both', async () => {
  const inner = createMemoryStorage();
  const options = serverOptions({
    storage: 'memory',
    dataDir: '',
    controllers: [],
    serving: { port: 0 },
    encryption: { configFile: 'encryption.json' },
  });
  const platform = { ...nodePlatform, readFile: async () => config('k1') };
  const completed = await completeOptions(options, platform);
  plane = await startControlPlane(completed, { storage: inner });
  await plane.ready;
  const post = async (plural: string, body: object): Promise<number> => {
    const { status } = await plane!.transport({
      method: 'POST',
      target: `/api/v1/namespaces/default/${plural}`,
      headers: { 'content-type': 'application/json' },
      body: encodeUtf8(JSON.stringify(body)),
    });
    return status;
  };
  expect(await post('secrets', { metadata: { name: 'a' }, stringData: { password: 'hunter2' } })).toBe(201);
  expect(await post('configmaps', { metadata: { name: 'a' } })).toBe(201);
  const stored = async (key: string): Promise<string> => {
    const result = await inner.get(key);
    return result.outcome === 'found' ? decodeUtf8(result.item.value) : result.outcome;
  };
  expect(await stored('registry/secrets/default/a')).toMatch(/^k8s:enc:secretbox:v1:k1:/);
  expect(await stored('registry/configmaps/default/a')).toMatch(/^\{"kind":"ConfigMap"/);
  const shown = await plane.transport({ method: 'GET', target: '/api/v1/namespaces/default/secrets/a' });
  expect(decodeUtf8(shown.body as Uint8Array)).toContain(Buffer.from('hunter2').toString('base64'));
});

it('a changed configuration is used within a minute, and an invalid one is not', async () => {
  const clock = new VirtualClock();
  const forms = new StoredForms({ scope: 'registry', mediaType: 'application/json' });
  const encryption = createEncryption(parse(config('k1')), forms, '/registry');
  encryption.setRules(parse(config('k1').replace('"secrets"', '"things.example.com"')));
  const files = ['not a configuration', config('k2').replace('"secrets"', '"things.example.com"')];
  const reload = startEncryptionReload({
    encryption,
    create: createProvider,
    path: 'e',
    text: config('k1'),
    readFile: async () => files.shift(),
    clock,
    logger: SILENT,
  });
  const keyName = (): string | undefined =>
    decodeUtf8(encryption.toStorage(encodeUtf8('{}'), { key: 'registry/example.com/things/a' })).split(':')[4];
  expect(keyName()).toBe('k1');
  await clock.advance(60_000);
  expect(keyName()).toBe('k1');
  await clock.advance(60_000);
  expect(keyName()).toBe('k2');
  await reload.stop();
});
