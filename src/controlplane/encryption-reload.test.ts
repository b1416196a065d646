import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { Deferred } from '../base/deferred.ts';
import { GRPC, GrpcError } from '../base/grpc.ts';
import { SILENT } from '../base/logger.ts';
import { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { Health } from '../server/health.ts';
import { StoredForms } from '../server/registry/stored-forms.ts';
import { EnvelopeProvider } from '../storage/encryption/kms/kms-provider.ts';
import { TestPlugin } from '../storage/encryption/kms/test-plugin.fixtures.ts';
import { createEncryptionMetrics } from './encryption-metrics.ts';
import { nodePlatform } from './node/node-platform.ts';
import { StoredEncryption } from './stored-encryption.ts';

const KEY = 'registry/example.com/things/a';
const VALUE = encodeUtf8('{}');
const MINUTE = 60_000;
const secret = Buffer.alloc(32, 1).toString('base64');
const secretbox = (...names: string[]): object => ({ secretbox: { keys: names.map((name) => ({ name, secret })) } });
const kms = (name: string): object => ({ kms: { apiVersion: 'v2', name, endpoint: `unix:///${name}` } });

function config(...providers: object[]): string {
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['things.example.com'], providers }],
  });
}

let clock: VirtualClock;
let plugin: TestPlugin;
let file: string | undefined;
let registry: MetricRegistry;
let encryption: StoredEncryption;
const closed: string[] = [];

/** The encryption of a server that has started with this file. */
async function start(text: string): Promise<void> {
  file = text;
  const metrics = createEncryptionMetrics(clock, 'apiserver-a');
  const host = { clock, logger: SILENT, observer: metrics };
  encryption = new StoredEncryption({
    config: { path: 'e', text },
    reload: true,
    forms: new StoredForms({ scope: 'registry', mediaType: 'application/json' }),
    prefix: '/registry',
    factory: {
      ...nodePlatform.createProviderFactory(host),
      kms: (settings) =>
        new EnvelopeProvider(settings, {
          ...host,
          service: plugin,
          close: async () => void closed.push(settings.name),
        }),
    },
    metrics,
    readFile: async () => file,
    clock,
    logger: SILENT,
  });
  const hooks: (() => Promise<void>)[] = [];
  encryption.attach({
    health: new Health({ clock }),
    metricRegistry: registry,
    addPostStartHook: (names, hook) => {
      expect(names).toEqual(['start-encryption-provider-config-automatic-reload']);
      hooks.push(hook);
    },
  });
  await encryption.start();
  for (const hook of hooks) await hook();
}

/** Starts with a plugin that is down, and reports whether the server may write after each number of seconds. */
async function writableAfter(seconds: readonly number[], text: string): Promise<readonly boolean[]> {
  plugin.failure = new GrpcError(GRPC.unavailable, 'down', { progress: 'refused' });
  await start(text);
  let isWritable = false;
  void encryption.untilWritable(new AbortController().signal).then(() => {
    isWritable = true;
  });
  const seen: boolean[] = [];
  for (const each of seconds) {
    await clock.advance(each * 1000);
    seen.push(isWritable);
    plugin.failure = each > 20 ? plugin.failure : undefined;
  }
  return seen;
}

function keyName(): string | undefined {
  return decodeUtf8(encryption.transformer.toStorage(VALUE, { key: KEY })).split(':')[4];
}

function reloads(status: string): number {
  const line = registry
    .print()
    .split('\n')
    .find((each) => each.includes(`automatic_reloads_total{`) && each.includes(`"${status}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

beforeEach(() => {
  clock = new VirtualClock();
  plugin = new TestPlugin();
  registry = new MetricRegistry();
  closed.length = 0;
});

afterEach(async () => {
  await encryption.stop();
  expect(clock.pendingTimers).toBe(0);
});

describe('a changed encryption configuration', () => {
  it('is used within a minute, and reads the values of the former one that it has the keys of', async () => {
    await start(config(secretbox('k1')));
    const stored = encryption.transformer.toStorage(VALUE, { key: KEY });
    expect(keyName()).toBe('k1');
    file = config(secretbox('k2', 'k1'));
    await clock.advance(MINUTE);
    expect(keyName()).toBe('k2');
    expect(await encryption.transformer.fromStorage(stored, { key: KEY })).toMatchObject({ stale: true });
    expect([reloads('success'), reloads('failure')]).toEqual([1, 0]);
    expect(registry.print()).toMatch(/last_config_info\{.*hash="sha256:[0-9a-f]{64}"\} 1/);
  });

  it.each([
    ['invalid', 'not a configuration'],
    ['missing', undefined],
  ])('is not used if the file is %s', async (_, text) => {
    await start(config(secretbox('k1')));
    file = text;
    await clock.advance(MINUTE);
    expect(keyName()).toBe('k1');
    expect([reloads('success'), reloads('failure')]).toEqual([0, 1]);
    file = config(secretbox('k2'));
    await clock.advance(MINUTE);
    expect(keyName()).toBe('k2');
  });

  it('is not used before its KMS plugin is healthy, and the former plugin is left after its calls', async () => {
    await start(config(kms('old')));
    plugin.failure = new GrpcError(GRPC.unavailable, 'down', { progress: 'refused' });
    file = config(kms('new'), kms('old'));
    await clock.advance(MINUTE + 15_000);
    expect(keyName()).toBe('old');
    expect(reloads('failure')).toBe(1);
    expect(registry.print()).toContain('apiserver_storage_data_key_generation_duration_seconds_count 1\n');
    expect(registry.print()).toContain('apiserver_storage_envelope_transformation_cache_misses_total 0\n');
    expect(closed).toEqual(['new', 'old']);
    plugin.failure = undefined;
    await clock.advance(2 * MINUTE);
    expect(keyName()).toBe('new');
    expect(reloads('success')).toBe(1);
    expect(closed).toEqual(['new', 'old', 'old']);
  });
});

describe('a server that starts before its KMS plugin', () => {
  it('waits for the plugin to write its objects', async () => {
    expect(await writableAfter([1, 9], config(kms('vault')))).toEqual([false, true]);
  });

  it('goes on after 30 seconds, so that the writes fail with the reason', async () => {
    expect(await writableAfter([29, 2], config(kms('vault')))).toEqual([false, true]);
  });

  it('stops waiting at once when it is stopped, also during a call to the plugin', async () => {
    plugin.failure = new GrpcError(GRPC.unavailable, 'down', { progress: 'refused' });
    await start(config(kms('vault')));
    const between = new AbortController();
    const waiting = encryption.untilWritable(between.signal);
    await clock.advance(50);
    between.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await clock.advance(5000);
    const answer = new Deferred<never>();
    plugin.status = () => answer.promise;
    const during = new AbortController();
    const calling = encryption.untilWritable(during.signal);
    await clock.advance(50);
    during.abort(new Error('stopped'));
    await expect(calling).rejects.toThrow('stopped');
    answer.reject(new Error('late'));
  });

  it('does not wait if only Secrets are encrypted', async () => {
    expect(await writableAfter([0], config(kms('vault')).replace('things.example.com', 'secrets'))).toEqual([true]);
  });
});
