import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { createCa } from '../../pki/certificates.ts';
import { readSystemRoots, type SystemRootsOptions } from './system-roots.ts';

const [debian, folder, node, extra] = await Promise.all(
  ['debian', 'folder', 'node', 'extra'].map((commonName) => createCa({ commonName, clock: systemClock })),
);

function rootsOf(
  files: Readonly<Record<string, string>>,
  { env = {}, platform = 'linux' }: { env?: SystemRootsOptions['env']; platform?: string } = {},
): string[] {
  const pool = readSystemRoots({
    platform,
    env,
    readFile: (path) => files[path],
    readFolder: (path) => {
      const prefix = `${path}/`;
      return Object.keys(files).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
    },
    nodeAuthorities: () => [node!.certificatePem],
  });
  return pool.certificates().map((certificate) => certificate.commonName);
}

const FILES = {
  '/etc/ssl/certs/ca-certificates.crt': `${debian!.certificatePem}-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n`,
  '/etc/ssl/cert.pem': extra!.certificatePem,
  '/etc/pki/tls/certs/a.pem': folder!.certificatePem,
  '/etc/pki/tls/certs/b.pem': folder!.certificatePem,
  '/own/file': extra!.certificatePem,
  '/own/folder/x': node!.certificatePem,
};

describe('the authorities of the system', () => {
  it('are those of the first file and of all folders', () => {
    expect(rootsOf(FILES)).toEqual(['debian', 'folder']);
  });

  it('are replaced by SSL_CERT_FILE and SSL_CERT_DIR, even if nothing is there', () => {
    expect(rootsOf(FILES, { env: { SSL_CERT_FILE: '/own/file' } })).toEqual(['extra', 'debian', 'folder']);
    expect(rootsOf(FILES, { env: { SSL_CERT_FILE: '/own/file', SSL_CERT_DIR: '/no:/own/folder' } })).toEqual([
      'extra',
      'node',
    ]);
    expect(rootsOf({}, { env: { SSL_CERT_FILE: '/missing' } })).toEqual([]);
    expect(rootsOf({}, { env: { SSL_CERT_DIR: '/missing' } })).toEqual([]);
  });

  it('are those of Node where there are no files', () => {
    expect(rootsOf({})).toEqual(['node']);
    expect(rootsOf(FILES, { platform: 'darwin' })).toEqual(['node']);
    // An empty file is used: nothing is trusted.
    expect(rootsOf({ '/etc/ssl/cert.pem': '' })).toEqual([]);
  });

  it('include NODE_EXTRA_CA_CERTS', () => {
    expect(rootsOf(FILES, { env: { NODE_EXTRA_CA_CERTS: '/own/file' } })).toEqual(['debian', 'folder', 'extra']);
    expect(rootsOf(FILES, { env: { NODE_EXTRA_CA_CERTS: '/missing' } })).toEqual(['debian', 'folder']);
  });
});
