import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isConfigError } from '../base/errors.ts';
import { formatKubeconfig, type KubeconfigOptions, writeKubeconfig } from './kubeconfig.ts';

const OPTIONS: KubeconfigOptions = {
  server: 'https://127.0.0.1:6443',
  caPem: 'CA',
  credentials: { kind: 'certificate', certificatePem: 'CERT', keyPem: 'KEY' },
};

describe('a kubeconfig', () => {
  it('contains the server, its CA and the user', () => {
    expect(formatKubeconfig(OPTIONS)).toBe(`apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0E=
    server: https://127.0.0.1:6443
  name: keelson
contexts:
- context:
    cluster: keelson
    user: kubernetes-admin
  name: kubernetes-admin@keelson
current-context: kubernetes-admin@keelson
kind: Config
users:
- name: kubernetes-admin
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
`);
  });

  it('may contain a token, other names and a namespace', () => {
    const text = formatKubeconfig({
      ...OPTIONS,
      credentials: { kind: 'token', token: 'abc' },
      cluster: 'c',
      user: 'system:serviceaccount:a:b',
      namespace: 'a',
    });
    expect(text).toContain('    token: abc\n');
    expect(text).toContain('    namespace: a\n');
    expect(text).toContain('current-context: system:serviceaccount:a:b@c\n');
    expect(text).not.toContain('client-');
  });

  it('rejects a server that is not a URL', () => {
    for (const server of ['', '127.0.0.1:6443', 'ftp://x'])
      expect(() => formatKubeconfig({ ...OPTIONS, server })).toThrow(/is not the URL of a server/);
  });

  it('is written with mode 0600 and replaces an existing file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-kubeconfig-'));
    try {
      const path = join(folder, 'admin.conf');
      await writeFile(path, 'old', { mode: 0o644 });
      await writeKubeconfig(path, OPTIONS);
      expect(await readFile(path, 'utf8')).toBe(formatKubeconfig(OPTIONS));
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readdir(folder)).toEqual(['admin.conf']);
      await expect(writeKubeconfig(join(folder, 'no', 'such'), OPTIONS)).rejects.toSatisfy(isConfigError);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
