/**
 * The second stage: options whose files were read and whose keys exist. Invariant: a CompletedOptions comes from `completeOptions` alone, holds the data folder's lock until
 * somebody releases it, and nothing in it has to be looked up again; whatever cannot be used is one ConfigError sentence that names the flag.
 */
import { ConfigError } from '../base/errors.ts';
import {
  NO_PRIVATE_KEY,
  NO_PUBLIC_KEYS,
  type PrivateKey,
  type PublicKey,
  parsePrivateKeyPem,
  parsePublicKeysPem,
} from '../pki/keys.ts';
import type { KubeconfigOptions } from '../pki/kubeconfig.ts';
import type { Pki } from '../pki/pki-folder.ts';
import { readFlagFile } from './flag-file.ts';
import type { ServerOptions } from './options.ts';
import type { Platform } from './platform.ts';
import { loadTlsMaterial, type TlsMaterial } from './tls-material.ts';

export interface ServiceAccountKeySet {
  readonly signingKey: PrivateKey;
  /** The signing key's public part among them, unless the operator named others. */
  readonly verifyingKeys: readonly PublicKey[];
}

/** A text file that a flag named. */
export interface NamedText {
  readonly path: string;
  readonly text: string;
}

const COMPLETED: unique symbol = Symbol('completed options');

export interface CompletedOptions {
  /** Only `completeOptions` can write this field. */
  readonly [COMPLETED]: true;
  readonly platform: Platform;
  readonly options: ServerOptions;
  /** Absolute. */
  readonly dataDir: string;
  readonly storageFolder: string;
  readonly tls: TlsMaterial;
  /** Reads and, where they are ours, renews the certificates again. */
  reloadTls(): Promise<TlsMaterial>;
  readonly serviceAccounts: ServiceAccountKeySet;
  readonly tokenFile: NamedText | undefined;
  readonly auditPolicy: NamedText | undefined;
  /** Where the admin's kubeconfig goes; undefined if no certificate that we can issue would be accepted. */
  readonly kubeconfigFile: string | undefined;
  /** The kubeconfig of the admin for a server at this URL. */
  kubeconfig(url: string, tls: TlsMaterial): KubeconfigOptions;
  /** Sentences for the operator. */
  readonly warnings: readonly string[];
  /** Gives the data folder back. Idempotent. */
  release(): void;
}

/** Reads everything that the options name and makes what they leave out. Throws ConfigError, and holds nothing then. */
export async function completeOptions(said: ServerOptions, platform: Platform): Promise<CompletedOptions> {
  const options = withoutUnlimitedStrangers(said);
  if (options.dataDir === '') throw new ConfigError('--data-dir: the data folder needs a name');
  const dataDir = platform.absolutePath(options.dataDir);
  if (options.storage === 'lmdb') platform.prefetchStorage();
  const release = await platform.takeFolder(dataDir);
  try {
    return await completeWith(options, platform, dataDir, release);
  } catch (caught) {
    release();
    throw caught;
  }
}

async function completeWith(
  options: ServerOptions,
  platform: Platform,
  dataDir: string,
  release: () => void,
): Promise<CompletedOptions> {
  const { authentication, audit } = options;
  const load = (): Promise<TlsMaterial> => loadTlsMaterial(options, platform, `${dataDir}/pki`);
  const tls = await load();
  const tokenFile = await readNamed(platform, '--token-auth-file', authentication.tokenFile);
  const auditPolicy = await readNamed(platform, '--audit-policy-file', audit.policyFile);
  const serviceAccounts = await readServiceAccountKeys(options, platform, tls.pki);
  const kubeconfigFile = platform.absolutePath(options.kubeconfigFile || `${dataDir}/admin.kubeconfig`);
  return {
    [COMPLETED]: true,
    platform,
    options,
    dataDir,
    storageFolder: `${dataDir}/storage`,
    tls,
    reloadTls: load,
    serviceAccounts,
    tokenFile,
    auditPolicy,
    kubeconfigFile: authentication.clientCaFile === '' ? kubeconfigFile : undefined,
    kubeconfig: (url, { pki, servingCaPem }) => ({
      server: url,
      caPem: servingCaPem,
      credentials: { kind: 'certificate', certificatePem: pki.admin.certificatePem, keyPem: pki.admin.keyPem },
    }),
    warnings: [...tls.pki.warnings, ...warningsOf(options)],
    release,
  };
}

/** Where everything is allowed nobody is anonymous, as in the reference: otherwise whoever reaches the port could do anything. */
function withoutUnlimitedStrangers(options: ServerOptions): ServerOptions {
  if (!options.authorizationModes.includes('AlwaysAllow')) return options;
  return { ...options, authentication: { ...options.authentication, anonymous: false } };
}

/** Options that are accepted and may not mean what their author thinks. */
function warningsOf({ audit, authorizationModes }: ServerOptions): string[] {
  const warnings: string[] = [];
  if (audit.logPath !== '' && audit.policyFile === '')
    warnings.push('--audit-log-path without --audit-policy-file: nothing will be logged');
  if (audit.policyFile !== '' && audit.logPath === '')
    warnings.push('--audit-policy-file without --audit-log-path: nothing will be logged');
  if (authorizationModes.includes('AlwaysAllow'))
    warnings.push(
      '--authorization-mode has AlwaysAllow: everybody with a credential may do anything, and requests without one are refused',
    );
  return warnings;
}

/** Undefined if the flag was not given. */
async function readNamed(platform: Platform, flag: string, path: string): Promise<NamedText | undefined> {
  return path === '' ? undefined : { path, text: await readFlagFile(platform, flag, path) };
}

async function readServiceAccountKeys(
  { authentication: { serviceAccounts } }: ServerOptions,
  platform: Platform,
  pki: Pki,
): Promise<ServiceAccountKeySet> {
  if (serviceAccounts.issuers.length === 0 || serviceAccounts.issuers.some((issuer) => issuer === ''))
    throw new ConfigError('--service-account-issuer: an issuer needs a name');
  const signingFlag = '--service-account-signing-key-file';
  const signingPath = serviceAccounts.signingKeyFile || pki.serviceAccount.keyPath;
  const signingText =
    serviceAccounts.signingKeyFile === ''
      ? pki.serviceAccount.keyPem
      : await readFlagFile(platform, signingFlag, serviceAccounts.signingKeyFile);
  const signingKey = await parsePrivateKeyPem(signingText);
  if (signingKey === undefined) throw new ConfigError(`${signingFlag}: ${signingPath}: ${NO_PRIVATE_KEY}`);
  const own =
    serviceAccounts.signingKeyFile === ''
      ? await parsePublicKeysPem(pki.serviceAccount.publicKeysPem)
      : [signingKey.publicKey];
  if (serviceAccounts.keyFiles.length === 0) return { signingKey, verifyingKeys: own };
  const named: PublicKey[] = [];
  for (const path of serviceAccounts.keyFiles) {
    const flag = '--service-account-key-file';
    const keys = await parsePublicKeysPem(await readFlagFile(platform, flag, path));
    if (keys.length === 0) throw new ConfigError(`${flag}: ${path}: ${NO_PUBLIC_KEYS}`);
    named.push(...keys);
  }
  // Tokens that nobody here could verify would be of no use to anybody.
  const extra = serviceAccounts.signingKeyFile === '' ? own : [];
  return { signingKey, verifyingKeys: [...named, ...extra] };
}
