/**
 * Encrypts stored values by `--encryption-provider-config`, for any storage.
 * Invariant: a changed file is used only if it is valid and all of its KMS plugins are healthy. Otherwise the current
 * configuration stays in use.
 */
import { unlessAborted } from '../base/abort.ts';
import { type Clock, sleep, type Timer } from '../base/clock.ts';
import { ConfigError, toError } from '../base/errors.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import type { Health } from '../server/health.ts';
import type { StoredForms } from '../server/registry/stored-forms.ts';
import { Encryption, type EncryptionRules, type TransformationObserver } from '../storage/encryption/encryption.ts';
import type { ProviderFactory } from '../storage/encryption/provider.ts';
import type { NamedText } from './complete-options.ts';
import { parseEncryptionConfig } from './encryption-config.ts';
import type { EncryptionMetrics } from './encryption-metrics.ts';
import { etcdKeyOf } from './etcd-keys.ts';
import { RELOAD_HOOK } from './hook-names.ts';
import type { ProviderSet } from './provider-set.ts';

/**
 * Creates the transformer. `forms` must be bound before a value is transformed. `prefix` is the prefix of the keys in
 * etcd.
 */
export function createEncryption(
  rules: EncryptionRules,
  forms: StoredForms,
  prefix: string,
  observer?: TransformationObserver,
): Encryption {
  return new Encryption({
    rules,
    observer,
    resourceOf: (key) => forms.groupResourceOf(key),
    // Embedded stores use the key in etcd, too, so that encrypted values can be moved between both.
    pathOf: (key) => etcdKeyOf(key, prefix),
  });
}

/** The times of k8s.io/apiserver (server/options/encryptionconfig/controller). */
const INTERVAL_MS = 60_000;
const MIN_HEALTH_MS = 10_000;
const HEALTH_RETRY_MS = 100;
/** How long the first writes may be delayed, as for kube-apiserver's bootstrap policy. */
const START_MS = 30_000;
/** The name of the health check of all KMS plugins together. */
const KMS_CHECK = 'kms-providers';

export interface StoredEncryptionOptions {
  readonly config: NamedText;
  /** `--encryption-provider-config-automatic-reload`. */
  readonly reload: boolean;
  readonly forms: StoredForms;
  /** The prefix of the keys in etcd. */
  readonly prefix: string;
  readonly factory: ProviderFactory;
  readonly metrics: EncryptionMetrics;
  /** Returns the text of a file; undefined if it does not exist. */
  readonly readFile: (path: string) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The server to which an encryption adds its health check, its metrics and its post-start hook. */
export interface EncryptionHost {
  readonly health: Health;
  readonly metricRegistry: MetricRegistry;
  addPostStartHook(names: readonly string[], hook: () => Promise<void>): void;
}

export class StoredEncryption implements Stoppable {
  readonly transformer: Encryption;
  readonly #options: StoredEncryptionOptions;
  readonly #stopped = new AbortController();
  /** The providers of earlier configurations, whose calls may still run, and the timers that stop them. */
  readonly #former = new Map<ProviderSet, Timer>();
  #providers: ProviderSet;
  #text: string;
  #timer: Timer | undefined;
  #reloading: Promise<void> | undefined;

  /** Opens nothing before `start()`. Throws ConfigError if the configuration is invalid. */
  constructor(options: StoredEncryptionOptions) {
    const { config, factory, forms, prefix, metrics } = options;
    this.#options = options;
    this.#providers = parseEncryptionConfig(config, factory);
    this.#text = config.text;
    this.transformer = createEncryption(this.#providers.rules, forms, prefix, metrics);
  }

  /**
   * Adds the metrics, the health check and the hook to the server, as the configuration requires. Called once, before
   * `start()`.
   */
  attach(server: EncryptionHost): void {
    const { reload, metrics } = this.#options;
    metrics.register(server.metricRegistry);
    metrics.configured(this.#text);
    if (reload || this.#providers.hasKms) {
      // The check may take as long as all calls to the plugins together. livez does not have it.
      const timeoutMs = Math.max(MIN_HEALTH_MS, this.#providers.graceMs);
      const check = { name: KMS_CHECK, timeoutMs, check: () => this.#providers.check() };
      server.health.addTo('healthz', check);
      server.health.addTo('readyz', check);
    }
    if (reload) server.addPostStartHook([RELOAD_HOOK], async () => this.#schedule());
  }

  /** Gets the keys of the KMS plugins. Called once, before values are read or written. */
  start(): Promise<void> {
    return this.#providers.start();
  }

  /**
   * Resolves when a starting server can write its bootstrap objects. If a plugin encrypts other resources than Secrets,
   * waits up to 30 seconds for the plugin, which may start later than the server. Afterwards the writes fail with the
   * reason. Rejects with the reason of the signal if it aborts.
   */
  async untilWritable(signal: AbortSignal): Promise<void> {
    if (this.#providers.needsKmsForObjects) await this.#untilHealthy(this.#providers, START_MS, signal);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#timer?.cancel();
    await this.#reloading;
    for (const [providers, timer] of this.#former) {
      timer.cancel();
      await providers.stop();
    }
    await this.#providers.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #schedule(): void {
    if (this.#stopped.signal.aborted) return;
    const { clock } = this.#options;
    this.#timer = clock.setTimer(INTERVAL_MS, () => void this.#reload().finally(() => this.#schedule()), {
      background: true,
    });
  }

  #reload(): Promise<void> {
    this.#reloading = this.#readAgain().finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  async #readAgain(): Promise<void> {
    const { config, metrics, logger, readFile } = this.#options;
    const { path } = config;
    try {
      const text = await readFile(path);
      if (text === undefined) throw new ConfigError(`--encryption-provider-config: the file ${path} does not exist`);
      if (text === this.#text) return;
      await this.#use(text);
      metrics.reloaded(text);
      logger.info('uses the changed encryption configuration', { path });
    } catch (caught) {
      if (this.#stopped.signal.aborted) return;
      metrics.reloadFailed();
      logger.error('cannot use the changed encryption configuration; the present one stays in use', toError(caught));
    }
  }

  /**
   * Replaces the configuration. Throws ConfigError if the new one is invalid or has a KMS plugin that is not healthy.
   */
  async #use(text: string): Promise<void> {
    const { config, factory, clock } = this.#options;
    const next = parseEncryptionConfig({ path: config.path, text }, factory);
    try {
      await next.start();
      const withinMs = Math.max(MIN_HEALTH_MS, next.graceMs);
      const reason = await this.#untilHealthy(next, withinMs, this.#stopped.signal);
      if (reason !== undefined) throw new ConfigError(`health check for new transformers failed: ${reason}`);
    } catch (caught) {
      await next.stop();
      throw toError(caught);
    }
    const former = this.#providers;
    this.#providers = next;
    this.#text = text;
    this.transformer.setRules(next.rules);
    const end = (): void => {
      this.#former.delete(former);
      void former.stop();
    };
    this.#former.set(former, clock.setTimer(former.graceMs, end, { background: true }));
  }

  /** Waits until the plugins are healthy. Returns the reason if they are not healthy in time. */
  async #untilHealthy(providers: ProviderSet, withinMs: number, signal: AbortSignal): Promise<string | undefined> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + withinMs;
    for (;;) {
      const reason = await unlessAborted(providers.check(), signal);
      if (reason === undefined || clock.monotonic() >= deadline) return reason;
      await sleep(clock, HEALTH_RETRY_MS, { signal });
    }
  }
}
