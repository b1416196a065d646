/**
 * The delegation chain: filters → aggregator → built-in kinds → custom resources → 404. The servers are created in the
 * order of their dependencies. They publish to one generic server and share its filters, so a request passes the
 * filters once.
 */
import { AggregatorServer } from '../aggregator/aggregator-server.ts';
import { API_SERVICE } from '../aggregator/api-service.ts';
import { createBackendClient } from '../aggregator/proxy/backend-client.ts';
import { createProxy } from '../aggregator/proxy/proxy-request.ts';
import { type ApiExtensionsServer, createApiExtensionsServer } from '../apiextensions/api-extensions-server.ts';
import { converterFactory } from '../apiextensions/conversion/choose-converter.ts';
import type { Transport } from '../apimachinery/http/transport.ts';
import { Deferred } from '../base/deferred.ts';
import type { Lifetime, Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { randomUuid } from '../base/random.ts';
import { KindDescriptions } from '../kinds/descriptions.ts';
import { typeName, viewOfTypeName } from '../kinds/views.ts';
import type { ServerIdentity } from '../kube/bootstrap/service-network.ts';
import type { WebhookCalls } from '../kube/kube-server-options.ts';
import type { KubeServer } from '../kube/server.ts';
import { LOOPS } from '../loops/loops.ts';
import { selectLoops } from '../loops/select-loops.ts';
import type { Listener } from '../node/listener.ts';
import { checkCaBundle } from '../pki/ca-bundle.ts';
import { Loopback } from '../server/filters/authentication/loopback.ts';
import { GenericServer } from '../server/generic-server.ts';
import type { Health } from '../server/health.ts';
import type { Handler } from '../server/http/exchange.ts';
import { NOT_FOUND } from '../server/http/paths.ts';
import { createServiceResolver } from '../server/http/service-resolver.ts';
import type { LongRunningRules } from '../server/in-flight.ts';
import { registerProcessMetrics } from '../server/metrics/process-metrics.ts';
import type { ServerMetrics } from '../server/metrics/server-metrics.ts';
import type { StoredForms } from '../server/registry/stored-forms.ts';
import type { StoredDefinition } from '../server/resource/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import { composeAuthenticator, requestHeaderNames, tokenAuthentication } from './authentication.ts';
import type { CompletedOptions } from './complete-options.ts';
import { createKube, type ServingParts } from './create-kube.ts';
import {
  AGGREGATOR_HOOKS,
  APIEXTENSIONS_HOOKS,
  DISCOVERY_HOOK,
  KUBE_HOOKS,
  PROXY_CERTIFICATE_HOOK,
} from './hook-names.ts';
import { startControlLoops } from './loops/control-loops.ts';
import { createRefusingClient } from './no-outbound.ts';
import { openAudit } from './open-audit.ts';
import { mountOpenId, OPENID_DOCUMENTED } from './openid-paths.ts';
import type { ServerOptions } from './options.ts';
import { pluginConfigurations } from './plugin-configurations.ts';
import { externalAddress, serverIdentity } from './server-address.ts';
import { addStorageChecks, overrideWarnings, overridingHost, registryHost } from './storage-host.ts';
import { startStorageMetrics } from './storage-metrics.ts';
import { DELEGATE_GROUPS, type Storages } from './storages.ts';
import type { StoredEncryption } from './stored-encryption.ts';
import type { TlsMaterial } from './tls-material.ts';

export interface ServerChain {
  /** Serves a request of a listener. Never throws or rejects. */
  readonly handler: Handler;
  /** Sends requests to the handler without a socket, as the server's own user. */
  readonly transport: Transport;
  readonly health: Health;
  readonly metrics: ServerMetrics;
  /** Sets the address of the servers. Called once, after the listener listens and before `start()`. */
  setListener(listener: Listener): void;
  /** Runs the post-start hooks, which write the objects of a new server. `/readyz` passes after that. Called once. */
  start(): Promise<void>;
  /** Starts the control loops that `--controllers` selects. Called once, after `start()` has resolved. */
  startLoops(): Stoppable;
  /**
   * Called with certificates that were read again. Replaces the certificate of the front proxy and the published CAs.
   */
  setTls(material: TlsMaterial): void;
  /** Makes `/readyz` fail and runs the pre-shutdown hooks. */
  preShutdown(): Promise<void>;
  /** Ends watches cleanly and refuses new requests. */
  drain(): void;
  /** Resolves when the requests in flight have ended, except long-running ones. */
  settled(): Promise<void>;
}

/** kube-apiserver's rules. Some of these subresources are not served here. */
const LONG_RUNNING: LongRunningRules = {
  verbs: ['watch', 'proxy'],
  subresources: ['attach', 'exec', 'proxy', 'log', 'portforward'],
};

export interface ServerChainParts {
  readonly storages: Storages;
  /** The storages without the transformation of values, for metrics of their size. Default: none. */
  readonly media?: readonly Storage[];
  /** The registry of `/metrics`. Default: the generic server creates one. */
  readonly metricRegistry?: MetricRegistry;
  readonly logger: Logger;
  readonly logRequests: boolean;
  /** The flags that `/flagz` shows. Undefined: `/flagz` is not served. */
  readonly flags: Readonly<Record<string, string>> | undefined;
  /** Everything that the chain opens is added to this lifetime. */
  readonly lifetime: Lifetime;
  /** The stored forms with which the storage transforms its values. The chain binds the built-in resources to them. */
  readonly forms: StoredForms;
  /** The encryption of stored values, which adds its checks and metrics to the server. Default none. */
  readonly encryption?: StoredEncryption | undefined;
  /**
   * Whether the storage must not be written. The server then writes no bootstrap objects, runs no loops and calls no
   * other servers.
   */
  readonly readOnly?: boolean;
}

/**
 * Creates the servers and the filters. Nothing is stored before `start()`. Throws ConfigError for an invalid option or
 * file.
 */
export async function createServerChain(completed: CompletedOptions, parts: ServerChainParts): Promise<ServerChain> {
  const { storages, logger, lifetime, readOnly = false } = parts;
  const { options, platform } = completed;
  const address: PublishedAddress = { hostAndPort: '', self: undefined };
  let trust = completed.tls;
  const server = createGenericServer(completed, parts, address);
  addStorageChecks(server.health, storages, options);
  parts.encryption?.attach(server);

  const loopback = new Loopback();
  const selected = selectLoops(
    options.controllers,
    LOOPS.map(({ name }) => name),
  );
  const host = registryHost(completed, parts, server.serving);
  const serving = { ...server.serving, host, logger };
  const outbound = readOnly ? createRefusingClient() : platform.createOutboundClient();
  const own = loopback.transport((incoming) => handler(incoming));
  const kube = createKube(
    completed,
    { ...serving, host: overridingHost(host, storages) },
    {
      webhooks: readOnly
        ? undefined
        : { client: outbound, services: { resolve: (...service) => resolver.resolve(...service) } },
      configurations: pluginConfigurations(completed, parts, server.metricRegistry),
      readOnly,
      transport: own,
      metricRegistry: server.metricRegistry,
      authenticateToken: (token, audiences) => tokens.authenticate(token, audiences),
      delegate: (request) => extensions.handle(request),
      self: () => address.self,
      tls: () => trust,
      terminatesNamespaces: selected('namespace-controller'),
    },
  );
  const resolver = createServiceResolver({
    objects: kube.services,
    random: Math.random,
    routing: options.aggregation.routing,
  });
  const extensions = createExtensions(serving, { client: outbound, services: resolver }, kube, readOnly);
  parts.forms.bind([...kube.definitions, extensions.definition], isStoredAsJson);
  for (const warning of overrideWarnings(storages, kube.definitions)) logger.warn(warning);
  lifetime.add('calls to webhooks and extension servers', () => outbound.stop());
  const servers = [
    { server: kube, name: 'built-in kinds' },
    { server: extensions, name: 'custom resources' },
  ];
  for (const { server: delegate, name } of servers) {
    server.onDrain(() => delegate.drain());
    lifetime.add(name, () => delegate.stop());
  }
  const published = new Deferred<void>();
  const client = createBackendClient({
    outbound,
    services: resolver,
    clientCertificate: () => trust.proxyClient,
    loopback: own,
  });
  const aggregator = new AggregatorServer({
    clock: platform.clock,
    logger,
    metrics: server.metricRegistry,
    apiServices: kube.resource(API_SERVICE.plural),
    discovery: server.discovery,
    openapi: server.openapi,
    published: () => published.promise,
    services: kube.lister('services'),
    endpointSlices: kube.lister('endpointslices'),
    resolver,
    client,
    proxy: createProxy({
      client,
      clock: platform.clock,
      rejectsRedirects: options.aggregation.rejectRedirects,
      own: kube.handle,
    }),
    delegate: kube.handle,
    readOnly,
    ...(!storages.main.embedded && { unregistered: UNKNOWN_TO_REFERENCE }),
  });
  lifetime.add('aggregation', () => aggregator.stop());
  server.addPostStartHook(KUBE_HOOKS, () => kube.start());
  server.addPreShutdownHook(() => kube.leave());
  server.addPostStartHook(APIEXTENSIONS_HOOKS, async () => {
    await extensions.start();
    published.resolve();
  });
  addAggregatorHooks(server, options, aggregator);

  const tokens = tokenAuthentication(completed, loopback, kube.serviceAccountTokens);
  for (const warning of tokens.warnings) logger.warn(warning);
  mountOpenId(server.mux, () => kube.openIdDocuments(address.hostAndPort), logger);
  const audit = await openAudit(completed, logger, lifetime);
  const handler = server.prepare({
    authenticate: composeAuthenticator(completed, tokens.authenticate),
    authorizer: kube.authorizer,
    delegate: aggregator.handle,
    requestHeaders: requestHeaderNames(completed),
    ...(options.limits.priorityAndFairness && { flows: kube.flows }),
    ...(audit && { audit }),
  });
  return {
    handler,
    transport: loopback.transport(handler),
    health: server.health,
    metrics: server.metrics,
    setListener: (listener) => {
      address.hostAndPort = externalAddress(completed, listener);
      address.self = serverIdentity(completed, listener);
    },
    setTls: (material) => {
      trust = material;
    },
    start: async () => {
      await server.start();
      if (lifetime.stopped) return;
      const metrics = startStorageMetrics({
        registry: server.metricRegistry,
        clock: platform.clock,
        resources: () => [...kube.counted(), ...extensions.counted()],
        media: parts.media ?? [],
        countPollMs: options.etcd.countPollMs,
        sizePollMs: options.etcd.sizePollMs,
      });
      lifetime.add('metrics of the storage', () => metrics.stop());
    },
    startLoops: () =>
      startControlLoops({ completed, storages, forms: parts.forms, logger, loopback, handler, server, kube, selected }),
    preShutdown: () => server.preShutdown(),
    drain: () => server.drain(),
    settled: () => server.settled(),
  };
}

/**
 * Adds the aggregator's hooks, and kube-apiserver's check `autoregister-completion`, which passes when every local
 * version is registered.
 */
function addAggregatorHooks(server: GenericServer, { aggregation }: ServerOptions, aggregator: AggregatorServer): void {
  let missing: string | undefined = 'missing APIServices of local versions';
  server.health.addBootCheck({ name: 'autoregister-completion', check: () => missing });
  const names = [...AGGREGATOR_HOOKS, ...(aggregation.proxyClientCertFile === '' ? [] : [PROXY_CERTIFICATE_HOOK])];
  server.addPostStartHook(names, async () => {
    await aggregator.start();
    missing = undefined;
  });
  server.addPostStartHook([DISCOVERY_HOOK], () => aggregator.discovered());
}

/** The address of the server. Empty until the listener listens. */
interface PublishedAddress {
  hostAndPort: string;
  self: ServerIdentity | undefined;
}

function createGenericServer(
  { options, platform }: CompletedOptions,
  { logger, logRequests, flags, metricRegistry }: ServerChainParts,
  address: PublishedAddress,
): GenericServer {
  const { strictTransportSecurity } = options.serving;
  const { reported } = options;
  const server = new GenericServer({
    clock: platform.clock,
    logger,
    logRequests,
    types: { view: viewOfTypeName, typeName },
    build: {
      ...platform.buildInfo(),
      ...(reported.version !== '' && { reportedVersion: reported.version }),
      ...(reported.commit !== '' && { commit: reported.commit }),
      ...(reported.treeState !== '' && { treeState: reported.treeState }),
    },
    startedAt: platform.processUsage().startedAt,
    externalAddress: () => address.hostAndPort,
    openapi: {
      paths: OPENID_DOCUMENTED,
      descriptions: new KindDescriptions((packageId) => platform.kindDescriptions(packageId)),
      prepared: () => platform.preparedOpenApi(),
    },
    livezGracePeriodMs: options.livezGracePeriodMs,
    limits: options.limits,
    sendRetryAfter: options.shutdownSendRetryAfter,
    longRunning: LONG_RUNNING,
    ...(metricRegistry && { metricRegistry }),
    gzip: platform.compressor,
    ...(flags && { flags }),
    ...(strictTransportSecurity.length > 0 && { strictTransportSecurity: strictTransportSecurity.join('; ') }),
  });
  registerProcessMetrics(server.metricRegistry, () => platform.processUsage());
  return server;
}

/**
 * Versions that kube-apiserver does not serve get no APIService: a kube-apiserver on the same etcd would announce them
 * in discovery.
 */
const UNKNOWN_TO_REFERENCE = ['v1beta1.apiextensions.k8s.io'];

function isStoredAsJson({ storageVersion }: StoredDefinition): boolean {
  return DELEGATE_GROUPS.has(storageVersion.group);
}

function createExtensions(
  serving: ServingParts,
  webhooks: WebhookCalls,
  kube: KubeServer,
  readOnly: boolean,
): ApiExtensionsServer {
  return createApiExtensionsServer({
    ...serving,
    readOnly,
    delegate: () => NOT_FOUND,
    admission: kube.admission,
    namespaces: kube.namespaces,
    authorizer: kube.authorizer,
    checkCaBundle,
    converter: converterFactory({
      ...webhooks,
      newUid: randomUuid,
    }),
  });
}
