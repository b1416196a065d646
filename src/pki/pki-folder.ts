/**
 * The folder of a server's keys and certificates, with kubeadm's file names: created on the first start, renewed on
 * later ones.
 * Invariant: a file that an operator put there is never overwritten (an authority is renewed only with its own key, a
 * certificate only if it names this folder's authority as its issuer), and a start writes nothing if every file is
 * valid.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import { type Authority, ensureAuthority } from './pki-authority.ts';
import { PkiFiles } from './pki-files.ts';
import { ensureLeaf, type KeyedPem } from './pki-leaf.ts';
import { ensureServiceAccountKeys, type ServiceAccountKeys } from './pki-service-account.ts';
import { ensureSecretFolder, isExposedFolder } from './secret-file.ts';

export interface EnsurePkiOptions {
  readonly folder: string;
  /**
   * Keeps the files in this map, by their names, instead of the folder, which is a name for messages then. Nothing is
   * read from disk or written to it. Default: the folder.
   */
  readonly memory?: Map<string, string>;
  readonly clock: Clock;
  /** DNS names or IP addresses of the serving certificate, in addition to API_SERVER_HOSTS and LOOPBACK_IPS. */
  readonly hosts?: readonly string[];
  readonly ips?: readonly string[];
  /**
   * User and groups of the admin certificate. Default: `kubernetes-admin` in `system:masters`, which RBAC cannot
   * restrict.
   */
  readonly admin?: { readonly user: string; readonly groups: readonly string[] };
}

export interface Pki {
  readonly folder: string;
  /**
   * The authority of serving and client certificates. Its `keyPem` is undefined if the operator keeps the key
   * elsewhere.
   */
  readonly ca: Authority;
  readonly server: KeyedPem;
  readonly admin: KeyedPem;
  readonly frontProxyCa: Authority;
  readonly frontProxyClient: KeyedPem;
  readonly serviceAccount: ServiceAccountKeys;
  /** Paths of the files that this call created or renewed. */
  readonly written: readonly string[];
  /**
   * Sentences for the operator: certificates that expire soon and cannot be renewed here, files that other users can
   * read.
   */
  readonly warnings: readonly string[];
}

const FILES = [
  ...['ca', 'apiserver', 'admin', 'front-proxy-ca', 'front-proxy-client'].flatMap((name) => [
    `${name}.crt`,
    `${name}.key`,
  ]),
  'sa.key',
  'sa.pub',
];

/**
 * Loads the folder and creates missing files. Renews certificates when less than 30 days are left (or a fifth of their
 * lifetime, if that is less), and the serving certificate also when it lacks a host. Throws ConfigError naming the file
 * that is malformed, belongs to another key or cannot be read or written.
 */
export async function ensurePki(options: EnsurePkiOptions): Promise<Pki> {
  const { folder, clock, admin = { user: 'kubernetes-admin', groups: ['system:masters'] } } = options;
  const files =
    options.memory === undefined ? await openFolder(folder, clock) : PkiFiles.inMemory(folder, clock, options.memory);
  const ca = await ensureAuthority(files, 'ca', 'kubernetes');
  const server = await ensureLeaf(files, 'apiserver', ca, {
    kind: 'server',
    hosts: [...(options.hosts ?? []), ...(options.ips ?? [])],
  });
  const adminClient = await ensureLeaf(files, 'admin', ca, { kind: 'client', ...admin });
  const frontProxyCa = await ensureAuthority(files, 'front-proxy-ca', 'front-proxy-ca');
  const frontProxyClient = await ensureLeaf(files, 'front-proxy-client', frontProxyCa, {
    kind: 'client',
    user: 'front-proxy-client',
    groups: [],
  });
  const serviceAccount = await ensureServiceAccountKeys(files);
  await files.finish();
  return {
    folder,
    ca,
    server,
    admin: adminClient,
    frontProxyCa,
    frontProxyClient,
    serviceAccount,
    written: files.written.map((name) => join(folder, name)),
    warnings: files.warnings,
  };
}

async function openFolder(folder: string, clock: Clock): Promise<PkiFiles> {
  if (folder === '') throw new ConfigError('the folder for certificates has no name');
  await ensureSecretFolder(folder);
  const files = await PkiFiles.open(folder, clock, FILES);
  if (await isExposedFolder(folder))
    files.warn(`${folder} can be entered by others than its owner: run chmod 700 on it`);
  return files;
}
