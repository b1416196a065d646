/**
 * The authorities that the system trusts, for calls without a CA bundle. On Linux and the other Unix systems the files
 * are those that Go's x509 reads, with its environment variables SSL_CERT_FILE and SSL_CERT_DIR. macOS and Windows have
 * no such files: there, and on a system without any, the authorities are those of Node. Certificates of
 * NODE_EXTRA_CA_CERTS are trusted as well.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { CertificatePool } from '../../pki/x509/certificate-pool.ts';

export interface SystemRootsOptions {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns undefined for a file that cannot be read. */
  readFile(path: string): string | undefined;
  /** Returns the names in a folder; none if it cannot be read. */
  readFolder(path: string): readonly string[];
  /** Returns the authorities that Node knows, in PEM. */
  nodeAuthorities(): readonly string[];
}

/** The first that can be read is used: Debian, Fedora, OpenSUSE, OpenELEC, CentOS, Alpine. */
const FILES: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
/** All of them are read. */
const FOLDERS: readonly string[] = ['/etc/ssl/certs', '/etc/pki/tls/certs'];
const WITHOUT_FILES: ReadonlySet<string> = new Set(['darwin', 'win32']);

let loaded: CertificatePool | undefined;

/** Returns the authorities, which are read on the first call. */
export function systemRoots(): CertificatePool {
  loaded ??= readSystemRoots(nodeOptions());
  return loaded;
}

/** Malformed certificates are ignored, as in Go. */
export function readSystemRoots(options: SystemRootsOptions): CertificatePool {
  const extra = options.env['NODE_EXTRA_CA_CERTS'] ?? '';
  const extraText = extra === '' ? undefined : options.readFile(extra);
  const texts = (WITHOUT_FILES.has(options.platform) ? undefined : readFiles(options)) ?? options.nodeAuthorities();
  return CertificatePool.ofPem(new Set([...texts, extraText ?? '']));
}

/**
 * Returns undefined if the system has no such file. A file that the environment names counts also if it cannot be read:
 * then nothing is trusted.
 */
function readFiles({ env, readFile, readFolder }: SystemRootsOptions): string[] | undefined {
  const [file = '', folders = ''] = [env['SSL_CERT_FILE'], env['SSL_CERT_DIR']];
  const texts: string[] = [];
  for (const path of file === '' ? FILES : [file]) {
    const text = readFile(path);
    if (text === undefined) continue;
    texts.push(text);
    break;
  }
  for (const folder of folders === '' ? FOLDERS : folders.split(':')) {
    for (const name of readFolder(folder)) {
      const text = readFile(join(folder, name));
      if (text !== undefined) texts.push(text);
    }
  }
  return texts.length === 0 && file === '' && folders === '' ? undefined : texts;
}

function nodeOptions(): SystemRootsOptions {
  return {
    platform: process.platform,
    env: process.env,
    readFile: (path) => orElse(undefined, () => readFileSync(path, 'latin1')),
    readFolder: (path) => orElse([], () => readdirSync(path)),
    nodeAuthorities,
  };
}

/** Node has the store of the system from 22.15 and 23.10 on. */
function nodeAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: string) => string[] };
  const system = getCACertificates?.('system') ?? [];
  return system.length === 0 ? tls.rootCertificates : system;
}

/**
 * Returns the result of `read`, or `otherwise` if it throws. A file that is missing or unreadable is not an error,
 * because systems have different files.
 */
function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
