/**
 * The listener of an extension server. Its serving certificate and the CAs of its clients can be replaced while it
 * runs; open connections stay open.
 */
import { onAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import type { Stoppable } from '../../base/lifetime.ts';
import type { Logger } from '../../base/logger.ts';
import { drainWithin } from '../../node/drain-within.ts';
import { type Listener, startListener } from '../../node/listener.ts';
import { problemLogger } from '../../node/problems.ts';
import { reachableUrl } from '../../node/reachable-url.ts';
import { readKeyPair } from '../../node/tls/read-key-pair.ts';
import type { ServingCertificate, ServingCertificates } from '../../node/tls/serving-certificates.ts';
import type { KeyPair, TlsConfig } from '../../node/tls/tls-config.ts';
import { startCertificateRenewal } from '../../pki/certificate-renewal.ts';
import { formatKubeconfig } from '../../pki/kubeconfig.ts';
import type { Handler } from '../../server/http/exchange.ts';
import type { ServerMetrics } from '../../server/metrics/server-metrics.ts';
import type { Access } from '../access.ts';
import type { ExtensionListenOptions, ListeningServer } from '../extension-server.ts';

/** How often `certFile` and `keyFile` are read again. */
const FILES_MS = 10_000;
/** How often an issued certificate is checked. It is renewed days before it expires. */
const ISSUED_MS = 3_600_000;
const GRACE_MS = 5_000;
/**
 * The name of an authority that no authenticator uses. It makes the listener request client certificates before a
 * client CA is known.
 */
const NO_AUTHORITY = 'none';

export interface ServingParts {
  readonly handler: Handler;
  readonly metrics: ServerMetrics;
  readonly certificates: ServingCertificates;
  /** The certificate that was issued during the start. Undefined: `certFile` is used. */
  readonly issued: ServingCertificate | undefined;
  readonly access: Access;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly host: string;
  /** Whether to make the kubeconfig of an administrator. */
  readonly admin: boolean;
  /** Stops the whole server. */
  stop(): Promise<void>;
  /** Resolves when the whole server has stopped. */
  readonly stopped: Promise<void>;
}

export interface ServingListener {
  readonly listening: ListeningServer;
  /** Reads the certificates and CAs again, and replaces those that have changed. */
  reload(): Promise<void>;
  /** Accepts no new requests, waits for those in flight, and closes all connections. */
  stop(): Promise<void>;
}

/** Listens. `certificates` must have the hosts of the server. Throws ConfigError if the port or the certificates cannot be used. */
export async function listenOn(options: ExtensionListenOptions, parts: ServingParts): Promise<ServingListener> {
  const { certFile, keyFile } = options;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new ConfigError('certFile and keyFile: set both or neither');
  const { certificates, issued, access, clock, logger, host } = parts;
  const withClientCas = async (pair: KeyPair): Promise<TlsConfig> => ({
    ...pair,
    clientCa: await clientCas(access, certificates),
    // An aggregator has one certificate and sends it without the name of a CA, too.
    namesClientCa: false,
  });
  const load = async (): Promise<TlsConfig> =>
    withClientCas(
      certFile === undefined ? (await certificates.serving()).pair : await readKeyPair(certFile, keyFile ?? ''),
    );
  // The program may have added hosts since the certificate was issued.
  const isCurrent = issued !== undefined && issued.hostCount === certificates.hostCount;
  const config = isCurrent ? await withClientCas(issued.pair) : await load();
  const caPem = issued === undefined ? config.cert : issued.ca;
  const listener = await startListener({
    host,
    port: options.port ?? 0,
    tls: config,
    handler: parts.handler,
    clock,
    onProblem: problemLogger(logger, parts.metrics),
  });
  const apply = (next: TlsConfig): void => {
    listener.setTls(next);
    logger.info('replaced the certificates of the listener; open connections keep theirs');
  };
  const renewal = startCertificateRenewal({
    clock,
    intervalMs: certFile === undefined ? ISSUED_MS : FILES_MS,
    current: config,
    reload: load,
    fingerprint: (material) => JSON.stringify(material),
    apply,
    onError: (error) => logger.error('cannot renew the certificates; the next interval tries again', error),
  });
  const reload = async (): Promise<void> => apply(await load());
  access.onClientCas(() => {
    reload().catch((caught: unknown) => logger.error('cannot use the CAs of clients', toError(caught)));
  });
  try {
    const kubeconfig = await adminKubeconfig();
    return new RunningListener({ options, parts, listener, renewal, reload, ca: caPem, kubeconfig });
  } catch (caught) {
    await Promise.all([renewal.stop(), listener.stop()]);
    throw caught;
  }

  async function adminKubeconfig(): Promise<string | undefined> {
    if (!parts.admin) return undefined;
    const { certificatePem, keyPem } = await certificates.admin();
    const credentials = { kind: 'certificate', certificatePem, keyPem } as const;
    return formatKubeconfig({ server: reachableUrl(listener), caPem, credentials });
  }
}

/** Returns at least one CA, because a listener cannot begin to request client certificates later. */
async function clientCas(access: Access, certificates: ServingCertificates): Promise<Readonly<Record<string, string>>> {
  const found = access.clientCas();
  return Object.keys(found).length > 0 ? found : { [NO_AUTHORITY]: await certificates.ca() };
}

interface RunningParts {
  readonly options: ExtensionListenOptions;
  readonly parts: ServingParts;
  readonly listener: Listener;
  readonly renewal: Stoppable;
  readonly reload: () => Promise<void>;
  readonly ca: string;
  readonly kubeconfig: string | undefined;
}

class RunningListener implements ServingListener {
  readonly listening: ListeningServer;
  readonly reload: () => Promise<void>;
  readonly #running: RunningParts;
  readonly #forget: () => void;

  constructor(running: RunningParts) {
    const { options, parts, listener, ca, kubeconfig } = running;
    this.#running = running;
    this.reload = running.reload;
    this.listening = {
      url: reachableUrl(listener),
      port: listener.port,
      ca,
      kubeconfig,
      stopped: parts.stopped,
      stop: () => parts.stop(),
      [Symbol.asyncDispose]: () => parts.stop(),
    };
    this.#forget = onAbort(options.signal, () => void parts.stop());
  }

  async stop(): Promise<void> {
    const { options, parts, listener, renewal } = this.#running;
    this.#forget();
    await renewal.stop();
    const { clock, logger } = parts;
    await drainWithin(listener, { clock, logger, graceMs: options.shutdownGraceMs ?? GRACE_MS });
  }
}
