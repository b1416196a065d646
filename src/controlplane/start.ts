/**
 * Starts a control plane, and shuts it down.
 * Invariant: everything that is opened belongs to one lifetime, which is stopped in reverse order after a failed start
 * and at shutdown.
 */

import type { Transport } from '../apimachinery/http/transport.ts';
import { unlessAborted } from '../base/abort.ts';
import { sleep } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import { ConfigError, isConfigError, toError } from '../base/errors.ts';
import { Lifetime, type Stoppable } from '../base/lifetime.ts';
import { type Logger, SILENT } from '../base/logger.ts';
import { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { serverId } from '../kube/bootstrap/identity-lease.ts';
import type { Listener } from '../node/listener.ts';
import { problemLogger } from '../node/problems.ts';
import { reachableUrl } from '../node/reachable-url.ts';
import { startCertificateRenewal } from '../pki/certificate-renewal.ts';
import type { Health } from '../server/health.ts';
import type { Handler } from '../server/http/exchange.ts';
import { StoredForms } from '../server/registry/stored-forms.ts';
import { startCompactor } from '../storage/compactor.ts';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { transformed } from '../storage/transformed.ts';
import type { CompletedOptions } from './complete-options.ts';
import type { ControlPlane } from './control-plane.ts';
import { createEncryptionMetrics } from './encryption-metrics.ts';
import { ETCD_PREFIX, SCOPE } from './etcd-keys.ts';
import { createEtcdMetrics, registerDecodeErrors } from './etcd-metrics.ts';
import { absolutePrefix, openEtcd } from './open-etcd.ts';
import type { ServerOptions } from './options.ts';
import { hostnameOf } from './server-address.ts';
import { createServerChain, type ServerChain } from './server-chain.ts';
import type { EtcdState, SnapshotReport, SnapshotStore } from './snapshot-store.ts';
import { allStorages, mapStorages, type Storages } from './storages.ts';
import { StoredEncryption } from './stored-encryption.ts';
import type { TlsMaterial } from './tls-material.ts';

export interface StartOptions {
  /** Default: logs nothing. */
  readonly logger?: Logger;
  /** Whether every request is logged at debug level. Default false. */
  readonly logRequests?: boolean;
  /** For tests: a store to use instead of the storage of the options. The control plane stops it. */
  readonly storage?: Storage;
  /** An etcd snapshot to serve read-only, instead of the storage of the options. */
  readonly snapshot?: ServedSnapshot;
  /** The flags that `/flagz` shows, with their values. Default: `/flagz` is not served. */
  readonly flags?: Readonly<Record<string, string>> | undefined;
  /**
   * Aborts a start that waits for a KMS plugin, which then throws the reason of the signal. Ignored after the start.
   */
  readonly signal?: AbortSignal;
}

/** A store, and the state to fill it with once the resources of the servers are known. */
export interface ServedSnapshot {
  readonly store: SnapshotStore;
  /** Called once. Returns the state, which the caller must not keep, so that its memory can be freed. */
  takeState(): EtcdState;
  /** Called once, before the server listens. */
  onReport(report: SnapshotReport): void;
}

/**
 * Opens the storage, listens, and begins to write the bootstrap objects; `ready` of the result resolves when they are
 * written. Takes ownership of the lock on the data folder. If the port or the folder cannot be used, closes everything
 * again and throws ConfigError.
 */
export async function startControlPlane(
  completed: CompletedOptions,
  { logger = SILENT, logRequests = false, flags, storage: given, snapshot, signal }: StartOptions = {},
): Promise<ControlPlane> {
  const lifetime = new Lifetime('control plane');
  lifetime.add('data folder', () => completed.release());
  try {
    const metricRegistry = new MetricRegistry();
    const forms = snapshot?.store.forms ?? createForms(completed.options, metricRegistry);
    const used = given ?? snapshot?.store.storage;
    const opened =
      used === undefined
        ? await openStorages(completed, { logger, forms, metricRegistry })
        : { main: used, overrides: [] };
    for (const storage of allStorages(opened)) lifetime.add('storage', () => storage.stop());
    const encryption = snapshot === undefined ? createStoredEncryption(completed, forms, logger) : undefined;
    if (encryption !== undefined) lifetime.add('encryption', () => encryption.stop());
    const storages = mapStorages(opened, (storage) => {
      const plain = encryption === undefined ? storage : transformed(storage, encryption.transformer);
      const hasForms = completed.options.storage === 'etcd' || storage.imported;
      const wrapped = hasForms ? transformed(plain, forms) : plain;
      if (wrapped !== storage) lifetime.add('stored forms', () => wrapped.stop());
      return wrapped;
    });
    for (const storage of allStorages(storages)) {
      const compactor = startCompactor(storage, {
        clock: completed.platform.clock,
        intervalMs: completed.options.compactionIntervalMs,
        onError: (error) => logger.error('cannot compact old revisions; the next interval tries again', error),
      });
      lifetime.add('compactor', () => compactor.stop());
    }
    const chain = await createServerChain(completed, {
      storages,
      media: allStorages(opened),
      metricRegistry,
      logger,
      logRequests,
      flags,
      lifetime,
      forms,
      encryption,
      readOnly: snapshot !== undefined,
    });
    if (encryption !== undefined) await unlessAborted(encryption.start(), signal);
    if (snapshot !== undefined) snapshot.onReport(await snapshot.store.fill(snapshot.takeState()));
    const listener = await listen(completed, chain, logger);
    lifetime.add('listener', () => listener.stop());
    chain.setListener(listener);
    const starting = new AbortController();
    const writable = encryption?.untilWritable(starting.signal);
    const ready = writable === undefined ? chain.start() : writable.then(() => chain.start());
    // The caller of `ready` reports the failure.
    ready.catch(() => undefined);
    const plane = new RunningControlPlane({ completed, chain, listener, lifetime, logger, ready, starting });
    plane.startRenewal();
    plane.startLoops();
    await plane.writeKubeconfig(completed.tls);
    return plane;
  } catch (caught) {
    await lifetime.stop();
    throw caught;
  }
}

async function openStorages(
  completed: CompletedOptions,
  {
    logger,
    forms,
    metricRegistry,
  }: { readonly logger: Logger; readonly forms: StoredForms; readonly metricRegistry: MetricRegistry },
): Promise<Storages> {
  const { options, platform, storageFolder } = completed;
  if (options.storage === 'memory') return { main: createMemoryStorage({ clock: platform.clock }), overrides: [] };
  if (options.storage === 'etcd')
    return openEtcd(completed, { logger, observer: createEtcdMetrics(metricRegistry, forms) });
  const onProblem = (error: Error): void => logger.error('storage cannot remove old revisions', error);
  return { main: await platform.openStorage(storageFolder, onProblem), overrides: [] };
}

/**
 * Creates the stored forms. Values in etcd have kube-apiserver's forms. Values of an embedded store are JSON in the
 * storage version of this server; the stored forms are then used only to find the resource of a key.
 */
function createForms({ storage, etcd }: ServerOptions, metricRegistry: MetricRegistry): StoredForms {
  const errors = registerDecodeErrors(metricRegistry);
  return new StoredForms({
    scope: SCOPE,
    mediaType: storage === 'etcd' ? etcd.mediaType : 'application/json',
    onUndecodable: ({ group, resource }) => errors.labels(group, resource).add(),
  });
}

/** Creates the encryption that the options configure. Throws ConfigError for an invalid configuration. */
function createStoredEncryption(
  { encryptionConfig: config, options, platform }: CompletedOptions,
  forms: StoredForms,
  logger: Logger,
): StoredEncryption | undefined {
  if (config === undefined) return undefined;
  const { clock } = platform;
  const metrics = createEncryptionMetrics(clock, serverId(hostnameOf(platform)));
  return new StoredEncryption({
    config,
    reload: options.encryption.reload,
    forms,
    prefix: options.storage === 'etcd' ? absolutePrefix(options.etcd.prefix) : ETCD_PREFIX,
    factory: platform.createProviderFactory({ clock, logger, observer: metrics }),
    metrics,
    readFile: (path) => platform.readFile(path),
    clock,
    logger,
  });
}

/** Opens the listener. Throws ConfigError with the flag if the address or the port cannot be used. */
async function listen(
  { options, platform, tls }: CompletedOptions,
  chain: ServerChain,
  logger: Logger,
): Promise<Listener> {
  const { bindAddress, port, maxStreamsPerConnection, goawayChance } = options.serving;
  try {
    return await platform.listen({
      host: bindAddress,
      port,
      tls: tls.config,
      handler: chain.handler,
      limits: maxStreamsPerConnection === 0 ? {} : { maxStreams: maxStreamsPerConnection },
      clock: platform.clock,
      ...(goawayChance > 0 && { endsConnection: () => Math.random() < goawayChance }),
      onProblem: problemLogger(logger, chain.metrics),
    });
  } catch (caught) {
    const flag = isConfigError(caught) ? flagOf(caught.cause) : undefined;
    throw flag === undefined ? caught : new ConfigError(`${flag}: ${toError(caught).message}`, { cause: caught });
  }
}

/** Returns the flag that caused a system error of the listener; undefined for other errors, such as those of TLS. */
function flagOf(cause: unknown): string | undefined {
  const { code, syscall } = (cause ?? {}) as { readonly code?: string; readonly syscall?: string };
  if (syscall !== 'listen') return undefined;
  return code === 'EADDRNOTAVAIL' ? '--bind-address' : '--secure-port';
}

/** How often the certificate files of the flags are read again, as in kube-apiserver. */
const FILES_MS = 60_000;

function namesTlsFiles({ serving, authentication, aggregation }: ServerOptions): boolean {
  const files = [
    serving.certFile,
    authentication.clientCaFile,
    authentication.requestHeader.clientCaFile,
    aggregation.proxyClientCertFile,
  ];
  return serving.sni.length > 0 || files.some((file) => file !== '');
}

interface RunningParts {
  readonly completed: CompletedOptions;
  readonly chain: ServerChain;
  readonly listener: Listener;
  readonly lifetime: Lifetime;
  readonly logger: Logger;
  readonly ready: Promise<void>;
  /** Aborts the wait for KMS plugins before the first writes. */
  readonly starting: AbortController;
}

class RunningControlPlane implements ControlPlane {
  readonly ready: Promise<void>;
  readonly #completed: CompletedOptions;
  readonly #chain: ServerChain;
  readonly #listener: Listener;
  readonly #lifetime: Lifetime;
  readonly #logger: Logger;
  readonly #starting: AbortController;
  #stopping: Promise<void> | undefined;
  #loops: Stoppable | undefined;
  #tls: TlsMaterial;

  constructor({ completed, chain, listener, lifetime, logger, ready, starting }: RunningParts) {
    this.#completed = completed;
    this.#tls = completed.tls;
    this.#chain = chain;
    this.#listener = listener;
    this.#lifetime = lifetime;
    this.#logger = logger;
    this.ready = ready;
    this.#starting = starting;
  }

  get url(): string {
    return reachableUrl(this.#listener);
  }

  get address(): string {
    return this.#listener.address;
  }

  get port(): number {
    return this.#listener.port;
  }

  get kubeconfig(): string | undefined {
    return this.#completed.kubeconfigFile;
  }

  get kubeconfigText(): string | undefined {
    const options = this.#completed.kubeconfig(this.url, this.#tls);
    return options === undefined ? undefined : this.#completed.platform.formatKubeconfig(options);
  }

  get handler(): Handler {
    return this.#chain.handler;
  }

  get transport(): Transport {
    return this.#chain.transport;
  }

  get health(): Health {
    return this.#chain.health;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Checks the certificates at intervals until the lifetime ends. */
  startRenewal(): void {
    const { platform, tls, reloadTls } = this.#completed;
    const renewal = startCertificateRenewal({
      clock: platform.clock,
      current: tls,
      reload: reloadTls,
      ...(namesTlsFiles(this.#completed.options) && { intervalMs: FILES_MS }),
      fingerprint: ({ config, pki, proxyClient }) => JSON.stringify([config, pki.admin.certificatePem, proxyClient]),
      apply: (material) => this.#renew(material),
      onError: (error) => this.#logger.error('cannot renew the certificates; the next interval tries again', error),
    });
    this.#lifetime.add('certificate renewal', () => renewal.stop());
  }

  /** Starts the control loops once the server is ready, unless it is stopped before. */
  startLoops(): void {
    void this.ready.then(
      () => {
        if (this.#stopping !== undefined) return;
        const loops = this.#chain.startLoops();
        this.#loops = loops;
        this.#lifetime.add('control loops', () => loops.stop());
      },
      () => undefined, // the caller of `ready` reports the failure
    );
  }

  async writeKubeconfig(material: TlsMaterial): Promise<void> {
    const { kubeconfigFile, platform } = this.#completed;
    const options = this.#completed.kubeconfig(this.url, material);
    if (kubeconfigFile !== undefined && options !== undefined) await platform.writeKubeconfig(kubeconfigFile, options);
  }

  async #renew(material: TlsMaterial): Promise<void> {
    this.#listener.setTls(material.config);
    this.#chain.setTls(material);
    this.#tls = material;
    await this.writeKubeconfig(material);
    this.#logger.info('renewed the certificates; open connections keep theirs');
  }

  async #stop(): Promise<void> {
    const { platform, options } = this.#completed;
    this.#starting.abort();
    await this.#chain.preShutdown();
    if (options.shutdownDelayMs > 0) await sleep(platform.clock, options.shutdownDelayMs);
    await this.#loops?.stop();
    this.#chain.drain();
    const graceEnded = new Deferred<void>();
    const grace = platform.clock.setTimer(options.shutdownGraceMs, () => {
      this.#logger.warn('requests did not finish within the grace period; their connections are closed', {
        connections: this.#listener.connections(),
      });
      // Not awaited: drain() below resolves when both have ended.
      void this.#listener.stop();
      graceEnded.resolve();
    });
    // Meanwhile connections are still accepted, and new requests get 429 with Retry-After.
    if (options.shutdownSendRetryAfter) await Promise.race([this.#chain.settled(), graceEnded.promise]);
    await this.#listener.drain();
    grace.cancel();
    await this.ready.catch(() => undefined);
    await this.#lifetime.stop();
  }
}
