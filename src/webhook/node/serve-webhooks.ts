/**
 * A webhook server on Node: `await serveWebhooks({ name, validate: [validating(Pod, checkPod)] })`.
 * Invariant: an API server that this program is registered with trusts a new certificate before the listener uses it.
 */
import type { Transport } from '../../apimachinery/http/transport.ts';
import { onAbort } from '../../base/abort.ts';
import { systemClock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { BugError } from '../../base/errors.ts';
import { Lifetime } from '../../base/lifetime.ts';
import { type Logger, SILENT } from '../../base/logger.ts';
import { createClient } from '../../client/create-client.ts';
import { drainWithin } from '../../node/drain-within.ts';
import { connect } from '../../node/kubeconfig/connect.ts';
import { type Listener, startListener } from '../../node/listener.ts';
import { servingHosts } from '../../node/platform.ts';
import { problemLogger } from '../../node/problems.ts';
import { reachableUrl } from '../../node/reachable-url.ts';
import { ServingCertificates } from '../../node/tls/serving-certificates.ts';
import { startCertificateRenewal } from '../../pki/certificate-renewal.ts';
import { WebhookRegistration } from '../registration.ts';
import { webhookHandler } from '../webhook-handler.ts';
import type {
  RegisterOptions,
  Registration,
  WebhookAddress,
  WebhookServer,
  WebhookServerOptions,
} from '../webhook-server.ts';
import { checkFiles, loadMaterial, type ServingMaterial } from './serving-material.ts';

/** How often the files of an operator are read again. */
const FILES_MS = 10_000;
/** How often a certificate of the program's own CA is checked. It is renewed days before it expires. */
const ISSUED_MS = 3_600_000;
const GRACE_MS = 5_000;

/**
 * Listens and answers reviews. Throws ConfigError for names, ports or certificates that cannot be used. Nothing is
 * registered before `register` is called.
 */
export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  const { clock = systemClock, logger = SILENT, host = '127.0.0.1', hosts = [], folder, name } = options;
  options.signal?.throwIfAborted();
  checkFiles(options);
  const { maxBodyBytes } = options;
  const handler = webhookHandler(options, { clock, logger, maxBodyBytes });
  const certificates = new ServingCertificates({ clock, authorityName: name, folder });
  certificates.addHosts([...servingHosts(host), ...hosts]);
  const material = await loadMaterial(options, certificates);
  const listener = await startListener({
    host,
    port: options.port ?? 0,
    tls: material.tls,
    handler,
    clock,
    onProblem: problemLogger(logger),
  });
  const server = new NodeWebhookServer({ options, listener, certificates, material, logger });
  server.start();
  return server;
}

interface Parts {
  readonly options: WebhookServerOptions;
  readonly listener: Listener;
  readonly certificates: ServingCertificates;
  readonly material: ServingMaterial;
  readonly logger: Logger;
}

/** A registration, and the address that it was made with. */
interface Registered {
  readonly registration: WebhookRegistration;
  readonly address: WebhookAddress;
}

class NodeWebhookServer implements WebhookServer {
  readonly url: string;
  readonly port: number;
  readonly #parts: Parts;
  readonly #lifetime = new Lifetime('webhook server');
  readonly #registered = new Set<Registered>();
  readonly #stopped = new Deferred<void>();
  #ca: string;
  #stopping: Promise<void> | undefined;
  /** Registrations and changes of the certificate run one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#ca = parts.material.ca;
    this.url = reachableUrl(parts.listener);
    this.port = parts.listener.port;
  }

  get ca(): string {
    return this.#ca;
  }

  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  start(): void {
    const { options, listener, certificates, material, logger } = this.#parts;
    const { clock = systemClock, shutdownGraceMs: graceMs = GRACE_MS } = options;
    this.#lifetime.add('listener', () => drainWithin(listener, { clock, logger, graceMs }));
    const renewal = startCertificateRenewal({
      clock,
      intervalMs: options.certFile === undefined ? ISSUED_MS : FILES_MS,
      current: material,
      reload: () => loadMaterial(options, certificates),
      fingerprint: (one) => JSON.stringify(one),
      apply: (next) => this.#inTurn(() => this.#replace(next)),
      onError: (error) => logger.error('cannot replace the certificates; the next interval tries again', error),
    });
    this.#lifetime.add('renewal', () => renewal.stop());
    const forget = onAbort(options.signal, () => void this.stop());
    if (this.#stopping === undefined) this.#lifetime.add('signal', forget);
  }

  async register(options: RegisterOptions = {}): Promise<Registration> {
    if (this.#stopping !== undefined) throw new BugError('the webhook server was stopped');
    const { address = { url: this.url }, signal } = options;
    const client = createClient(options.transport ?? (await this.#connect(options.kubeconfig)));
    const { clock = systemClock } = this.#parts.options;
    const registration = new WebhookRegistration(this.#parts.options, client, clock, () =>
      this.#registered.delete(registered),
    );
    const registered: Registered = { registration, address };
    await this.#inTurn(async () => {
      if ('service' in address) await this.#addHosts(address.service);
      await registration.apply({ address, ca: this.#ca }, signal === undefined ? {} : { signal });
      this.#registered.add(registered);
    });
    return registration;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#lifetime.stop().finally(() => this.#stopped.resolve());
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Adds the names of a Service to the certificate, because the API server verifies the certificate by these names. */
  async #addHosts({ name, namespace }: { readonly name: string; readonly namespace: string }): Promise<void> {
    const { options, certificates } = this.#parts;
    if (options.certFile !== undefined) return;
    certificates.addHosts([`${name}.${namespace}.svc`]);
    await this.#replace(await loadMaterial(options, certificates));
  }

  async #connect(kubeconfig: string | undefined): Promise<Transport> {
    const { clock = systemClock } = this.#parts.options;
    const connection = await connect({
      ...(kubeconfig !== undefined && { kubeconfig }),
      warn: (message) => this.#parts.logger.warn(message),
      clock,
    });
    this.#lifetime.add('connection to the API server', () => connection.stop());
    return connection.transport;
  }

  /**
   * Replaces the certificate. API servers trust both CAs during the change, because connections with the old
   * certificate may still be made.
   */
  async #replace({ tls, ca }: ServingMaterial): Promise<void> {
    if (ca !== this.#ca) {
      const both = `${ca.trimEnd()}\n${this.#ca}`;
      for (const { registration, address } of this.#registered) await registration.apply({ address, ca: both });
    }
    this.#parts.listener.setTls(tls);
    this.#ca = ca;
    this.#parts.logger.info('replaced the certificate of the webhook server; open connections keep theirs');
  }
}
