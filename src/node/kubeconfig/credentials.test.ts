import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { readKubeconfig } from '../../client/kubeconfig.ts';
import type { CredentialSource } from '../client/server-transport.ts';
import { openCredentials } from './credentials.ts';

let folder: string;
let clock: VirtualClock;
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-credentials-'));
  clock = new VirtualClock();
  warnings = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text, { mode: 0o700 });
}

async function open(user: unknown, cluster: Record<string, unknown> = {}): Promise<CredentialSource> {
  const text = JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1', ...cluster } }],
    users: [{ name: 'u', user }],
  });
  const context = readKubeconfig([{ path: join(folder, 'config'), text }]);
  return openCredentials(context, { env: process.env, clock, warn: (message) => warnings.push(message) });
}

async function authorization(source: CredentialSource): Promise<unknown> {
  return (await source.current()).headers['authorization'];
}

describe('token files', () => {
  it('are read again after a minute', async () => {
    write('token', 'a\n');
    const source = await open({ tokenFile: 'token' });
    const first = await source.current();
    write('token', 'b');
    await clock.advance(59_999);
    expect(await source.current()).toBe(first);
    await clock.advance(1);
    expect(await authorization(source)).toBe('Bearer b');
    expect((await source.current()).trust).toBe(first.trust);
  });

  it('are read again at once after a 401', async () => {
    write('token', 'a');
    const source = await open({ tokenFile: 'token' });
    const first = await source.current();
    expect(await source.renew(first)).toBeUndefined();
    write('token', 'b');
    const renewed = await Promise.all([source.renew(first), source.renew(first)]);
    expect(renewed.map((one) => one?.headers['authorization'])).toEqual(['Bearer b', 'Bearer b']);
  });

  it('that cannot be read leave the token before them, with a warning', async () => {
    write('token', 'a');
    const source = await open({ tokenFile: 'token' });
    for (const break_ of [
      () => rmSync(join(folder, 'token')),
      () => write('token', ''),
      () => write('token', 'a\nb'),
    ]) {
      break_();
      await clock.advance(60_000);
      expect(await authorization(source)).toBe('Bearer a');
    }
    expect(warnings).toEqual([
      `the credentials of the context c stay: ${join(folder, 'config')} names ${join(folder, 'token')}, which does not exist`,
      'the credentials of the context c stay: the token file of the context c is empty',
      'the credentials of the context c stay: the token of the context c has characters that a header cannot contain',
    ]);
    write('token', 'c');
    await clock.advance(60_000);
    expect(await authorization(source)).toBe('Bearer c');
  });
});

describe('certificate files', () => {
  it('give another trust when they change, and only then', async () => {
    for (const name of ['ca', 'cert', 'key']) write(name, `${name} 1`);
    const source = await open({ 'client-certificate': 'cert', 'client-key': 'key' }, { 'certificate-authority': 'ca' });
    const first = await source.current();
    await clock.advance(60_000);
    expect(await source.current()).toBe(first);
    write('cert', 'cert 2');
    write('key', 'key 2');
    await clock.advance(60_000);
    expect((await source.current()).trust).toEqual({
      caPem: 'ca 1',
      clientCertificate: { cert: 'cert 2', key: 'key 2' },
    });
  });
});

/** A plugin that counts its runs, and prints the status in a file. */
function plugin(): Record<string, unknown> {
  write(
    'plugin',
    `#!/bin/sh
echo run >> ${folder}/runs
[ -e ${folder}/broken ] && exit 3
cat ${folder}/status
`,
  );
  return { exec: { command: './plugin', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' } };
}

function status(text: Record<string, unknown>): void {
  write('status', JSON.stringify({ kind: 'ExecCredential', status: text }));
}

function runs(): number {
  return readFileSync(join(folder, 'runs'), 'utf8').trim().split('\n').length;
}

describe('a credential plugin', () => {
  it('is run again before its credentials expire, once for all requests', async () => {
    const user = plugin();
    status({ token: 'a', expirationTimestamp: new Date(clock.now() + 100_000).toISOString() });
    const source = await open(user);
    status({ token: 'b' });
    await clock.advance(89_999);
    expect(await authorization(source)).toBe('Bearer a');
    await clock.advance(1);
    const seen = await Promise.all([1, 2, 3, 4].map(() => authorization(source)));
    expect(seen).toEqual(Array(4).fill('Bearer b'));
    await clock.advance(1e9);
    expect(await authorization(source)).toBe('Bearer b');
    expect(runs()).toBe(2);
  });

  it('is run again after a 401, once for all requests with those credentials, and not more often than every 10 s', async () => {
    const user = plugin();
    status({ token: 'a' });
    const source = await open(user);
    const first = await source.current();
    await clock.advance(10_000);
    status({ token: 'b' });
    const renewed = await Promise.all([1, 2, 3].map(() => source.renew(first)));
    expect(renewed.map((one) => one?.headers['authorization'])).toEqual(Array(3).fill('Bearer b'));
    // A request that was sent before the renewal.
    expect((await source.renew(first))?.headers['authorization']).toBe('Bearer b');
    expect(await source.renew(await source.current())).toBeUndefined();
    expect(runs()).toBe(2);
    await clock.advance(10_000);
    expect(await source.renew(await source.current())).toBeUndefined();
    expect(runs()).toBe(3);
    await clock.advance(10_000);
    write('broken', '');
    expect(await source.renew(await source.current())).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('ended with 3')]);
  });

  it('that fails leaves credentials that are still valid, and none that have expired', async () => {
    const user = plugin();
    status({ token: 'a', expirationTimestamp: new Date(clock.now() + 100_000).toISOString() });
    const source = await open(user);
    write('broken', '');
    await clock.advance(95_000);
    expect(await authorization(source)).toBe('Bearer a');
    expect(warnings).toEqual([expect.stringContaining('ended with 3')]);
    await clock.advance(5_000);
    await expect(source.current()).rejects.toThrow('/plugin ended with 3');
    rmSync(join(folder, 'broken'));
    status({ token: 'b' });
    expect(await authorization(source)).toBe('Bearer b');
  });

  it('may print a client certificate', async () => {
    const user = plugin();
    status({ clientCertificateData: 'cert', clientKeyData: 'key' });
    const source = await open(user);
    expect((await source.current()).trust.clientCertificate).toEqual({ cert: 'cert', key: 'key' });
  });

  it('must print credentials', async () => {
    const user = plugin();
    for (const [printed, message] of [
      [{}, 'printed neither a token nor a certificate'],
      [{ clientCertificateData: 'x' }, 'printed a certificate without its key'],
      [{ token: 'a', expirationTimestamp: 'soon' }, 'printed the expirationTimestamp "soon"'],
    ] as const) {
      status(printed);
      await expect(open(user)).rejects.toThrow(message);
    }
  });

  it('that needs a terminal is refused without one', async () => {
    const exec = { command: 'true', interactiveMode: 'Always' };
    await expect(open({ exec })).rejects.toThrow('the credential plugin true needs a terminal');
    await expect(open({ exec: { ...exec, interactiveMode: 'Maybe' } })).rejects.toThrow('not one of Always, IfAv');
  });
});
