/**
 * The servers behind one another and the filters in front of them: 404 ← custom resources ← built-in kinds ← filters. Invariant: a request passes the filters once, and
 * whatever serves resources publishes into the one discovery manager and the one OpenAPI manager.
 */
import { converterFactory } from '../apiextensions/conversion/choose-converter.ts';
import { type ApiExtensionsServer, createApiExtensionsServer } from '../apiextensions/server.ts';
import type { GroupVersionResource } from '../apimachinery/meta/gvk.ts';
import { toError } from '../base/errors.ts';
import type { Lifetime } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import { typeName, viewOfTypeName } from '../kinds/views.ts';
import { parseServiceRanges, type ServerIdentity } from '../kube/bootstrap/service-network.ts';
import { createKubeServer, type KubeServer } from '../kube/server.ts';
import type { Listener } from '../node/listener.ts';
import { checkCaBundle } from '../pki/ca-bundle.ts';
import { parseIp } from '../pki/ip.ts';
import type { TokenAuthenticator } from '../server/authentication.ts';
import { DiscoveryManager } from '../server/discovery/discovery-manager.ts';
import type { AuditOptions } from '../server/filters/audit/audit.ts';
import { parseAuditPolicy } from '../server/filters/audit/audit-policy.ts';
import { buildChain } from '../server/filters/filter-chain.ts';
import type { Health } from '../server/health.ts';
import type { Handler } from '../server/http/exchange.ts';
import type { InProcessTransport } from '../server/http/in-process.ts';
import type { OutboundClient } from '../server/http/outbound.ts';
import { mountHealth, mountMetrics, mountVersion, NOT_FOUND, PathMux } from '../server/http/paths.ts';
import type { RequestHandler } from '../server/http/request.ts';
import type { RequestInfo } from '../server/http/request-info.ts';
import { createServiceResolver } from '../server/http/service-resolver.ts';
import { createLongRunningCheck, InFlightGate } from '../server/in-flight.ts';
import { MetricRegistry } from '../server/metrics/metric-registry.ts';
import { registerServerMetrics, type ServerMetrics } from '../server/metrics/server-metrics.ts';
import { OpenApiManager } from '../server/openapi/openapi-manager.ts';
import { VERSION_PATH } from '../server/openapi/version-document.ts';
import type { TypeBook } from '../server/resource/meta-types.ts';
import type { RegistryHost } from '../server/resource/registry-host.ts';
import { versionInfo } from '../server/version-info.ts';
import type { Storage } from '../storage/storage.ts';
import { composeAuthenticator, Loopback, requestHeaderNames, tokenAuthentication } from './authentication.ts';

import type { CompletedOptions } from './complete-options.ts';
import { BOOT_HOOKS, BootState, createHealth } from './health-checks.ts';
import { mountOpenId, OPENID_DOCUMENTED } from './openid-paths.ts';
import { registerProcessMetrics } from './process-metrics.ts';

export interface Chain {
  readonly handler: Handler;
  readonly transport: InProcessTransport;
  readonly health: Health;
  readonly metrics: ServerMetrics;
  /** Where clients reach it, for documents that say so. */
  listensOn(listener: Listener): void;
  /** Fills the store with what a fresh server contains; readyz passes after that. Once. */
  start(): Promise<void>;
  /** Ends watches cleanly and refuses what comes now. */
  drain(): void;
}

/** The first segment of every key, as the reference's default. */
const SCOPE = 'registry';
// As the reference has them; those that nobody serves yet cost nothing.
const LONG_RUNNING = {
  verbs: ['watch', 'proxy'],
  subresources: ['attach', 'exec', 'proxy', 'log', 'portforward'],
};

export interface ChainParts {
  readonly storage: Storage;
  readonly logger: Logger;
  readonly logRequests: boolean;
  /** Gets what is opened here. */
  readonly lifetime: Lifetime;
}

/** Throws ConfigError for a file or a name of a plugin that cannot be used. */
export async function composeChain(completed: CompletedOptions, given: ChainParts): Promise<Chain> {
  const { storage, logger, lifetime } = given;
  const { options, platform } = completed;
  const { clock } = platform;
  const registry = new MetricRegistry();
  const metrics = registerServerMetrics(registry);
  registerProcessMetrics(registry, () => platform.processUse());
  const boot = new BootState(BOOT_HOOKS);
  const { livezGracePeriodMs } = options;
  const health = createHealth({ clock, logger, storage, livezGracePeriodMs, metrics }, boot);
  const types = { view: viewOfTypeName, typeName };
  const address: ExternalAddress = { hostAndPort: '', self: undefined };
  const discovery = new DiscoveryManager({
    addresses: () => [{ clientCIDR: '0.0.0.0/0', serverAddress: address.hostAndPort }],
    types,
  });
  const openapi = new OpenApiManager({
    clock,
    types,
    paths: [VERSION_PATH, ...OPENID_DOCUMENTED],
    prepared: () => platform.preparedOpenApi(),
  });
  const loopback = new Loopback();
  const authenticateToken: TokenAuthenticator = (token, audiences) => tokens.authenticate(token, audiences);
  const parts = { storage, logger, discovery, openapi, metrics, types };
  const delegate: RequestHandler = (request) => extensions.handle(request);
  const kube = createKube(completed, { ...parts, authenticateToken, delegate, self: () => address.self });
  const outbound = platform.createOutboundClient();
  const extensions = createExtensions(completed, { ...parts, outbound }, kube);
  lifetime.add('calls to webhooks', () => outbound.stop());
  lifetime.add('built-in kinds', () => kube.stop());
  lifetime.add('custom resources', () => extensions.stop());
  const tokens = tokenAuthentication(completed, loopback, kube.serviceAccountTokens);
  for (const warning of tokens.warnings) logger.warn(warning);

  const mux = new PathMux();
  mountVersion(mux, versionInfo(platform.buildInfo()));
  mountHealth(mux, health);
  mountMetrics(mux, registry, { startedAt: platform.processUse().startedAt });
  mountOpenId(mux, () => kube.openIdDocuments(address.hostAndPort), logger);
  mux.list(() => discovery.paths(), '/api');
  mux.list(() => openapi.paths(), '/openapi/');

  const gate = new InFlightGate({
    readOnly: options.limits.readOnlyInFlight,
    mutating: options.limits.mutatingInFlight,
  });
  registry.onCollect(() => {
    for (const kind of ['readOnly', 'mutating'] as const)
      metrics.currentInFlight.labels(kind).set(gate.takeHighWater(kind));
  });
  const audit = await openAudit(completed, logger, lifetime);
  const shutdown = { refusing: false };
  const handler = buildChain({
    clock,
    logger,
    newAuditId: () => globalThis.crypto.randomUUID(),
    authenticate: composeAuthenticator(completed, tokens.authenticate),
    authorizer: kube.authorizer,
    isLongRunning: createLongRunningCheck(LONG_RUNNING),
    gate,
    ...(options.limits.priorityAndFairness ? { flows: kube.flows } : {}),
    requestTimeoutMs: options.limits.requestTimeoutMs,
    requestHeaders: requestHeaderNames(completed),
    ...(audit === undefined ? {} : { audit }),
    metrics,
    isServed: (info) => isServed(info, discovery, mux),
    connectSubresources: LONG_RUNNING.subresources,
    shutdown,
    logRequests: given.logRequests,
    types,
    dispatch: dispatcher(mux, discovery, openapi, kube.handle),
  });
  return {
    handler,
    transport: loopback.transport(handler),
    health,
    metrics,
    listensOn: (listener) => {
      address.hostAndPort = externalAddress(completed, listener);
      address.self = serverIdentity(completed, listener);
    },
    start: () => startServers([kube, extensions], boot),
    drain: () => {
      shutdown.refusing = true;
      kube.drain();
      extensions.drain();
    },
  };
}

interface ExternalAddress {
  hostAndPort: string;
  self: ServerIdentity | undefined;
}

/** What the servers share. */
interface ServerParts {
  readonly storage: Storage;
  readonly logger: Logger;
  readonly discovery: DiscoveryManager;
  readonly openapi: OpenApiManager;
  readonly metrics: ServerMetrics;
  readonly types: TypeBook;
}

interface KubeParts extends ServerParts {
  readonly authenticateToken: TokenAuthenticator;
  readonly delegate: RequestHandler;
  /** Once it listens. */
  readonly self: () => ServerIdentity | undefined;
}

/** What every server of the chain is told alike. */
function servingOptions({ options, platform }: CompletedOptions, parts: ServerParts) {
  const { storage, logger, metrics } = parts;
  const host: RegistryHost = {
    storage,
    scope: SCOPE,
    clock: platform.clock,
    newUid: () => globalThis.crypto.randomUUID(),
    random: (below) => Math.floor(Math.random() * below),
    onTrouble: (error) => logger.error('a cache lost touch with the store', error),
  };
  const onWatchEvents = ({ group, version, resource }: GroupVersionResource, count: number, bytes: number): void => {
    metrics.watchEvents.labels(group, version, resource).add(count);
    if (count > 0) metrics.watchEventSizes.labels(group, version, resource).observe(bytes / count);
  };
  return {
    host,
    logger,
    clock: platform.clock,
    random: Math.random,
    discovery: parts.discovery,
    openapi: parts.openapi,
    types: parts.types,
    minRequestTimeoutSeconds: options.limits.minRequestTimeoutSeconds,
    gzip: platform.compressor,
    onWatchEvents,
  };
}

function createExtensions(
  completed: CompletedOptions,
  parts: ServerParts & { readonly outbound: OutboundClient },
  kube: KubeServer,
): ApiExtensionsServer {
  return createApiExtensionsServer({
    ...servingOptions(completed, parts),
    delegate: () => NOT_FOUND,
    admission: kube.admission,
    authorizer: kube.authorizer,
    checkCaBundle,
    converter: converterFactory({
      client: parts.outbound,
      services: createServiceResolver(kube.services, Math.random),
      newUid: () => globalThis.crypto.randomUUID(),
    }),
  });
}

function createKube(completed: CompletedOptions, parts: KubeParts): KubeServer {
  const { options, serviceAccounts: keys, tls } = completed;
  const { authentication } = options;
  const { serviceAccounts, requestHeader } = authentication;
  return createKubeServer({
    ...servingOptions(completed, parts),
    delegate: parts.delegate,
    authenticateToken: parts.authenticateToken,
    apiAudiences:
      authentication.apiAudiences.length > 0 ? authentication.apiAudiences : serviceAccounts.issuers.slice(0, 1),
    serviceAccounts: {
      issuers: serviceAccounts.issuers,
      signingKey: keys.signingKey,
      verifyKeys: keys.verifyingKeys,
      maxExpirationSeconds: serviceAccounts.maxExpirationSeconds,
      extendExpiration: serviceAccounts.extendExpiration,
      lookup: serviceAccounts.lookup,
      jwksUri: serviceAccounts.jwksUri,
    },
    admission: {
      enable: options.enableAdmission,
      disable: options.disableAdmission,
      tolerations: { notReadySeconds: options.notReadySeconds, unreachableSeconds: options.unreachableSeconds },
    },
    authorizationModes: options.authorizationModes,
    trust: { clientCaPem: tls.clientCaPem, requestHeader: { ...requestHeader, caPem: tls.requestHeaderCaPem } },
    eventTtlSeconds: options.eventTtlSeconds,
    runtimeConfig: options.runtimeConfig,
    network: {
      ranges: parseServiceRanges(options.network.serviceRange),
      nodePorts: options.network.nodePorts,
      self: parts.self,
    },
  });
}

async function startServers(servers: readonly { start(): Promise<void> }[], boot: BootState): Promise<void> {
  try {
    await Promise.all(servers.map((server) => server.start()));
    boot.done();
  } catch (caught) {
    boot.failed(toError(caught).message);
    throw caught;
  }
}

const SLASH = 0x2f;

/** Resources are most of what comes; everything else is looked for by its path. */
function dispatcher(
  mux: PathMux,
  discovery: DiscoveryManager,
  openapi: OpenApiManager,
  resources: RequestHandler,
): RequestHandler {
  return (request) => {
    const { path, isResourceRequest } = request.info;
    // Slashes in front do not count in what is asked for, but nobody serves such a path.
    if (path.charCodeAt(1) === SLASH) return NOT_FOUND;
    if (isResourceRequest) return resources(request);
    return mux.serve(request) ?? discovery.handle(request) ?? openapi.handle(request) ?? resources(request);
  };
}

function isServed(info: RequestInfo, discovery: DiscoveryManager, mux: PathMux): boolean {
  if (!info.isResourceRequest) return mux.lists(info.path);
  const version = discovery.get({ group: info.apiGroup, version: info.apiVersion });
  const resource = version?.resources.find(({ plural }) => plural === info.resource);
  if (resource === undefined) return false;
  return info.subresource === '' || resource.subresources.some(({ name }) => name === info.subresource);
}

/** Undefined unless there is both a policy and a log. */
async function openAudit(
  { auditPolicy, options: { audit }, platform }: CompletedOptions,
  logger: Logger,
  lifetime: Lifetime,
): Promise<AuditOptions | undefined> {
  if (auditPolicy === undefined || audit.logPath === '') return undefined;
  const { policy, warnings } = parseAuditPolicy(auditPolicy.text, auditPolicy.path);
  for (const warning of warnings) logger.warn(warning);
  const log = await platform.openAuditLog({
    path: audit.logPath,
    maxSizeMb: audit.maxSizeMb,
    maxAgeDays: audit.maxAgeDays,
    maxBackups: audit.maxBackups,
    compress: audit.compress,
    clock: platform.clock,
    onProblem: (error) => logger.error('an old audit log could not be tidied up', error),
  });
  lifetime.add('audit log', () => log.stop());
  return { policy, sink: log, withholdBodies: holdsToken };
}

/** Their bodies are credentials. */
function holdsToken({ apiGroup, resource, subresource }: RequestInfo): boolean {
  return (
    (apiGroup === '' && resource === 'serviceaccounts' && subresource === 'token') ||
    (apiGroup === 'authentication.k8s.io' && resource === 'tokenreviews')
  );
}

/** Host and port as others reach us: what the flags say, else what we listen on. */
function externalAddress({ options: { serving } }: CompletedOptions, { address, port }: Listener): string {
  const host = serving.externalHostname || serving.advertiseAddress || address;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** How others in a cluster reach us: by what the flags say, else by an address of this machine. */
function serverIdentity({ options, platform }: CompletedOptions, { port }: Listener): ServerIdentity {
  const { serving, network } = options;
  const [hostname = 'localhost'] = platform.hostNames({ allAddresses: false });
  const isEverywhere = UNSPECIFIED.has(serving.bindAddress);
  const addresses = isEverywhere ? platform.hostNames({ allAddresses: true }) : [serving.bindAddress];
  return {
    hostname,
    address: serving.advertiseAddress || (addresses.find((name) => parseIp(name) !== undefined) ?? ''),
    port,
    nodePort: network.serviceNodePort,
    writesEndpoints: network.endpointReconciler !== 'none',
  };
}
