import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import type { AuthorizationMode } from '../kube/authorization-modes.ts';
import { createCa, issueServerCertificate } from '../pki/certificates.ts';
import { formatPrivateKeyPem, formatPublicKeyPem, generateKey } from '../pki/keys.ts';
import { type CompletedOptions, completeOptions } from './complete-options.ts';
import { nodePlatform } from './node/node-platform.ts';
import { type PartialOptions, type ServerOptions, serverOptions } from './options.ts';

let folder: string;
let open: CompletedOptions[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-options-'));
  open = [];
});

afterEach(() => {
  for (const completed of open) completed.release();
  rmSync(folder, { recursive: true });
});

async function complete(said: PartialOptions<ServerOptions> = {}): Promise<CompletedOptions> {
  const completed = await completeOptions(serverOptions({ dataDir: join(folder, 'data'), ...said }), nodePlatform);
  open.push(completed);
  return completed;
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('completing options', () => {
  it('refuses an invalid --etcd-servers-overrides, and warns of one that is not used', async () => {
    await expect(complete({ etcd: { serversOverrides: ['events'] } })).rejects.toThrow(
      '--etcd-servers-overrides invalid, must be of format: group/resource#servers',
    );
    const { warnings } = await complete({ storage: 'memory', etcd: { serversOverrides: ['/events#http://a:1'] } });
    expect(warnings).toContain('--etcd-servers-overrides has no effect: the objects of this server are not in etcd');
  });

  it('makes keys and certificates by default, readable by their owner only', async () => {
    const completed = await complete();
    const pki = join(folder, 'data', 'pki');
    expect(readdirSync(pki)).toEqual(
      expect.arrayContaining(['ca.crt', 'apiserver.key', 'sa.key', 'front-proxy-ca.crt']),
    );
    for (const name of readdirSync(pki)) expect(statSync(join(pki, name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    expect(completed.tls.config.clientCa?.['client']).toBe(readFileSync(join(pki, 'ca.crt'), 'utf8'));
    expect(completed.kubeconfigFile).toBe(join(folder, 'data', 'admin.kubeconfig'));
    expect(completed.serviceAccounts.verifyingKeys.map(({ keyId }) => keyId)).toEqual([
      completed.serviceAccounts.signingKey.publicKey.keyId,
    ]);
  });

  it('uses the same keys on the next start', async () => {
    const first = await complete();
    first.release();
    const second = await complete();
    expect(second.tls.config).toEqual(first.tls.config);
    expect(second.tls.pki.written).toEqual([]);
  });

  it('refuses a locked data folder, and releases the lock after a failure', async () => {
    const first = await complete();
    await expect(complete()).rejects.toThrow('is already open in this process');
    first.release();
    await expect(complete({ authentication: { tokenFile: join(folder, 'absent') } })).rejects.toThrow(
      `--token-auth-file: the file ${join(folder, 'absent')} does not exist`,
    );
    await complete();
  });

  it('uses the pair in --cert-dir if it exists and makes it otherwise', async () => {
    const certDir = join(folder, 'certs');
    const made = await complete({ serving: { certDir } });
    expect(readdirSync(certDir).sort()).toEqual(['apiserver.crt', 'apiserver.key']);
    expect(made.tls.config.cert).toBe(readFileSync(join(certDir, 'apiserver.crt'), 'utf8'));
    made.release();

    const foreign = join(folder, 'foreign');
    const pair = await issueServerCertificate(await createCa({ commonName: 'other', clock: systemClock }), {
      clock: systemClock,
    });
    mkdirSync(foreign);
    write('foreign/apiserver.crt', pair.certificatePem);
    write('foreign/apiserver.key', pair.keyPem);
    const used = await complete({ serving: { certDir: foreign } });
    expect(used.tls.config.cert).toBe(pair.certificatePem);
    expect(used.tls.servingCaPem).toContain(pair.certificatePem.trim());
  });

  it('uses the files that flags name, and has no kubeconfig if --client-ca-file is set', async () => {
    const ca = await createCa({ commonName: 'other', clock: systemClock });
    const pair = await issueServerCertificate(ca, { clock: systemClock });
    const certFile = write('tls.crt', pair.certificatePem);
    const keyFile = write('tls.key', pair.keyPem);
    const completed = await complete({
      serving: { certFile, keyFile, sni: [{ certFile, keyFile, names: ['a.example'] }] },
      authentication: { clientCaFile: write('ca.crt', ca.certificatePem), tokenFile: write('tokens', 't,u,1\n') },
    });
    expect(completed.tls.config).toMatchObject({ cert: pair.certificatePem, sni: [{ names: ['a.example'] }] });
    expect(completed.tls.clientCaPem).toBe(ca.certificatePem);
    expect(completed.tokenFile?.text).toBe('t,u,1\n');
    expect(completed.kubeconfigFile).toBeUndefined();
    completed.release();
    await expect(complete({ serving: { certFile } })).rejects.toThrow('--tls-cert-file and --tls-private-key-file');
  });

  it('names the flag and the file if a file has no certificate or no key', async () => {
    const text = write('text', 'not PEM');
    const pair = await issueServerCertificate(await createCa({ commonName: 'other', clock: systemClock }), {
      clock: systemClock,
    });
    const certFile = write('tls.crt', pair.certificatePem);
    await expect(complete({ authentication: { clientCaFile: text } })).rejects.toThrow(
      `--client-ca-file: the file ${text} has no PEM block "CERTIFICATE"`,
    );
    await expect(complete({ serving: { certFile, keyFile: text } })).rejects.toThrow(
      `--tls-private-key-file: the file ${text} has no PEM block "PRIVATE KEY"`,
    );
  });

  it('verifies with keys and certificates, and always with its own signing key', async () => {
    const [one, two] = [await generateKey(), await generateKey()];
    const ca = await createCa({ commonName: 'x', clock: systemClock });
    const keyFiles = [write('one.pub', formatPublicKeyPem(one.publicKey)), write('ca.crt', ca.certificatePem)];
    const signingKeyFile = write('two.key', formatPrivateKeyPem(two));
    const given = await complete({ authentication: { serviceAccounts: { keyFiles, signingKeyFile } } });
    expect(given.serviceAccounts.signingKey.publicKey.keyId).toBe(two.publicKey.keyId);
    expect(given.serviceAccounts.verifyingKeys.map(({ keyId }) => keyId)).toEqual([
      one.publicKey.keyId,
      ca.key.publicKey.keyId,
    ]);
    given.release();
    const { serviceAccounts } = await complete({ authentication: { serviceAccounts: { keyFiles } } });
    expect(serviceAccounts.verifyingKeys.at(-1)?.keyId).toBe(serviceAccounts.signingKey.publicKey.keyId);
    expect(serviceAccounts.verifyingKeys).toHaveLength(3);
  });

  it('names the flag if its file contains no key', async () => {
    const empty = write('empty', 'nothing here');
    await expect(complete({ authentication: { serviceAccounts: { keyFiles: [empty] } } })).rejects.toThrow(
      `--service-account-key-file: ${empty}: data does not contain any valid`,
    );
    await expect(complete({ authentication: { serviceAccounts: { signingKeyFile: empty } } })).rejects.toThrow(
      `--service-account-signing-key-file: ${empty}: data does not contain a valid`,
    );
    await expect(complete({ authentication: { serviceAccounts: { issuers: [''] } } })).rejects.toThrow(
      '--service-account-issuer',
    );
  });

  it('warns of an audit log that stays empty and of a server that allows everything', async () => {
    const completed = await complete({ audit: { logPath: '-' }, authorizationModes: ['RBAC', 'AlwaysAllow'] });
    expect(completed.warnings.join('\n')).toMatch(/--audit-log-path is set without[\s\S]*AlwaysAllow/);
  });

  it('disables anonymous requests if everything is allowed', async () => {
    const anonymous = async (authorizationModes: readonly AuthorizationMode[]): Promise<boolean> => {
      const completed = await complete({ authorizationModes });
      completed.release();
      return completed.options.authentication.anonymous;
    };
    expect(await anonymous(['RBAC'])).toBe(true);
    expect(await anonymous(['RBAC', 'AlwaysAllow'])).toBe(false);
  });
});
