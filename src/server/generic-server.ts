/**
 * The generic API server: everything that an API server has regardless of the resources that it serves. That is the
 * path mux, health, metrics, version, discovery, OpenAPI, the in-flight gate, the filter chain, post-start and
 * pre-shutdown hooks, and drain.
 *
 * A server is made in two steps. `new GenericServer(options)` makes the shared parts, which resource servers publish
 * into. `prepare()` takes the authenticator, the authorizer and the resource servers that are built on those parts, and
 * returns the handler for listeners.
 */
import type { TypeDescriptions } from '../apimachinery/facts/descriptions.ts';
import type { Clock } from '../base/clock.ts';
import { BugError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { randomUuid } from '../base/random.ts';
import type { Authenticator } from './authenticator.ts';
import type { Authorizer } from './authorizer.ts';
import { DiscoveryManager } from './discovery/discovery-manager.ts';
import type { Compressor } from './endpoints/endpoint.ts';
import type { AuditOptions } from './filters/audit/audit.ts';
import type { RequestHeaderNames } from './filters/authentication/request-header.ts';
import { buildChain } from './filters/filter-chain.ts';
import type { FlowMatcher } from './flow-matcher.ts';
import { Health, PING } from './health.ts';
import type { Handler } from './http/exchange.ts';
import { mountHealth, mountMetrics, mountVersion, NOT_FOUND, PathMux } from './http/paths.ts';
import type { RequestInfo } from './http/request-info.ts';
import type { RequestHandler } from './http/server-request.ts';
import { createLongRunningCheck, InFlightGate, type LongRunningRules } from './in-flight.ts';
import {
  registerServerMetrics,
  registerSliMetrics,
  type ServerMetrics,
  type SliMetrics,
} from './metrics/server-metrics.ts';
import type { DocumentInfo, SimplePath } from './openapi/document-v3.ts';
import { OpenApiManager } from './openapi/openapi-manager.ts';
import type { PreparedOpenApi } from './openapi/prepared.ts';
import { VERSION_PATH } from './openapi/version-document.ts';
import { type PostStartHook, PostStartHooks } from './post-start-hooks.ts';
import type { MetaTypes } from './resource/meta-types.ts';
import type { ResourceServerOptions } from './resource-server.ts';
import { RunningWrites } from './running-writes.ts';
import { type BuildInfo, versionInfo } from './version-info.ts';
import { flagzPage } from './zpages/flagz.ts';
import { statuszPage } from './zpages/statusz.ts';
import { mountZPage } from './zpages/zpage.ts';

export interface GenericServerLimits {
  /** Reads in flight; 0 for no limit. Default 400. */
  readonly readOnlyInFlight?: number;
  /** Writes in flight; 0 for no limit. Default 200. */
  readonly mutatingInFlight?: number;
  /** Default 60,000. */
  readonly requestTimeoutMs?: number;
  /** See ResourceServerOptions. */
  readonly minRequestTimeoutSeconds?: number;
}

export interface GenericServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The registry of `/metrics`. The server registers its metrics there. Default: one of its own. */
  readonly metricRegistry?: MetricRegistry;
  /** The shared types, for OpenAPI and for answers in protobuf. */
  readonly types: MetaTypes;
  /** The content of `/version`. */
  readonly build: BuildInfo;
  /**
   * When the process started, in milliseconds since 1970, for scrapers of `/metrics` and for `/statusz`. Default: the
   * header is absent, and `/statusz` shows when the server was made.
   */
  readonly startedAt?: number;
  /** The flags that `/flagz` shows, with their values. Default: there is no such page. */
  readonly flags?: Readonly<Record<string, string>>;
  /** The value of the header `Strict-Transport-Security` of every answer. Default: the header is absent. */
  readonly strictTransportSecurity?: string;
  /**
   * Host and port under which clients reach the server, for discovery. Called per request. Default: none is published.
   */
  readonly externalAddress?: () => string;
  readonly openapi?: {
    /** See OpenApiOptions. */
    readonly info?: DocumentInfo;
    /** Documented paths beside `/version`. */
    readonly paths?: readonly SimplePath[];
    readonly descriptions?: TypeDescriptions;
    readonly prepared?: () => PreparedOpenApi | undefined;
  };
  /** Default 0, as `--livez-grace-period`. */
  readonly livezGracePeriodMs?: number;
  readonly limits?: GenericServerLimits;
  /** Whether requests are refused with 429 at shutdown, as `--shutdown-send-retry-after`. Default false: with 503. */
  readonly sendRetryAfter?: boolean;
  /** Requests that have no deadline and are not limited in number. Default: watches. */
  readonly longRunning?: LongRunningRules;
  /** Returns a number from 0 up to, not including, 1. Default `Math.random`. */
  readonly random?: () => number;
  /** Compresses large answers. Default: nothing is compressed. */
  readonly gzip?: Compressor;
  /** Writes a debug line for every request. Default false. */
  readonly logRequests?: boolean;
}

/** The parts of the server that are known only when the resource servers are made. */
export interface PrepareOptions {
  readonly authenticate: Authenticator;
  readonly authorizer: Authorizer;
  /**
   * The first resource server of the delegation chain. It gets every request that no path, discovery or OpenAPI
   * document answers.
   */
  readonly delegate: RequestHandler;
  /** Default: requests belong to no flow. */
  readonly flows?: FlowMatcher;
  /** Default: nothing is audited. */
  readonly audit?: AuditOptions;
  /** Header names of front proxies; a function if they may change. Default: the standard ones. */
  readonly requestHeaders?: RequestHeaderNames | (() => RequestHeaderNames);
  /** See ChainConfig. */
  readonly alwaysAllowPaths?: readonly string[];
}

/** The options that all resource servers of a chain share. */
export type ServingOptions = Omit<ResourceServerOptions, 'admission' | 'authorizer' | 'delegate'> &
  Required<Pick<ResourceServerOptions, 'onUntracked'>>;

const WATCHES: LongRunningRules = { verbs: ['watch'], subresources: [] };

export class GenericServer {
  /** The handlers of paths that are not resources. An embedder may add its own. */
  readonly mux: PathMux = new PathMux();
  /** The checks of `/healthz`, `/livez` and `/readyz`. An embedder may add its own. */
  readonly health: Health;
  /** The registry of `/metrics`. */
  readonly metricRegistry: MetricRegistry;
  readonly metrics: ServerMetrics;
  readonly #sliRegistry: MetricRegistry = new MetricRegistry();
  readonly #slis: SliMetrics;
  /** Resource servers publish their group-versions in `discovery` and `openapi`. */
  readonly discovery: DiscoveryManager;
  readonly openapi: OpenApiManager;
  /**
   * The options of every resource server of the chain: with them it publishes in the discovery and OpenAPI of this
   * server and counts in its metrics.
   */
  readonly serving: ServingOptions;
  readonly #options: GenericServerOptions;
  /** The writes that are running, for control loops. */
  readonly writes: RunningWrites = new RunningWrites();
  readonly #gate: InFlightGate;
  readonly #shutdown: { refusing: boolean; readonly sendRetryAfter: boolean };
  readonly #postStart: PostStartHooks;
  readonly #preShutdown: (() => Promise<void>)[] = [];
  readonly #onDrain: (() => void)[] = [];
  #prepared = false;

  constructor(options: GenericServerOptions) {
    const { clock, types, externalAddress } = options;
    this.#options = options;
    this.#shutdown = { refusing: false, sendRetryAfter: options.sendRetryAfter ?? false };
    this.metricRegistry = options.metricRegistry ?? new MetricRegistry();
    this.metrics = registerServerMetrics(this.metricRegistry);
    this.#slis = registerSliMetrics(this.#sliRegistry);
    this.health = this.#createHealth();
    this.#postStart = new PostStartHooks(this.health);
    this.discovery = new DiscoveryManager({
      types,
      ...(externalAddress && {
        addresses: () => [{ clientCIDR: '0.0.0.0/0', serverAddress: externalAddress() }],
      }),
    });
    const { paths = [], ...openapi } = options.openapi ?? {};
    this.openapi = new OpenApiManager({ clock, types, ...openapi, paths: [VERSION_PATH, ...paths] });
    this.serving = this.#servingOptions();
    this.#gate = this.#createGate();
    this.#mountPaths();
  }

  /** Adds a callback for `drain()`: a resource server of the chain ends its watches there. */
  onDrain(callback: () => void): void {
    this.#onDrain.push(callback);
  }

  /** Adds work to `start()`. See PostStartHooks. */
  addPostStartHook(names: readonly string[], hook: PostStartHook): void {
    this.#postStart.add(names, hook);
  }

  /** Adds work to `preShutdown()`. Hooks run one after the other, in the order in which they were added. */
  addPreShutdownHook(hook: () => Promise<void>): void {
    this.#preShutdown.push(hook);
  }

  /**
   * Builds the filter chain around the delegate. Called once; the second call throws BugError. The handler neither
   * throws nor rejects.
   */
  prepare({ delegate, ...parts }: PrepareOptions): Handler {
    if (this.#prepared) throw new BugError('a generic server is prepared once');
    this.#prepared = true;
    const { clock, logger, types, limits, logRequests, strictTransportSecurity, longRunning = WATCHES } = this.#options;
    return buildChain({
      ...parts,
      clock,
      logger,
      types,
      newAuditId: randomUuid,
      isLongRunning: createLongRunningCheck(longRunning),
      gate: this.#gate,
      writes: this.writes,
      requestTimeoutMs: limits?.requestTimeoutMs ?? 60_000,
      metrics: this.metrics,
      isServed: (info) => this.#isServed(info),
      connectSubresources: longRunning.subresources,
      shutdown: this.#shutdown,
      logRequests: logRequests ?? false,
      strictTransportSecurity,
      dispatch: this.#dispatcher(delegate),
    });
  }

  /**
   * Runs the post-start hooks; `/readyz` passes once they have finished. Called once. Rejects with the first failure of
   * a hook.
   */
  start(): Promise<void> {
    return this.#postStart.start();
  }

  /**
   * Makes `/readyz` fail, then runs the pre-shutdown hooks. Requests are still served. Rejects with the failure of a
   * hook, after which no other hook runs.
   */
  async preShutdown(): Promise<void> {
    this.health.startShutdown();
    for (const hook of this.#preShutdown) await hook();
  }

  /** Ends every watch cleanly and refuses new requests. Probes and metrics are still answered. */
  drain(): void {
    this.#shutdown.refusing = true;
    for (const callback of this.#onDrain) callback();
  }

  /** Resolves when the requests in flight have ended, except long-running ones. Called after `drain()`. */
  settled(): Promise<void> {
    return this.#gate.settled();
  }

  #createHealth(): Health {
    const { clock, logger, livezGracePeriodMs = 0 } = this.#options;
    const { healthcheck, healthchecksTotal } = this.#slis;
    const health = new Health({
      clock,
      livezGracePeriodMs,
      onResult: (endpoint, name, reason) => {
        healthcheck.labels(name, endpoint).set(reason === undefined ? 1 : 0);
        healthchecksTotal.labels(name, endpoint, reason === undefined ? 'success' : 'error').add();
        if (reason !== undefined) logger.info('a health check failed', { endpoint, name, reason });
      },
    });
    health.add(PING);
    // The logger writes synchronously: a server that answers can log.
    health.add({ name: 'log', check: () => undefined });
    return health;
  }

  #servingOptions(): ServingOptions {
    const { clock, logger, types, gzip, limits, random = Math.random } = this.#options;
    const { watchEvents, watchEventSizes } = this.metrics;
    const minRequestTimeoutSeconds = limits?.minRequestTimeoutSeconds;
    return {
      clock,
      types,
      random,
      discovery: this.discovery,
      openapi: this.openapi,
      ...(minRequestTimeoutSeconds !== undefined && { minRequestTimeoutSeconds }),
      ...(gzip && { gzip }),
      onWatchEvents: ({ group, version, resource }, count, bytes) => {
        watchEvents.labels(group, version, resource).add(count);
        if (count > 0) watchEventSizes.labels(group, version, resource).observe(bytes / count);
      },
      onUntracked: ({ group, version, resource }, reason) =>
        logger.warn('the managedFields of an object cannot be updated', { group, version, resource, reason }),
    };
  }

  #createGate(): InFlightGate {
    const { readOnlyInFlight: readOnly, mutatingInFlight: mutating } = this.#options.limits ?? {};
    const gate = new InFlightGate({
      ...(readOnly !== undefined && { readOnly }),
      ...(mutating !== undefined && { mutating }),
    });
    this.metricRegistry.onCollect(() => {
      for (const kind of ['readOnly', 'mutating'] as const)
        this.metrics.currentInFlight.labels(kind).set(gate.takeHighWater(kind));
    });
    return gate;
  }

  #mountPaths(): void {
    const { clock, build, startedAt, flags } = this.#options;
    mountVersion(this.mux, versionInfo(build));
    mountHealth(this.mux, this.health);
    mountMetrics(this.mux, this.metricRegistry, { startedAt });
    mountMetrics(this.mux, this.#sliRegistry, { path: '/metrics/slis', startedAt });
    if (flags !== undefined) mountZPage(this.mux, flagzPage(flags));
    const paths = (): readonly string[] => this.mux.paths();
    mountZPage(this.mux, statuszPage({ clock, startedAt: startedAt ?? clock.now(), runtime: build.runtime, paths }));
    this.mux.list(() => this.discovery.paths(), '/api');
    this.mux.list(() => this.openapi.paths(), '/openapi/');
  }

  /** Returns the handler behind the filters. Resource requests are the common case and skip the path lookups. */
  #dispatcher(delegate: RequestHandler): RequestHandler {
    const { mux, discovery, openapi } = this;
    return (request) => {
      const { path, isResourceRequest } = request.info;
      // RequestInfo ignores repeated leading slashes, but no handler serves such a path.
      if (path.charCodeAt(1) === SLASH) return NOT_FOUND;
      if (isResourceRequest) return delegate(request);
      return mux.serve(request) ?? discovery.handle(request) ?? openapi.handle(request) ?? delegate(request);
    };
  }

  #isServed(info: RequestInfo): boolean {
    if (!info.isResourceRequest) return this.mux.lists(info.path);
    const version = this.discovery.get({ group: info.apiGroup, version: info.apiVersion });
    const resource = version?.resources.find(({ plural }) => plural === info.resource);
    if (resource === undefined) return false;
    return info.subresource === '' || resource.subresources.some(({ name }) => name === info.subresource);
  }
}

const SLASH = 0x2f;
