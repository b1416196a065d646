import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../src/base/bytes.ts';
import { systemClock } from '../../src/base/clock.ts';
import { GRPC, type GrpcChannel, type GrpcChannelOptions, GrpcError } from '../../src/base/grpc.ts';
import { openGrpcChannel } from '../../src/node/grpc/grpc-channel.ts';
import { IGNORING_OBSERVER } from '../../src/storage/encryption/kms/kms-observer.ts';
import { PluginClient } from '../../src/storage/encryption/kms/plugin-client.ts';
import { type ServedPlugin, servePlugin, TestPlugin } from '../../src/storage/encryption/kms/test-plugin.fixtures.ts';

let folder: string;
let plugin: TestPlugin;
let served: ServedPlugin | undefined;
const clients: PluginClient[] = [];
const codes: string[] = [];

function client(timeoutMs = 10_000, socketPath = join(folder, 'kms.sock')): PluginClient {
  const observer = {
    ...IGNORING_OBSERVER,
    onCall: (...[, method, , code]: [string, string, number, string]) => void codes.push(`${method} ${code}`),
  };
  const openChannel = async (options: GrpcChannelOptions): Promise<GrpcChannel> => openGrpcChannel(options);
  const made = new PluginClient({ name: 'vault', socketPath, timeoutMs, clock: systemClock, openChannel, observer });
  clients.push(made);
  return made;
}

async function serve(): Promise<void> {
  served = await servePlugin(plugin, join(folder, 'kms.sock'));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-kms-'));
  plugin = new TestPlugin();
  codes.length = 0;
});

afterEach(async () => {
  for (const each of clients.splice(0)) await each.close();
  await served?.stop();
  served = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe('the client of a KMS plugin', () => {
  it('speaks to it over its socket', async () => {
    await serve();
    const kms = client();
    plugin.annotations = new Map([['region.example.com', encodeUtf8('west')]]);
    expect(await kms.status()).toEqual({ version: 'v2', healthz: 'ok', keyId: 'key-1' });
    const encrypted = await kms.encrypt(encodeUtf8('seed'), 'uid');
    expect(encrypted).toMatchObject({ keyId: 'key-1' });
    expect(Buffer.from(encrypted.annotations.get('region.example.com')!).toString()).toBe('west');
    expect(Buffer.from(await kms.decrypt(encrypted, 'uid')).toString()).toBe('seed');
    expect(codes).toEqual([
      '/v2.KeyManagementService/Status OK',
      '/v2.KeyManagementService/Encrypt OK',
      '/v2.KeyManagementService/Decrypt OK',
    ]);
  });

  it('fails with the status of the plugin', async () => {
    await serve();
    plugin.failure = new GrpcError(GRPC.permissionDenied, 'the token has expired', { progress: 'refused' });
    await expect(client().status()).rejects.toThrow(
      /^rpc error: code = PermissionDenied desc = the token has expired$/,
    );
    expect(codes).toEqual(['/v2.KeyManagementService/Status PermissionDenied']);
  });

  it('fails when the plugin does not answer in time', async () => {
    await serve();
    plugin.servedAs = 'silent';
    await expect(client(50).status()).rejects.toThrow(
      /^rpc error: code = DeadlineExceeded desc = unix:.*: no answer within 50 ms$/,
    );
  });

  it.each([
    ['garbage', /code = Internal desc = the plugin sent an invalid message: unexpected EOF/],
    ['another server', /code = Unavailable desc = unix:.*: the answer is HTTP 404: this is not a gRPC server/],
  ] as const)('fails on a socket that serves %s', async (servedAs, message) => {
    await serve();
    plugin.servedAs = servedAs;
    await expect(client().status()).rejects.toThrow(message);
  });

  it('says which socket is missing', async () => {
    await expect(client(150).status()).rejects.toThrow(
      /code = Unavailable desc = unix:.*: connect ENOENT .*kms\.sock$/,
    );
  });

  it('waits for a plugin that starts, and connects again to one that was restarted', async () => {
    const kms = client();
    const waiting = kms.status();
    await serve();
    expect(await waiting).toMatchObject({ keyId: 'key-1' });
    await served?.stop();
    const again = kms.status();
    await serve();
    expect(await again).toMatchObject({ keyId: 'key-1' });
  });

  it('reaches a socket of the abstract namespace', async () => {
    const name = `keelson-kms-${process.pid}`;
    served = await servePlugin(plugin, `\0${name}`);
    expect(await client(10_000, `@${name}`).status()).toMatchObject({ keyId: 'key-1' });
  });

  it('ends calls when it is closed', async () => {
    const kms = client();
    const waiting = kms.status();
    const ended = expect(waiting).rejects.toThrow(/the provider is stopped/);
    await kms.close();
    await ended;
    await expect(kms.status()).rejects.toThrow(/the provider is stopped/);
  });
});
