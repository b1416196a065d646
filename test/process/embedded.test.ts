import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../src/cli/program.ts';
import { type ControlPlane, startControlPlane } from '../../src/index.ts';

const before = process.cwd();
let folder: string;
let planes: ControlPlane[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'keelson-embedded-')));
  process.chdir(folder);
  planes = [];
});

afterEach(async () => {
  for (const plane of planes) await plane.stop();
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

async function start(...args: Parameters<typeof startControlPlane>): Promise<ControlPlane> {
  const plane = await startControlPlane(...args);
  planes.push(plane);
  return plane;
}

/** Returns the PEM texts in a kubeconfig. */
function credentialsOf(kubeconfig: string): { ca: string; cert: string; key: string } {
  const read = (name: string): string =>
    Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64').toString();
  return {
    ca: read('certificate-authority-data'),
    cert: read('client-certificate-data'),
    key: read('client-key-data'),
  };
}

async function send(plane: ControlPlane, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const outgoing = request(`${plane.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...credentialsOf(plane.kubeconfigText ?? ''),
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode, text };
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('a control plane in memory without a data folder', () => {
  it('writes nothing to disk, and several run at the same time', async () => {
    const started = await Promise.all([start({ storage: 'memory' }), start({ storage: 'memory' })]);
    const [one, two] = started as [ControlPlane, ControlPlane];
    expect(one.url).not.toBe(two.url);
    expect([one.kubeconfig, two.kubeconfig]).toEqual([undefined, undefined]);
    expect((await send(one, CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
    expect((await send(one, `${CONFIG_MAPS}/a`)).status).toBe(200);
    expect((await send(two, `${CONFIG_MAPS}/a`)).status).toBe(404);
    await one.stop();
    const three = await start({ storage: 'memory' });
    expect((await send(three, `${CONFIG_MAPS}/a`)).status).toBe(404);
    expect((await send(two, '/readyz')).text).toBe('ok');
    const authorities = [one, two, three].map(({ kubeconfigText }) => credentialsOf(kubeconfigText ?? '').ca);
    expect(new Set(authorities.map((pem) => new X509Certificate(pem).fingerprint256)).size).toBe(3);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('writes a kubeconfig where it is told to', async () => {
    const plane = await start({ storage: 'memory', kubeconfigFile: 'here.yaml' });
    expect(plane.kubeconfig).toBe(join(folder, 'here.yaml'));
    expect(readFileSync('here.yaml', 'utf8')).toBe(plane.kubeconfigText);
    expect(readdirSync(folder)).toEqual(['here.yaml']);
  });

  it('refuses a port that is in use, and unknown options, with a sentence', async () => {
    const { port } = await start({ storage: 'memory' });
    await expect(start({ storage: 'memory', serving: { port } })).rejects.toThrow(`${port}`);
    await expect(start({ storage: 'memory', servng: {} } as never)).rejects.toThrow(
      'unknown option servng: did you mean serving?',
    );
    await expect(start({ storage: 'memory' }, { loger: undefined } as never)).rejects.toThrow(
      'unknown option loger: did you mean logger?',
    );
    await expect(start({ dataDir: '' })).rejects.toThrow('the path of the data folder must not be empty');
  });
});

describe('keelson who', () => {
  it('asks a server with the certificates of its kubeconfig, under another name, or without a check', async () => {
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
    vi.spyOn(console, 'error').mockImplementation((text: string) => void printed.push(text));
    const { kubeconfigText = '' } = await start({ storage: 'memory' });
    const who = async (text: string, ...args: string[]): Promise<string> => {
      writeFileSync('config', text);
      printed.length = 0;
      const code = await runCommand(['who', ...args, '--kubeconfig', 'config']);
      process.exitCode = undefined;
      return `${code} ${printed[0]}`;
    };
    const found = /^0 Namespace default \(v1\)\n/;
    expect(await who(kubeconfigText, 'ns', 'default')).toMatch(found);
    expect(await who(kubeconfigText, 'Namespace/nope')).toBe('1 keelson: namespaces "nope" not found');
    const server = /server: .*/;
    const named = kubeconfigText.replace(server, (line) => `${line}\n    tls-server-name: localhost`);
    expect(await who(named, 'namespaces.v1', 'default')).toMatch(found);
    const misnamed = kubeconfigText.replace(server, (line) => `${line}\n    tls-server-name: elsewhere`);
    expect(await who(misnamed, 'ns', 'default')).toMatch(/^1 keelson: .*certificate is valid for .*, not elsewhere$/);
    const both = kubeconfigText.replace(server, (line) => `${line}\n    insecure-skip-tls-verify: true`);
    expect(await who(both, 'ns', 'default')).toMatch(/ has both insecure-skip-tls-verify and a certificate authority$/);
    const unchecked = both.replace(/ *certificate-authority-data: .*\n/, '');
    expect(await who(unchecked, 'ns', 'default')).toMatch(found);
    vi.restoreAllMocks();
  });
});
