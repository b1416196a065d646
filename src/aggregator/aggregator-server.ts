/**
 * The aggregator, which is the first server of the chain. It sends requests for remote group-versions to the proxy, and
 * all other requests to the delegate.
 *
 * Invariants: an APIService that was written through this server is used by the next request. A request for a local
 * version costs the comparison of two revisions, plus one lookup if there are remote versions. `/apis` and
 * `/apis/<group>` never reach the aggregator: discovery answers them.
 */
import { StatusError } from '../apimachinery/status/status.ts';
import { serviceUnavailable } from '../apimachinery/status/status-catalogue.ts';
import type { Clock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import type { Logger } from '../base/logger.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { MetricRegistry } from '../base/metrics/metric-registry.ts';
import type { DiscoveryManager } from '../server/discovery/discovery-manager.ts';
import type { Answer } from '../server/http/exchange.ts';
import type { ServiceResolver } from '../server/http/outbound.ts';
import type { RequestHandler, ServerRequest } from '../server/http/server-request.ts';
import type { OpenApiManager } from '../server/openapi/openapi-manager.ts';
import type { Lister } from '../server/own/lister.ts';
import { OwnWriter } from '../server/own/own-writer.ts';
import type { StoredResource } from '../server/resource/open-resource.ts';
import { AvailabilityLoop } from './availability/availability-loop.ts';
import { RemoteDiscovery } from './discovery/remote-discovery.ts';
import { RemoteOpenApi } from './openapi/remote-openapi.ts';
import { AutoRegistration } from './registration/auto-registration.ts';
import type { BackendClient, RemoteVersion } from './remote-version.ts';
import { RemoteVersions } from './remote-versions.ts';

/** Sends a request to the server of a remote version and returns its answer. Failures are StatusErrors. */
export type ProxyHandler = (request: ServerRequest, to: RemoteVersion) => MaybePromise<Answer>;

export interface AggregatorServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricRegistry;
  /** The resource `apiservices`. */
  readonly apiServices: StoredResource;
  /** Has all local versions, which are registered as APIServices except for those in `unregistered`. */
  readonly discovery: DiscoveryManager;
  /** The names of APIServices that are not created although their version is served. Default: none. */
  readonly unregistered?: readonly string[];
  readonly openapi: OpenApiManager;
  /** Resolves when every server of this process has published its stored resources. */
  readonly published: () => Promise<void>;
  /** Listers of Services and EndpointSlices. They are not read while there are no remote versions. */
  readonly services: Lister;
  readonly endpointSlices: Lister;
  readonly resolver: ServiceResolver;
  readonly client: BackendClient;
  readonly proxy: ProxyHandler;
  /**
   * Whether the storage must not be written. Local versions are then not registered, and remote versions are neither
   * checked nor served. Default false.
   */
  readonly readOnly?: boolean;
  /** Answers requests for local versions. */
  readonly delegate: RequestHandler;
}

export class AggregatorServer {
  readonly #options: AggregatorServerOptions;
  readonly #started = new Deferred<void>();
  readonly #loops: { stop(): Promise<void> }[] = [];
  #stopped = false;
  #discovery: RemoteDiscovery | undefined;
  #lister: Lister | undefined;
  readonly remotes: RemoteVersions = new RemoteVersions();

  constructor(options: AggregatorServerOptions) {
    this.#options = options;
  }

  /**
   * Serves a request for a resource, or for a path that is not a discovery or OpenAPI document. Throws, or rejects
   * with, a StatusError. Requests that arrive before `start()` has read the APIServices wait for it.
   */
  readonly handle = (request: ServerRequest): MaybePromise<Answer> => {
    const lister = this.#lister;
    if (lister === undefined) return this.#started.promise.then(() => this.handle(request));
    const fresh = lister.fresh();
    return isPromise(fresh) ? fresh.then(() => this.#serve(request)) : this.#serve(request);
  };

  /**
   * Reads the stored APIServices, registers the local versions, and begins to check the remote versions. Called once.
   * Rejects if a local version cannot be registered.
   */
  async start(): Promise<void> {
    const { clock, logger, apiServices: resource, discovery, published } = this.#options;
    const apiServices = await resource.registry.lister();
    if (this.#options.readOnly === true) {
      this.#lister = apiServices;
      this.#started.resolve();
      return;
    }
    this.#publishRemotes();
    this.remotes.follow(apiServices);
    this.#lister = apiServices;
    this.#started.resolve();
    const writer = new OwnWriter(resource);
    await published();
    const registration = new AutoRegistration({
      clock,
      discovery,
      apiServices,
      writer,
      ...(this.#options.unregistered && { unregistered: this.#options.unregistered }),
      onFailure: (name, error) =>
        logger.warn('cannot register a local APIService, retrying', { name, reason: error.message }),
    });
    const availability = new AvailabilityLoop({ ...this.#options, remotes: this.remotes, apiServices, writer });
    this.#loops.push(registration, availability);
    await registration.start();
    if (this.#stopped) await this.stop();
    else availability.start();
  }

  /**
   * Resolves when every remote server that was available at `start()` has been asked for its discovery once. The
   * versions of a server that fails are Stale. Never resolves if `start()` cannot read the APIServices.
   */
  async discovered(): Promise<void> {
    await this.#started.promise;
    await this.#discovery?.settled();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.remotes.stop();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  /** Publishes the remote versions in discovery and OpenAPI. */
  #publishRemotes(): void {
    const { discovery, openapi } = this.#options;
    this.#discovery = new RemoteDiscovery({ ...this.#options, publisher: discovery.remote });
    const documents = [
      this.#discovery,
      new RemoteOpenApi({
        ...this.#options,
        publisher: openapi.remote,
        forward: (request, to) => this.#forward(request, to),
      }),
    ];
    for (const remote of documents) {
      this.#loops.push(remote);
      this.remotes.subscribe((change) => remote.changed(change));
    }
  }

  #serve(request: ServerRequest): MaybePromise<Answer> {
    const remote = this.remotes.size === 0 ? undefined : this.#remoteOf(request);
    return remote === undefined ? this.#options.delegate(request) : this.#forward(request, remote);
  }

  #forward(request: ServerRequest, to: RemoteVersion): MaybePromise<Answer> {
    if (to.availability.status === 'True') return this.#options.proxy(request, to);
    throw new StatusError(unavailable(to));
  }

  #remoteOf({ info }: ServerRequest): RemoteVersion | undefined {
    if (info.isResourceRequest) return this.remotes.get(info.apiGroup, info.apiVersion);
    const version = versionOfPath(info.path);
    return version && this.remotes.get(version.group, version.version);
  }
}

/**
 * The Status of a request for an unavailable version. It does not contain the message of the condition, which may have
 * addresses inside the cluster. The status of the APIService shows the message.
 */
function unavailable({ name, availability }: RemoteVersion) {
  const reason = availability.reason === '' ? '' : ` (${availability.reason})`;
  return serviceUnavailable(`the server of APIService ${name} is unavailable${reason}`);
}

/** Returns the group-version of `/apis/<group>/<version>` and `/api/<version>`, with or without trailing slashes. */
function versionOfPath(path: string): { readonly group: string; readonly version: string } | undefined {
  const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/*$/.exec(path);
  return match === null ? undefined : { group: match[1] ?? '', version: match[2] as string };
}
