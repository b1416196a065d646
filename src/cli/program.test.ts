import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readYaml } from '../apimachinery/codec/yaml/yaml.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { systemClock } from '../base/clock.ts';
import { ensurePki } from '../pki/pki-folder.ts';
import { openLmdbStorage } from '../storage/lmdb/open.ts';
import { runCommand } from './program.ts';

let output: string[];
let complaints: string[];

beforeEach(() => {
  output = [];
  complaints = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void complaints.push(String(line)));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => output.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => complaints.push(String(text)) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

describe('keelson', () => {
  it('prints its version', async () => {
    expect(await runCommand(['version'])).toBe(0);
    expect(await runCommand(['--version'])).toBe(0);
    expect(output[1]).toBe(output[0]);
    expect(output[0]).toMatch(/^keelson \d+\.\d+\.\d+ \(node /);
  });

  it('prints the version of Kubernetes as kube-apiserver, and its fields for raw', async () => {
    expect(await runCommand(['kube-apiserver', '--version'])).toBe(0);
    expect(await runCommand(['--version=raw'])).toBe(0);
    expect(output[0]).toMatch(/^Kubernetes v1\.36\.3\+keelson\.\d+\.\d+\.\d+$/);
    expect(output[1]).toMatch(/^version\.Info\{Major:"1", Minor:"36", .*GitVersion:"v1\.36\.3\+keelson/);
  });

  it('has no commands as kube-apiserver', async () => {
    expect(await runCommand(['kube-apiserver', 'version'])).toBe(2);
    expect(complaints).toEqual(['keelson: "version" is neither a flag nor a command; keelson --help lists both']);
  });

  it('exits with 2 for invalid server flags, with one sentence', async () => {
    expect(await runCommand(['--secure-prot=1'])).toBe(2);
    expect(await runCommand(['serve', '--authorization-config=x'])).toBe(2);
    expect(complaints).toEqual([
      'keelson: unknown flag --secure-prot: did you mean --secure-port?',
      expect.stringMatching(
        /^keelson: --authorization-config: authorization configuration files are not supported yet/,
      ),
    ]);
  });

  it('signs kubeconfigs with the CA of a data folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-cli-'));
    try {
      await ensurePki({ folder: join(folder, 'pki'), clock: systemClock });
      const args = ['kubeconfig', '--user', 'jane', '--group', 'dev', '--group', 'ops', '--data-dir', folder];
      expect(await runCommand([...args, '--server', 'https://there:1'])).toBe(0);
      const read = readYaml(output.join(''));
      if (!read.ok) throw new Error(read.error.message);
      expect(read.value).toMatchObject({
        'current-context': 'jane@keelson',
        clusters: [{ cluster: { server: 'https://there:1' } }],
      });
      const data = /client-certificate-data: (\S+)/.exec(output.join(''))?.[1] as string;
      const certificate = new X509Certificate(Buffer.from(data, 'base64'));
      expect(certificate.subject.split('\n').sort()).toEqual(['CN=jane', 'O=dev', 'O=ops']);
      const ca = new X509Certificate(await readFile(join(folder, 'pki', 'ca.crt')));
      expect(certificate.verify(ca.publicKey)).toBe(true);
      expect(await runCommand([...args, '--output', join(folder, 'jane.kubeconfig')])).toBe(0);
      expect((await stat(join(folder, 'jane.kubeconfig'))).mode & 0o777).toBe(0o600);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says that there is no server to make a kubeconfig for, and makes nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-cli-'));
    try {
      const dataDir = join(folder, 'data');
      expect(await runCommand(['kubeconfig', '--user', 'jane', '--data-dir', dataDir])).toBe(2);
      expect(complaints).toEqual([
        `keelson: no server has used the data folder ${dataDir}: start one with "keelson --data-dir=${dataDir}", or name its folder with --data-dir`,
      ]);
      expect(output).toEqual([]);
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('verifies a data folder, and reports in one sentence that there is none', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'keelson-cli-'));
    try {
      const folder = join(parent, 'data');
      const storage = await openLmdbStorage({ folder });
      await storage.create('a/b', encodeUtf8('{}'));
      await storage.stop();
      expect(await runCommand(['storage', 'verify', folder])).toBe(0);
      expect(output.at(-1)).toBe('revision 2, 1 keys, 1 records, 0 problems');
      expect(await runCommand(['storage', 'verify', join(parent, 'absent')])).toBe(2);
      expect(complaints.at(-1)).toMatch(/^keelson: data folder .* does not exist$/);
    } finally {
      await rm(parent, { recursive: true });
    }
  });
});
