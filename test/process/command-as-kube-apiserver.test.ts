import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Server, useCommand } from './command.fixtures.ts';

const command = useCommand('kube-apiserver');

describe('as the kube-apiserver of another program', () => {
  /** The flags that envtest of controller-runtime passes. */
  const envtestFlags = (certDir: string, etcdUrl = 'http://127.0.0.1:2379'): string[] => [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${certDir}`,
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=${etcdUrl}`,
    '--secure-port=0',
    '--service-account-issuer=https://127.0.0.1:0/',
    '--service-cluster-ip-range=10.0.0.0/24',
  ];

  /** Starts an etcd of `keelson envtest`, which stores nothing. */
  async function startEtcd(
    program: string,
    ...args: string[]
  ): Promise<{ readonly etcd: Server; readonly url: string }> {
    const etcd = command.spawn([...args, '--data-dir=x', '--listen-client-urls=http://127.0.0.1:0'], { program });
    while (!etcd.errors.includes('\n')) await once(etcd.child.stderr as NodeJS.EventEmitter, 'data');
    return { etcd, url: /http:\S+/.exec(etcd.errors)?.[0] as string };
  }

  async function startAs(program: string, ...args: string[]): Promise<Server> {
    const server = command.spawn(args, { program });
    await server.started();
    return server;
  }

  function warnings({ errors }: Server): string[] {
    const lines = errors.trimEnd().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as { level: string; msg: string });
    return parsed.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
  }

  it.each(['link', 'shim'])(
    'starts from a %s beside the etcd of keelson envtest, writes to --cert-dir only, and says where the objects are',
    async (how) => {
      const program = join(command.folder, 'kube-apiserver');
      if (how === 'link') symlinkSync(command.program, program);
      else writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${command.program} "$@"\n`, { mode: 0o755 });
      const certDir = join(command.folder, 'certs');
      const { etcd, url } = await startEtcd(command.program, 'envtest-etcd');
      const server = await startAs(program, ...envtestFlags(certDir, url));
      expect(await command.client(server, 'nobody').send('GET', '/healthz')).toEqual({ status: 200, text: 'ok' });
      for (const { child } of [server, etcd]) child.kill('SIGTERM');
      expect([await server.exited, await etcd.exited]).toEqual([0, 0]);
      expect(readdirSync(command.folder).sort()).toEqual(['certs', 'kube-apiserver']);
      expect(warnings(server)).toEqual([
        'flags of kube-apiserver without effect here: --allow-privileged',
        expect.stringContaining(
          `--etcd-servers=${url} is not used; objects are stored in the folder ${certDir}/keelson`,
        ),
      ]);
    },
  );

  it('starts from the folder of keelson envtest, beside an etcd that answers health checks', async () => {
    const assets = join(command.folder, 'assets');
    const printed = execFileSync(process.execPath, [command.program, 'envtest', 'assets'], {
      cwd: command.folder,
      encoding: 'utf8',
    });
    expect(printed).toContain(`export KUBEBUILDER_ASSETS=${assets}\n`);
    for (const name of ['etcd', 'kube-apiserver'])
      expect(execFileSync(join(assets, name), ['--help'], { encoding: 'utf8' })).not.toMatch(/^\s*--insecure-port\b/m);

    const { etcd, url } = await startEtcd(join(assets, 'etcd'));
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { health: 'true', reason: '' }]);
    expect((await fetch(`${url}/v3/kv/range`)).status).toBe(404);

    const server = await startAs(join(assets, 'kube-apiserver'), ...envtestFlags(join(command.folder, 'certs')));
    expect(await command.client(server, 'nobody').send('GET', '/healthz')).toEqual({ status: 200, text: 'ok' });
    expect(warnings(server).at(-1)).toContain('objects are kept in memory until this process ends');
    for (const { child } of [server, etcd]) child.kill('SIGTERM');
    expect([await server.exited, await etcd.exited]).toEqual([0, 0]);
  });

  it('prints the version of Kubernetes from a link called kube-apiserver', () => {
    const program = join(command.folder, 'kube-apiserver');
    symlinkSync(command.program, program);
    expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toMatch(/^Kubernetes v1\.36\.3\+keelson\S+\n$/);
  });

  it('reports the version that --version sets', async () => {
    const server = await command.start('--storage=memory', '--version=v1.36.3-custom');
    const { text } = await command.client(server).send('GET', '/version');
    expect(JSON.parse(text)).toMatchObject({ gitVersion: 'v1.36.3-custom' });
  });
});
