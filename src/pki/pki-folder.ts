/**
 * The folder of keys and certificates of a server, with kubeadm's file names: made on the first start, renewed on later ones. Invariant:
 * nothing that an operator put there is overwritten (an authority is renewed only with its own key, a certificate only if it names our
 * authority as its issuer), and a start that finds everything in order writes nothing.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import { type Authority, ensureAuthority } from './pki-authority.ts';
import { ensureLeaf, type KeyedPem } from './pki-leaf.ts';
import { ensureServiceAccountKeys, type ServiceAccountKeys } from './pki-service-account.ts';
import { Worklist } from './pki-worklist.ts';
import { ensureSecretFolder, isExposedFolder } from './secret-file.ts';

export interface EnsurePkiOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** DNS names that the serving certificate needs beside the fixed ones; IP addresses are taken too. */
  readonly hosts?: readonly string[];
  readonly ips?: readonly string[];
  /** Who the admin's certificate names; default `kubernetes-admin` in `system:masters`, which no role can take anything from. */
  readonly admin?: { readonly user: string; readonly groups: readonly string[] };
}

export interface Pki {
  readonly folder: string;
  /** Issues serving and client certificates; `keyPem` is undefined if the operator keeps the key elsewhere. */
  readonly ca: Authority;
  readonly server: KeyedPem;
  readonly admin: KeyedPem;
  readonly frontProxyCa: Authority;
  readonly frontProxyClient: KeyedPem;
  readonly serviceAccount: ServiceAccountKeys;
  /** Paths of the files that this call made or renewed; empty on the fast path. */
  readonly written: readonly string[];
  /** Sentences for the operator: what is near its end and cannot be renewed here, what others can read. */
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
 * Loads the folder and makes what is missing. Certificates are renewed when less than 30 days are left (or a fifth of their time, if that is
 * less) or when the serving certificate lacks a host. Throws ConfigError naming the file that is damaged, belongs to another key or cannot be
 * read or written.
 */
export async function ensurePki(options: EnsurePkiOptions): Promise<Pki> {
  const { folder, clock, admin = { user: 'kubernetes-admin', groups: ['system:masters'] } } = options;
  if (folder === '') throw new ConfigError('the folder for certificates has no name');
  await ensureSecretFolder(folder);
  const work = await Worklist.open(folder, clock, FILES);
  if (await isExposedFolder(folder))
    work.warn(`${folder} can be entered by others than its owner: run chmod 700 on it`);
  const ca = await ensureAuthority(work, 'ca', 'kubernetes');
  const server = await ensureLeaf(work, 'apiserver', ca, {
    kind: 'server',
    hosts: [...(options.hosts ?? []), ...(options.ips ?? [])],
  });
  const adminClient = await ensureLeaf(work, 'admin', ca, { kind: 'client', ...admin });
  const frontProxyCa = await ensureAuthority(work, 'front-proxy-ca', 'front-proxy-ca');
  const frontProxyClient = await ensureLeaf(work, 'front-proxy-client', frontProxyCa, {
    kind: 'client',
    user: 'front-proxy-client',
    groups: [],
  });
  const serviceAccount = await ensureServiceAccountKeys(work);
  await work.finish();
  return {
    folder,
    ca,
    server,
    admin: adminClient,
    frontProxyCa,
    frontProxyClient,
    serviceAccount,
    written: work.written.map((name) => join(folder, name)),
    warnings: work.warnings,
  };
}
