import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isConfigError } from '../base/errors.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { CA_VALIDITY, createCa, issueClientCertificate, issueServerCertificate } from './certificates.ts';
import { issuerOf } from './issuer.ts';
import { parsePublicKeysPem } from './keys.ts';
import { type EnsurePkiOptions, ensurePki, type Pki } from './pki-folder.ts';

const DAY = 86_400_000;
const NAMES = [
  'admin.crt',
  'admin.key',
  'apiserver.crt',
  'apiserver.key',
  'ca.crt',
  'ca.key',
  'front-proxy-ca.crt',
  'front-proxy-ca.key',
  'front-proxy-client.crt',
  'front-proxy-client.key',
  'sa.key',
  'sa.pub',
];

let root: string;
let folder: string;
let clock: VirtualClock;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-pki-'));
  folder = join(root, 'data', 'pki');
  clock = new VirtualClock();
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const ensure = (more: Partial<EnsurePkiOptions> = {}): Promise<Pki> => ensurePki({ folder, clock, ...more });
const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text, { mode: 0o600 });
const remove = (name: string): Promise<void> => rm(join(folder, name));
const written = (pki: Pki): string[] => pki.written.map((path) => path.slice(folder.length + 1)).sort();

async function refusal(): Promise<string> {
  const before = await snapshot();
  const caught: unknown = await ensure().then(
    () => 'nothing was refused',
    (error: unknown) => error,
  );
  expect(caught).toSatisfy(isConfigError);
  expect(await snapshot()).toEqual(before);
  return (caught as Error).message;
}

async function snapshot(): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all((await readdir(folder)).map(async (name) => [name, await read(name)])));
}

describe('the first start', () => {
  it('creates every file with mode 0600 and no other file', async () => {
    const pki = await ensure();
    expect((await readdir(folder)).sort()).toEqual(NAMES);
    expect(written(pki)).toEqual(NAMES);
    expect(pki.warnings).toEqual([]);
    for (const name of NAMES) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('creates certificates that verify against their authorities', async () => {
    const pki = await ensure({ hosts: ['me.local'], ips: ['10.9.8.7'] });
    const ca = new X509Certificate(pki.ca.certificatePem);
    const server = new X509Certificate(pki.server.certificatePem);
    const admin = new X509Certificate(pki.admin.certificatePem);
    for (const leaf of [server, admin]) expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(server.checkHost('me.local')).toBeDefined();
    expect(server.checkIP('10.9.8.7')).toBeDefined();
    expect(admin.subject).toBe('O=system:masters\nCN=kubernetes-admin');
    const proxy = new X509Certificate(pki.frontProxyClient.certificatePem);
    expect(proxy.subject).toBe('CN=front-proxy-client');
    expect(proxy.verify(new X509Certificate(pki.frontProxyCa.certificatePem).publicKey)).toBe(true);
    expect(proxy.verify(ca.publicKey)).toBe(false);
    const [key] = await parsePublicKeysPem(pki.serviceAccount.publicKeysPem);
    expect(key?.keyId).toBe((await parsePublicKeysPem(pki.serviceAccount.keyPem))[0]?.keyId);
    const other = await issueClientCertificate(await issuerOf(pki.ca), { clock, user: 'jane' });
    expect(new X509Certificate(other.certificatePem).verify(ca.publicKey)).toBe(true);
  });
});

describe('a later start', () => {
  it('writes nothing if every file is valid', async () => {
    const first = await ensure({ hosts: ['me.local'] });
    const before = await snapshot();
    const again = await ensure({ hosts: ['me.local'] });
    expect(again.written).toEqual([]);
    expect(await snapshot()).toEqual(before);
    expect(again.server).toEqual(first.server);
    expect(again.ca.certificatePem).toBe(first.ca.certificatePem);
  });

  it('issues a certificate for a key that a crash left without one', async () => {
    await ensure();
    const keys = await read('apiserver.key');
    for (const name of ['ca.crt', 'apiserver.crt', 'sa.pub']) await remove(name);
    expect(written(await ensure())).toEqual(['apiserver.crt', 'ca.crt', 'sa.pub']);
    expect(await read('apiserver.key')).toBe(keys);
    expect((await ensure()).written).toEqual([]);
  });

  it('renews the serving certificate when a host is missing, with the same key', async () => {
    const first = await ensure();
    const pki = await ensure({ hosts: ['new.local'] });
    expect(written(pki)).toEqual(['apiserver.crt']);
    expect(new X509Certificate(pki.server.certificatePem).checkHost('new.local')).toBeDefined();
    expect(pki.server.keyPem).toBe(first.server.keyPem);
    expect((await ensure()).written).toEqual([]);
  });

  it('renews certificates with less than thirty days left', async () => {
    await ensure();
    await clock.advance(335 * DAY);
    expect((await ensure()).written).toEqual([]);
    await clock.advance(1000);
    expect(written(await ensure())).toEqual(['admin.crt', 'apiserver.crt', 'front-proxy-client.crt']);
    expect((await ensure()).written).toEqual([]);
  });

  it('renews an authority with its own key, and its certificates still verify', async () => {
    const first = await ensure();
    await clock.advance(CA_VALIDITY - 29 * DAY);
    const pki = await ensure();
    expect(written(pki)).toEqual([
      'admin.crt',
      'apiserver.crt',
      'ca.crt',
      'front-proxy-ca.crt',
      'front-proxy-client.crt',
    ]);
    expect(pki.ca.keyPem).toBe(first.ca.keyPem);
    expect(
      new X509Certificate(first.admin.certificatePem).verify(new X509Certificate(pki.ca.certificatePem).publicKey),
    ).toBe(true);
    expect(Date.parse(new X509Certificate(pki.server.certificatePem).validTo)).toBe(clock.now() + 365 * DAY);
  });

  it('renews short-lived certificates by share of their lifetime, not by days', async () => {
    const pki = await ensure();
    const short = await issueServerCertificate(await issuerOf(pki.ca), { clock, validity: 10 * DAY });
    await write('apiserver.crt', short.certificatePem);
    await write('apiserver.key', short.keyPem);
    await clock.advance(7 * DAY);
    expect((await ensure()).written).toEqual([]);
    await clock.advance(1.5 * DAY);
    expect(written(await ensure())).toEqual(['apiserver.crt']);
  });

  it('issues certificates again after the authority was replaced', async () => {
    await ensure();
    const other = await createCa({ commonName: 'kubernetes', clock });
    await write('ca.crt', other.certificatePem);
    await write('ca.key', other.keyPem);
    expect(written(await ensure())).toEqual(['admin.crt', 'apiserver.crt']);
  });
});

describe('files of an operator', () => {
  it('are used without the key of the authority, and never replaced', async () => {
    await ensure();
    await remove('ca.key');
    const before = await read('ca.crt');
    const pki = await ensure();
    expect(pki.ca.keyPem).toBeUndefined();
    expect(pki.written).toEqual([]);
    await expect(issuerOf(pki.ca)).rejects.toThrow(/ca\.key is not there/);
    await clock.advance(CA_VALIDITY - DAY);
    const late = await ensure();
    expect(await read('ca.crt')).toBe(before);
    expect(late.warnings.join('\n')).toMatch(/ca\.crt is valid until .* only and cannot be renewed here/);
    expect(late.warnings.join('\n')).toMatch(/apiserver\.crt is valid until/);
    await remove('admin.crt');
    await remove('admin.key');
    expect(await refusal()).toMatch(/ca\.key is not there, so nothing can be issued by .*ca\.crt/);
  });

  it('are used although another authority issued the certificate and hosts are missing', async () => {
    await ensure();
    const company = await createCa({ commonName: 'company', clock });
    const theirs = await issueServerCertificate(company, { clock });
    await write('apiserver.crt', theirs.certificatePem);
    await write('apiserver.key', theirs.keyPem);
    const pki = await ensure({ hosts: ['new.local'] });
    expect(pki.written).toEqual([]);
    expect(pki.server.certificatePem).toBe(theirs.certificatePem);
    await clock.advance(350 * DAY);
    const late = await ensure();
    expect(written(late)).not.toContain('apiserver.crt');
    expect(late.warnings.join()).toMatch(/apiserver\.crt is valid until/);
    await write('admin.crt', theirs.certificatePem);
    await write('admin.key', theirs.keyPem);
    expect(await refusal()).toMatch(/admin\.crt was not issued by .*ca\.crt/);
  });

  it('may be those of kubeadm: RSA keys, older keys in sa.pub', async () => {
    await ensure();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const older = await read('sa.pub');
    await write('sa.key', String(rsa.privateKey.export({ type: 'pkcs1', format: 'pem' })));
    await remove('sa.pub');
    const pki = await ensure();
    expect(written(pki)).toEqual(['sa.pub']);
    expect(createPublicKey(await read('sa.pub')).equals(rsa.publicKey)).toBe(true);
    await write('sa.pub', `${older}${await read('sa.pub')}`);
    const both = await ensure();
    expect(await parsePublicKeysPem(both.serviceAccount.publicKeysPem)).toHaveLength(2);
    await write('sa.pub', older);
    expect(await refusal()).toMatch(/sa\.pub does not contain the public part of .*sa\.key/);
  });

  it('cause a warning if other users can read them', async () => {
    await ensure();
    await chmod(join(folder, 'ca.key'), 0o644);
    await chmod(folder, 0o755);
    const { warnings } = await ensure();
    expect(warnings).toEqual([
      expect.stringMatching(/ca\.key can be read by others/),
      expect.stringMatching(/pki can be entered by others/),
    ]);
  });
});

describe('a damaged folder', () => {
  const key = String(
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }),
  );
  const ed25519 = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const cases: [string, string, string, RegExp][] = [
    [
      'a certificate that is cut off',
      'apiserver.crt',
      '-----BEGIN CERTIFICATE-----\nMII',
      /apiserver\.crt: does not contain a valid certificate/,
    ],
    ['an empty authority', 'ca.crt', '', /ca\.crt: does not contain a valid certificate/],
    ['a malformed key', 'admin.key', 'nonsense', /admin\.key: data does not contain a valid RSA or ECDSA private key/],
    ['a key of an unknown kind', 'sa.key', ed25519, /sa\.key: data does not contain a valid RSA or ECDSA private key/],
    [
      'the key of another certificate',
      'apiserver.key',
      key,
      /apiserver\.key is not the key of the certificate in .*apiserver\.crt/,
    ],
    [
      'the key of another authority',
      'front-proxy-ca.key',
      key,
      /front-proxy-ca\.key is not the key of the certificate/,
    ],
  ];
  for (const [what, name, text, message] of cases) {
    it(`is reported with the path, and nothing is written: ${what}`, async () => {
      await ensure();
      await write(name, text);
      expect(await refusal()).toMatch(message);
    });
  }

  it('is reported with the path: the key of a certificate is missing', async () => {
    await ensure();
    await remove('apiserver.key');
    expect(await refusal()).toMatch(/apiserver\.key is missing/);
  });

  it('is reported with the path: the authority is not a CA certificate', async () => {
    await ensure();
    await write('ca.crt', await read('admin.crt'));
    expect(await refusal()).toMatch(/ca\.crt is not the certificate of an authority/);
  });

  it('is reported with the path: the folder is a file', async () => {
    await writeFile(join(root, 'data'), '');
    await expect(ensure()).rejects.toSatisfy(isConfigError);
  });
});
