/**
 * The interface between a control plane and its runtime. All access to files, sockets and native packages goes through
 * it, so the rest of this folder runs on any runtime with web standards. `node/` implements it for Node.
 */
import type { Clock } from '../base/clock.ts';
import type { KubeconfigUser } from '../client/kubeconfig.ts';
import type { CredentialSource } from '../node/client/server-transport.ts';
import type { Listener, ListenerOptions } from '../node/listener.ts';
import type { AuditLog, AuditLogOptions } from '../node/log/audit-log.ts';
import type { KubeconfigOptions } from '../pki/kubeconfig.ts';
import type { EnsurePkiOptions, Pki } from '../pki/pki-folder.ts';
import type { KeyedPem } from '../pki/pki-leaf.ts';
import type { Compressor } from '../server/endpoints/endpoint.ts';
import type { OutboundClient } from '../server/http/outbound.ts';
import type { ProcessUsage } from '../server/metrics/process-metrics.ts';
import type { PreparedOpenApi } from '../server/openapi/prepared.ts';
import type { BuildInfo } from '../server/version-info.ts';
import type { ProviderFactory, ProviderHost } from '../storage/encryption/provider.ts';
import type { EtcdObserver } from '../storage/etcd/etcd-observer.ts';
import type { Storage } from '../storage/storage.ts';

export interface OpenEtcdOptions {
  readonly servers: readonly string[];
  /** Certificates and key as PEM. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly prefix: string;
  /** The first segment of the store's keys. */
  readonly scope: string;
  readonly leaseReuseSeconds: number;
  readonly observer: EtcdObserver;
  /** Called when the cluster was restored from a backup. */
  onRestored(revision: number): void;
}

export interface Platform {
  readonly clock: Clock;
  /** Returns the build information. Called once per start. */
  buildInfo(): BuildInfo;
  /** Returns the current resource usage of this process. */
  processUsage(): ProcessUsage;
  /** Returns the absolute path, for messages and for kubeconfig files. */
  absolutePath(path: string): string;
  /**
   * Returns the text of a file; undefined if it does not exist. Throws ConfigError with the path if it cannot be read.
   */
  readFile(path: string): Promise<string | undefined>;
  /**
   * Returns the sorted names of the files in a folder, without subfolders. Throws ConfigError with the path if the
   * folder does not exist or cannot be read.
   */
  listFiles(folder: string): Promise<readonly string[]>;
  /**
   * Calls `onChange` after changes of files in the folder, perhaps several times for one change. If the folder cannot
   * be watched, `onChange` is never called.
   */
  watchFolder(folder: string, onChange: () => void): { stop(): void };
  /**
   * Creates the folder, readable by its owner only, and locks it for this process. The returned function releases the
   * lock. Throws ConfigError if the folder cannot be created, or if another process, which the message names, has the
   * lock.
   */
  lockFolder(folder: string): Promise<() => void>;
  /** Returns the DNS names of this machine and, with `allAddresses`, its IP addresses. */
  hostNames(options: { readonly allAddresses: boolean }): readonly string[];
  /** Returns the keys and certificates of the data folder. Creates missing ones and renews those that expire soon. */
  ensurePki(options: EnsurePkiOptions): Promise<Pki>;
  /**
   * Returns `apiserver.crt` and `apiserver.key` of a folder. If they do not exist, the CA of `pki` issues them. Only
   * certificates of that CA are renewed.
   */
  ensureServingPair(folder: string, pki: Pki, hosts: readonly string[]): Promise<KeyedPem>;
  /** Returns the text of a kubeconfig file. */
  formatKubeconfig(options: KubeconfigOptions): string;
  /** Replaces the file atomically, with mode 0600. */
  writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void>;
  /** Begins to load the modules of `openStorage`. Never throws: `openStorage` reports a failure. */
  prefetchStorage(): void;
  /** Opens the durable storage of a folder. `onProblem` is called for failures of its background work. */
  openStorage(folder: string, onProblem: (error: Error) => void): Promise<Storage>;
  /** Returns the factory of encryption providers for `--encryption-provider-config`. */
  createProviderFactory(host: Omit<ProviderHost, 'openChannel'>): ProviderFactory;
  /** Opens an etcd cluster. Throws ConfigError if a URL is invalid or no member answers. */
  openEtcd(options: OpenEtcdOptions): Promise<Storage>;
  openAuditLog(options: AuditLogOptions): Promise<AuditLog>;
  /** Opens a listener. Throws ConfigError if the address or the port cannot be used. */
  listen(options: ListenerOptions): Promise<Listener>;
  readonly compressor: Compressor;
  /** Returns the OpenAPI documents of the built-in kinds that the build has prepared; undefined if there are none. */
  preparedOpenApi(): PreparedOpenApi | undefined;
  /** Returns the descriptions of a package of built-in types; undefined if there are none. */
  kindDescriptions(packageId: string): string | undefined;
  /**
   * Returns the absolute path of a file that is named in the file `base`. Relative paths start at the folder of `base`.
   */
  pathBeside(base: string, path: string): string;
  /**
   * Reads the credentials of a kubeconfig user. `warn` is called later if they cannot be renewed. Throws ConfigError
   * naming the file or the plugin that cannot be used.
   */
  openCredentials(user: KubeconfigUser, warn: (message: string) => void): Promise<CredentialSource>;
  /** Creates the client for calls to webhooks and extension servers. */
  createOutboundClient(): OutboundClient;
}
