/**
 * Puts a server together from completed options and starts it: the third stage, and the only place that knows all the parts. Invariant: everything that is opened belongs to
 * one lifetime, and is stopped in reverse order whether the start fails or the server ends; nothing that was answered is lost by stopping.
 */

import type { Transport } from '../apimachinery/http/transport.ts';
import { sleep } from '../base/clock.ts';
import { toError } from '../base/errors.ts';
import { Lifetime } from '../base/lifetime.ts';
import { type Logger, SILENT } from '../base/logger.ts';
import type { Listener } from '../node/listener.ts';
import type { Health } from '../server/health.ts';
import type { Handler } from '../server/http/exchange.ts';
import { startCompactor } from '../storage/compactor.ts';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { startCertificateRenewal } from './certificate-renewal.ts';
import type { CompletedOptions } from './complete-options.ts';
import type { ControlPlane } from './control-plane.ts';
import { createServerChain, type ServerChain } from './server-chain.ts';
import type { TlsMaterial } from './tls-material.ts';

export interface StartOptions {
  /** Default: nobody hears anything. */
  readonly logger?: Logger;
  /** A debug line for every request. Default false. */
  readonly logRequests?: boolean;
}

/**
 * Starts to listen, then to fill the store with what a fresh server contains; `ready` tells when that is done. Takes the options' hold on the data folder over. Throws ConfigError
 * if the port or the folder cannot be had, and leaves nothing open then.
 */
export async function startControlPlane(
  completed: CompletedOptions,
  { logger = SILENT, logRequests = false }: StartOptions = {},
): Promise<ControlPlane> {
  const lifetime = new Lifetime('control plane');
  lifetime.add('data folder', () => completed.release());
  try {
    const storage = await openStorage(completed, logger);
    lifetime.add('storage', () => storage.stop());
    const compactor = startCompactor(storage, {
      clock: completed.platform.clock,
      intervalMs: completed.options.compactionIntervalMs,
      onError: (error) => logger.error('old revisions could not be compacted', error),
    });
    lifetime.add('compactor', () => compactor.stop());
    const chain = await createServerChain(completed, { storage, logger, logRequests, lifetime });
    const listener = await listen(completed, chain, logger);
    lifetime.add('listener', () => listener.stop());
    chain.listensOn(listener);
    const plane = new RunningControlPlane(completed, chain, listener, lifetime, logger);
    await plane.writeKubeconfig(completed.tls);
    return plane;
  } catch (caught) {
    await lifetime.stop();
    throw caught;
  }
}

async function openStorage({ options, platform, storageFolder }: CompletedOptions, logger: Logger): Promise<Storage> {
  if (options.storage === 'memory') return createMemoryStorage({ clock: platform.clock });
  return platform.openStorage(storageFolder, (error) => logger.error('the store could not tidy up', error));
}

function listen({ options, platform, tls }: CompletedOptions, chain: ServerChain, logger: Logger): Promise<Listener> {
  const { bindAddress, port, maxStreamsPerConnection } = options.serving;
  return platform.listen({
    host: bindAddress,
    port,
    tls: tls.config,
    handler: chain.handler,
    limits: maxStreamsPerConnection === 0 ? {} : { maxStreams: maxStreamsPerConnection },
    clock: platform.clock,
    onProblem: ({ kind, message, remoteAddress, cause, suppressed }) => {
      const fields = { kind, remoteAddress, suppressed };
      if (kind === 'tls-handshake') chain.metrics.tlsHandshakeErrors.labels().add(1 + suppressed);
      if (kind === 'handler-failed') logger.error(message, cause, fields);
      // Clients that break off are no news.
      else if (kind === 'broken-protocol') logger.debug(message, fields);
      else logger.info(message, fields);
    },
  });
}

class RunningControlPlane implements ControlPlane {
  readonly ready: Promise<void>;
  readonly #completed: CompletedOptions;
  readonly #chain: ServerChain;
  readonly #listener: Listener;
  readonly #lifetime: Lifetime;
  readonly #logger: Logger;
  #stopping: Promise<void> | undefined;

  constructor(completed: CompletedOptions, chain: ServerChain, listener: Listener, lifetime: Lifetime, logger: Logger) {
    this.#completed = completed;
    this.#chain = chain;
    this.#listener = listener;
    this.#lifetime = lifetime;
    this.#logger = logger;
    this.ready = chain.start();
    // Whoever asks hears of a failure; nobody has to.
    this.ready.catch((caught) => logger.error('the server could not be filled', toError(caught)));
    const renewal = startCertificateRenewal({
      clock: completed.platform.clock,
      current: completed.tls,
      reload: () => completed.reloadTls(),
      apply: (material) => this.#renew(material),
      onError: (error) => logger.error('the certificates could not be renewed', error),
    });
    lifetime.add('renewal', () => renewal.stop());
  }

  get url(): string {
    return this.#listener.url;
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

  async writeKubeconfig(material: TlsMaterial): Promise<void> {
    const { kubeconfigFile, platform } = this.#completed;
    if (kubeconfigFile === undefined) return;
    await platform.writeKubeconfig(kubeconfigFile, this.#completed.kubeconfig(reachableUrl(this.#listener), material));
  }

  async #renew(material: TlsMaterial): Promise<void> {
    this.#listener.setTls(material.config);
    await this.writeKubeconfig(material);
    this.#logger.info('the certificates were renewed');
  }

  async #stop(): Promise<void> {
    const { platform, options } = this.#completed;
    await this.#chain.preShutdown();
    if (options.shutdownDelayMs > 0) await sleep(platform.clock, options.shutdownDelayMs);
    this.#chain.drain();
    const grace = platform.clock.setTimer(options.shutdownGraceMs, () => {
      this.#logger.warn('requests that did not finish in time are cut off', {
        connections: this.#listener.connections(),
      });
      // The promise of drain() tells the end of both.
      void this.#listener.stop();
    });
    await this.#listener.drain();
    grace.cancel();
    await this.ready.catch(() => undefined);
    await this.#lifetime.stop();
  }
}

/** What a client on this machine types: an unspecified address is no address to connect to. */
function reachableUrl({ address, port, url }: Listener): string {
  if (address === '0.0.0.0') return `https://127.0.0.1:${port}`;
  return address === '::' ? `https://[::1]:${port}` : url;
}
