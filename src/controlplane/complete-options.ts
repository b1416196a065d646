/**
 * The completed options: the second of three stages (ServerOptions → CompletedOptions → ControlPlane). All files are
 * read and all keys exist. Invariant: only `completeOptions` makes a CompletedOptions, which holds the lock of the data
 * folder until `release` is called. A failure is one ConfigError that names the flag.
 */
import { ConfigError } from '../base/errors.ts';
import { completeElectionOptions } from '../client/leader-election.ts';
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
import { reportedVersionProblem } from '../server/version-info.ts';
import { type AdmissionFiles, readAdmissionFiles } from './admission-configuration.ts';
import { parseEtcdOverrides } from './etcd-overrides.ts';
import { readFlagFile } from './flag-file.ts';
import type { ServerOptions } from './options.ts';
import type { Platform } from './platform.ts';
import { loadTlsMaterial, type PkiPlace, type TlsMaterial } from './tls-material.ts';

export interface ServiceAccountKeySet {
  readonly signingKey: PrivateKey;
  /**
   * Contains the public part of the signing key, unless `--service-account-key-file` is set together with a signing key
   * file.
   */
  readonly verifyingKeys: readonly PublicKey[];
}

/** The content of a file that a flag names. */
export interface NamedText {
  readonly path: string;
  readonly text: string;
}

const COMPLETED: unique symbol = Symbol('completed options');

export interface CompletedOptions {
  /** A brand: only `completeOptions` can set it. */
  readonly [COMPLETED]: true;
  readonly platform: Platform;
  readonly options: ServerOptions;
  /** The absolute path of the data folder; '' without one. */
  readonly dataDir: string;
  readonly storageFolder: string;
  readonly tls: TlsMaterial;
  /** Reads the certificates again, and renews those that the CA of the data folder issued. */
  reloadTls(): Promise<TlsMaterial>;
  readonly serviceAccounts: ServiceAccountKeySet;
  readonly tokenFile: NamedText | undefined;
  readonly auditPolicy: NamedText | undefined;
  readonly encryptionConfig: NamedText | undefined;
  readonly admission: AdmissionFiles;
  /** The path of the admin's kubeconfig. Undefined if there is no kubeconfig or no path to write it to. */
  readonly kubeconfigFile: string | undefined;
  /**
   * Returns the kubeconfig of the admin for a server at this URL. Undefined if `--client-ca-file` is set: the server
   * would not accept a certificate of its own CA.
   */
  kubeconfig(url: string, tls: TlsMaterial): KubeconfigOptions | undefined;
  /** Warnings for the operator, one sentence each. The caller logs them. */
  readonly warnings: readonly string[];
  /** Releases the lock of the data folder. Idempotent. */
  release(): void;
}

/**
 * Locks the data folder, if there is one, reads every file that the options name, and makes the keys and certificates
 * that they do not name. For an invalid option or file, releases the lock and throws ConfigError.
 */
export async function completeOptions(given: ServerOptions, platform: Platform): Promise<CompletedOptions> {
  const options = withoutAnonymousUnlimited(given);
  const { version } = options.reported;
  const problem = version === '' ? undefined : reportedVersionProblem(version);
  if (problem !== undefined) throw new ConfigError(`--version: ${JSON.stringify(version)} ${problem}`);
  if (options.storage === 'lmdb') {
    if (options.dataDir === '') throw new ConfigError('--data-dir: the path of the data folder must not be empty');
    platform.prefetchStorage();
  }
  if (options.storage === 'etcd' && options.etcd.servers.length === 0)
    throw new ConfigError('--storage=etcd: name the servers of the cluster (--etcd-servers=http://host:2379)');
  // Throws for an invalid value before anything is opened.
  parseEtcdOverrides(options.etcd.serversOverrides);
  if (options.storage === 'etcd' && options.leaderElection.enabled)
    completeElectionOptions({ ...options.leaderElection, identity: 'this server' });
  const dataDir = options.dataDir === '' ? '' : platform.absolutePath(options.dataDir);
  const release = dataDir === '' ? () => undefined : await platform.lockFolder(dataDir);
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
  const place: PkiPlace = dataDir === '' ? { folder: 'memory', memory: new Map() } : { folder: `${dataDir}/pki` };
  const load = (): Promise<TlsMaterial> => loadTlsMaterial(options, platform, place);
  const tls = await load();
  const tokenFile = await readNamed(platform, '--token-auth-file', authentication.tokenFile);
  const auditPolicy = await readNamed(platform, '--audit-policy-file', audit.policyFile);
  const admission = await readAdmissionFiles(options, platform);
  const { configFile, reload } = options.encryption;
  if (configFile === '' && reload)
    throw new ConfigError(
      '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config',
    );
  const encryptionConfig = await readNamed(platform, '--encryption-provider-config', configFile);
  const serviceAccounts = await readServiceAccountKeys(options, platform, tls.pki);
  const hasAdmin = authentication.clientCaFile === '';
  const kubeconfigFile = options.kubeconfigFile || (dataDir === '' ? '' : `${dataDir}/admin.kubeconfig`);
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
    encryptionConfig,
    admission,
    kubeconfigFile: hasAdmin && kubeconfigFile !== '' ? platform.absolutePath(kubeconfigFile) : undefined,
    kubeconfig: (url, { pki, servingCaPem }) => {
      if (!hasAdmin) return undefined;
      const { certificatePem, keyPem } = pki.admin;
      return { server: url, caPem: servingCaPem, credentials: { kind: 'certificate', certificatePem, keyPem } };
    },
    warnings: [...tls.pki.warnings, ...warningsOf(options), ...admission.warnings],
    release,
  };
}

/**
 * Disables anonymous authentication if AlwaysAllow is a mode, like kube-apiserver: every client could otherwise do
 * anything.
 */
function withoutAnonymousUnlimited(options: ServerOptions): ServerOptions {
  if (!options.authorizationModes.includes('AlwaysAllow')) return options;
  return { ...options, authentication: { ...options.authentication, anonymous: false } };
}

/** Warnings about valid options with a surprising effect. */
function warningsOf({ audit, authorizationModes, etcd, storage }: ServerOptions): string[] {
  const warnings: string[] = [];
  if (etcd.serversOverrides.length > 0 && storage !== 'etcd')
    warnings.push('--etcd-servers-overrides has no effect: the objects of this server are not in etcd');
  if (audit.logPath !== '' && audit.policyFile === '')
    warnings.push('--audit-log-path is set without --audit-policy-file: the audit log stays empty');
  if (audit.policyFile !== '' && audit.logPath === '')
    warnings.push('--audit-policy-file is set without --audit-log-path: nothing is audited');
  if (authorizationModes.includes('AlwaysAllow'))
    warnings.push(
      '--authorization-mode contains AlwaysAllow: every authenticated user may do anything, and anonymous requests are refused',
    );
  return warnings;
}

/** Reads the file of a flag; undefined if the flag is not set. */
async function readNamed(platform: Platform, flag: string, path: string): Promise<NamedText | undefined> {
  return path === '' ? undefined : { path, text: await readFlagFile(platform, flag, path) };
}

async function readServiceAccountKeys(
  { authentication: { serviceAccounts } }: ServerOptions,
  platform: Platform,
  pki: Pki,
): Promise<ServiceAccountKeySet> {
  if (serviceAccounts.issuers.length === 0 || serviceAccounts.issuers.some((issuer) => issuer === ''))
    throw new ConfigError('--service-account-issuer: an issuer must not be empty');
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
  // The server must be able to verify the tokens that it signs with its own key.
  const extra = serviceAccounts.signingKeyFile === '' ? own : [];
  return { signingKey, verifyingKeys: [...named, ...extra] };
}
