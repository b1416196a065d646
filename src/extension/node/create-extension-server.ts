/**
 * An extension API server on Node: `await createExtensionServer({ resources }).listen()`.
 * Invariant: everything that the server opens belongs to one lifetime, which is stopped in reverse order after a failed
 * start and at shutdown.
 */
import { createAdmission } from '../../admission/plugin-chain.ts';
import type { WebhookHost } from '../../admission/post-review.ts';
import type { Transport } from '../../apimachinery/http/transport.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { BugError, ConfigError } from '../../base/errors.ts';
import { Lifetime } from '../../base/lifetime.ts';
import { type Logger, SILENT } from '../../base/logger.ts';
import { settleAll } from '../../base/settle-all.ts';
import { gzipCompressor } from '../../node/gzip.ts';
import { hashText } from '../../node/hash-text.ts';
import { connect } from '../../node/kubeconfig/connect.ts';
import { createOutboundClient } from '../../node/outbound/outbound-client.ts';
import { nodeBuildInfo, nodeProcessUsage, servingHosts } from '../../node/platform.ts';
import { ServingCertificates } from '../../node/tls/serving-certificates.ts';
import { type ApiServer, createServer } from '../../server/create-server.ts';
import { Loopback } from '../../server/filters/authentication/loopback.ts';
import type { Handler } from '../../server/http/exchange.ts';
import type { OutboundClient } from '../../server/http/outbound.ts';
import { plainAnswer } from '../../server/http/plain-answers.ts';
import { registerProcessMetrics } from '../../server/metrics/process-metrics.ts';
import type { ResourceDefinition } from '../../server/resource/resource-definition.ts';
import { type Access, PROBE_PATHS } from '../access.ts';
import { delegatedAccess } from '../delegated/delegated-access.ts';
import type {
  ExtensionListenOptions,
  ExtensionServer,
  ExtensionServerOptions,
  IssuedCertificate,
  ListeningServer,
  ParentOptions,
} from '../extension-server.ts';
import { standaloneAccess } from '../standalone-access.ts';
import { listenOn, type ServingListener } from './listen-on.ts';
import { openAuditFile } from './open-audit-file.ts';
import { folderOf, openStorage } from './open-storage.ts';

/**
 * Creates a server. It opens nothing before `start` or `listen`. Throws ConfigError for options that contradict each
 * other.
 */
export function createExtensionServer(options: ExtensionServerOptions): ExtensionServer {
  if (options.resources.length === 0) throw new ConfigError('an extension server needs at least one resource');
  if (options.standalone === true && options.parent !== undefined)
    throw new ConfigError('a standalone server has no parent: set standalone or parent');
  return new NodeExtensionServer(options);
}

const NOT_STARTED = plainAnswer(503, 'The server has not started yet, please try again later.', { 'retry-after': '1' });

/** The parts of a server that has started. */
interface Started {
  readonly server: ApiServer;
  readonly access: Access;
  readonly transport: Transport;
}

class NodeExtensionServer implements ExtensionServer {
  readonly resources: readonly ResourceDefinition[];
  readonly handler: Handler;
  readonly transport: Transport;
  readonly #options: ExtensionServerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #certificates: ServingCertificates;
  readonly #lifetime = new Lifetime('extension server');
  #starting: Promise<Started> | undefined;
  #server: ApiServer | undefined;
  #listener: ServingListener | undefined;
  #listening = false;
  readonly #stopped = new Deferred<void>();
  #stopping: Promise<void> | undefined;

  constructor(options: ExtensionServerOptions) {
    this.resources = options.resources;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? SILENT;
    this.#certificates = new ServingCertificates({
      clock: this.#clock,
      authorityName: 'keelson-extension',
      folder: folderOf(options.storage),
    });
    this.handler = (incoming) => this.#server?.handler(incoming) ?? NOT_STARTED;
    this.transport = async (request) => (await this.#start()).transport(request);
  }

  async start(): Promise<void> {
    await this.#start();
  }

  async listen(options: ExtensionListenOptions = {}): Promise<ListeningServer> {
    if (this.#listening) throw new BugError('an extension server listens once');
    this.#listening = true;
    options.signal?.throwIfAborted();
    const standalone = this.#options.standalone === true;
    const host = options.host ?? (standalone ? '127.0.0.1' : '0.0.0.0');
    this.#certificates.addHosts([...servingHosts(host), ...(options.hosts ?? [])]);
    // Issue the certificate while the server waits for its parent and its disk.
    const issued = options.certFile === undefined ? this.#certificates.serving() : undefined;
    const [{ server, access }, issuedCertificate] = await settleAll([this.#start(), issued]);
    try {
      this.#listener = await listenOn(options, {
        handler: server.handler,
        metrics: server.generic.metrics,
        certificates: this.#certificates,
        issued: issuedCertificate,
        access,
        clock: this.#clock,
        logger: this.#logger,
        host,
        admin: standalone,
        stop: () => this.stop(),
        stopped: this.#stopped.promise,
      });
    } catch (caught) {
      await this.stop();
      throw caught;
    }
    return this.#listener.listening;
  }

  async issueCertificate(name: string, hosts: readonly string[]): Promise<IssuedCertificate> {
    const { leaf, authority } = await this.#certificates.issue(name, hosts);
    return { certificate: leaf.certificatePem, key: leaf.keyPem, ca: authority.certificatePem };
  }

  async addServingHosts(hosts: readonly string[]): Promise<string> {
    this.#certificates.addHosts(hosts);
    await this.#listener?.reload();
    return this.#certificates.ca();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #start(): Promise<Started> {
    if (this.#stopping !== undefined) throw new BugError('the extension server was stopped');
    this.#starting ??= this.#open().catch(async (caught: unknown) => {
      await this.#lifetime.stop();
      throw caught;
    });
    return this.#starting;
  }

  async #open(): Promise<Started> {
    const { resources, limits, version = '0.0.0', setup, admission = {}, authorization = {} } = this.#options;
    const lifetime = this.#lifetime;
    const loopback = new Loopback();
    const context = { clock: this.#clock, logger: this.#logger, lifetime };
    const [access, storage, audit] = await settleAll([
      this.#openAccess(loopback),
      openStorage(this.#options, context),
      openAuditFile(this.#options.audit, context),
    ]);
    const usage = nodeProcessUsage;
    const server = createServer({
      resources,
      storage,
      clock: this.#clock,
      logger: this.#logger,
      authenticate: access.authenticate,
      authorizer: access.authorizer,
      alwaysAllowPaths: authorization.alwaysAllowPaths ?? PROBE_PATHS,
      admission: createAdmission([...access.plugins, ...(admission.plugins ?? [])], {
        ...(admission.disable && { disable: admission.disable }),
      }),
      build: nodeBuildInfo(version),
      startedAt: usage().startedAt,
      gzip: gzipCompressor,
      ...(access.namespaces && { namespaces: access.namespaces }),
      ...(access.requestHeaders && { requestHeaders: access.requestHeaders }),
      ...(limits && { limits }),
      ...(audit && { audit }),
    });
    lifetime.add('stores', () => server.stop());
    registerProcessMetrics(server.generic.metricRegistry, usage);
    server.generic.health.add({ name: 'storage', check: async () => void (await storage.revision()) });
    for (const check of access.checks) server.generic.health.addTo('readyz', check);
    setup?.(server.generic);
    await server.start();
    access.followConfigurations();
    this.#server = server;
    return { server, access, transport: loopback.transport(server.handler) };
  }

  async #openAccess(loopback: Loopback): Promise<Access> {
    const { authentication = {}, authorization = {}, standalone = false, parent = {} } = this.#options;
    const own = loopback.authenticate;
    if (standalone) return standaloneAccess({ authentication, authorization, ca: await this.#certificates.ca(), own });
    const transport = parent.transport ?? (await this.#connect(parent));
    const access = await delegatedAccess({
      authentication,
      authorization,
      transport,
      hash: hashText,
      webhooks: this.#webhookClient(),
      own,
      clock: this.#clock,
      logger: this.#logger,
    });
    this.#lifetime.add('access', () => access.stop());
    return access;
  }

  async #connect({ kubeconfig, context }: ParentOptions): Promise<Transport> {
    const connection = await connect({
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
      warn: (message) => this.#logger.warn(message),
      clock: this.#clock,
    });
    this.#lifetime.add('connection to the parent', () => connection.stop());
    return connection.transport;
  }

  /** Returns a client that opens its connections when the first webhook is called. */
  #webhookClient(): WebhookHost['client'] {
    let client: OutboundClient | undefined;
    const open = (): OutboundClient => {
      const opened = createOutboundClient({ clock: this.#clock });
      this.#lifetime.add('calls of webhooks', () => opened.stop());
      return opened;
    };
    return {
      post: (call) => {
        client ??= open();
        return client.post(call);
      },
    };
  }

  async #stop(): Promise<void> {
    const started = await this.#starting?.catch(() => undefined);
    await started?.server.drain();
    await this.#listener?.stop();
    await this.#lifetime.stop();
    this.#stopped.resolve();
  }
}
