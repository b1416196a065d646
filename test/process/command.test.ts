import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../source-graph.ts';
import { CONFIG_MAPS, useCommand } from './command.fixtures.ts';

const command = useCommand('start');

/** Returns the command lines in the README and their output. */
function transcripts(): { command: string; output: string[] }[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```console\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  const found: { command: string; output: string[] }[] = [];
  for (const line of blocks.join('').trimEnd().split('\n')) {
    if (line.startsWith('$ ')) found.push({ command: line.slice(2), output: [] });
    else found.at(-1)?.output.push(line);
  }
  return found;
}

/** Replaces the parts of a line that differ between starts. */
function plain(line: string): string {
  return line
    .replace(/Keelson \d\S*/, 'Keelson VERSION')
    .replace(/https:\/\/127\.0\.0\.1:\d+/, 'URL')
    .replace(/ready in \d+ ms/, 'ready in N ms')
    .replace(/KUBECONFIG=\S*\.keelson/, 'KUBECONFIG=.keelson')
    .replace(/ +\d+s$/, ' AGE');
}

/** Prints a Table as kubectl does, without wide columns. */
function printTable(text: string): string[] {
  const table = JSON.parse(text) as {
    columnDefinitions: { name: string; priority: number }[];
    rows: { cells: unknown[] }[];
  };
  const shown = table.columnDefinitions.flatMap(({ priority }, index) => (priority === 0 ? [index] : []));
  const lines = [
    shown.map((index) => (table.columnDefinitions[index]?.name ?? '').toUpperCase()),
    ...table.rows.map(({ cells }) => shown.map((index) => String(cells[index]))),
  ];
  const widths = shown.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line.map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 3))).join(''),
  );
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const FLAGS = ['--secure-port=0', '--storage=memory', '--allow-privileged'];

describe('keelson', () => {
  it('starts as the README shows', async () => {
    const [started, exported, listed, created] = transcripts();
    expect(started?.command).toBe('npx keelson');
    const server = await command.start();
    const lines = await server.started();
    expect(lines.map(plain)).toEqual(started?.output.map(plain));

    const next = lines.filter((line) => line.startsWith('  ')).map((line) => plain(line.trim()));
    expect(next).toEqual([exported, listed, created].map((one) => plain(one?.command ?? '')));

    const admin = command.client(server);
    const namespaces = await admin.send('GET', '/api/v1/namespaces?limit=500', undefined, TABLE);
    expect(printTable(namespaces.text).map(plain)).toEqual(listed?.output.map(plain));
    const hello = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello' }, data: { greeting: 'ahoy' } };
    const answer = await admin.send('POST', CONFIG_MAPS, hello);
    expect(`configmap/hello ${answer.status === 201 ? 'created' : answer.text}`).toBe(created?.output.join('\n'));
  });

  it('writes files that only their owner can read, and logs in JSON without secrets', async () => {
    const server = await command.start('--allow-privileged', '--kubelet-port=10250', '-v=4');
    const kubeconfig = join(command.folder, '.keelson', 'admin.kubeconfig');
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    expect(statSync(join(command.folder, '.keelson')).mode & 0o777).toBe(0o700);
    await command.client(server).send('GET', '/api');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const log = server.errors
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; msg: string });
    const warnings = log.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    expect(warnings).toEqual(['flags of kube-apiserver without effect here: --allow-privileged, --kubelet-port']);
    expect(server.errors + server.output).not.toMatch(/PRIVATE KEY|Bearer |eyJ/);
  });

  it('shows an address that can be used, and says that memory is memory', async () => {
    const server = await command.start('--storage=memory', '--bind-address=0.0.0.0');
    expect(server.output).toMatch(/serves the Kubernetes API at https:\/\/127\.0\.0\.1:\d+ /);
    expect(server.output + server.errors).not.toContain('0.0.0.0');
    expect(server.output).toContain('Objects are in memory only: they are lost when it stops.');
    expect((await command.client(server).send('GET', '/readyz')).status).toBe(200);
  });

  it('writes nothing but JSON lines if both streams are one pipe', async () => {
    const server = command.spawn(FLAGS, { shell: 'exec "$0" "$@" 2>&1' });
    await server.until('"msg":"ready"');
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const lines = server.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; url?: string });
    expect(lines.map(({ msg }) => msg)).toEqual([
      'flags of kube-apiserver without effect here: --allow-privileged',
      'ready',
      'stopping',
      'stopped',
    ]);
    expect(lines[1]?.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  });

  // The program script of util-linux makes a terminal.
  it.skipIf(process.platform !== 'linux').each([
    ['with colours', {}, '\u001b[33mwarn \u001b[39m flags of kube-apiserver'],
    ['without colours if NO_COLOR is set', { NO_COLOR: '1' }, ' warn  flags of kube-apiserver'],
  ])('prints the start message once to a terminal, and short log lines %s', async (_, env, warning) => {
    const server = command.spawn(FLAGS, {
      shell: `exec script -qec "$(printf "'%s' " "$0" "$@")" /dev/null`,
      env: { NO_COLOR: '', TERM: 'xterm', ...env },
    });
    await server.started();
    // Ctrl-C at the terminal.
    server.child.stdin?.write('\u0003');
    await server.exited;
    expect(server.output).toContain(warning);
    expect(server.output.split('https://127.0.0.1:')).toHaveLength(2);
    expect(server.output).not.toContain('"msg"');
    expect(server.output).toContain('stopped');
  });

  it('serves only health checks to anonymous clients', async () => {
    const nobody = command.client(await command.start('--storage=memory'), 'nobody');
    for (const path of ['/healthz', '/livez', '/readyz'])
      expect(await nobody.send('GET', path)).toEqual({ status: 200, text: 'ok' });
    expect((await nobody.send('GET', CONFIG_MAPS)).status).toBe(403);
    expect((await nobody.send('POST', '/healthz')).status).toBe(403);
  });

  it('reports in one sentence that a folder or a port is in use', async () => {
    const server = await command.start();
    const port = /127\.0\.0\.1:(\d+)/.exec(server.output)?.[1] as string;
    const sameFolder = command.spawn(['--secure-port=0']);
    const samePort = command.spawn([`--secure-port=${port}`, '--data-dir=elsewhere', '--storage=memory']);
    expect([await sameFolder.exited, await samePort.exited]).toEqual([2, 2]);
    expect(sameFolder.errors).toMatch(/^keelson: data folder \S+ is in use by process \d+: stop it first, .*\n$/);
    expect(samePort.errors).toMatch(
      new RegExp(`^keelson: --secure-port: cannot listen on 127.0.0.1:${port}: another program uses that port .*\n$`),
    );
    expect(sameFolder.output + samePort.output).toBe('');
  });
});
