/**
 * The discovery documents of one service, fetched every minute.
 *
 * Invariants: a version is Current only if its last fetch succeeded and its APIService is available. Clients see no
 * resources of a Stale version, as in kube-aggregator (handler_discovery.go). Its field `resources` keeps the last
 * known resources, for the lookups of this server.
 */
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { TransportError, toError } from '../../base/errors.ts';
import { equalJson, type JsonArray, type JsonObject } from '../../base/json-value.ts';
import type {
  DiscoveryResource,
  DiscoveryVersion,
  RemoteDiscoveryPublisher,
} from '../../server/discovery/discovery-publisher.ts';
import { type DocumentRequest, type FetchedDocument, fetchDocument } from '../fetch-document.ts';
import type { RefreshPolicy } from '../refresh-machine.ts';
import { RefreshedDocuments, type RefreshedDocumentsOptions } from '../refreshed-documents.ts';
import { type BackendClient, isAvailable, type RemoteVersion } from '../remote-version.ts';
import { isAggregatedForm, parseAggregated, parseLegacy } from './discovery-documents.ts';
import { discoveryResources } from './discovery-resources.ts';

export interface RemoteDiscoveryOptions extends RefreshedDocumentsOptions {
  readonly client: BackendClient;
  readonly publisher: RemoteDiscoveryPublisher;
}

/** The periods of kube-aggregator: `discoveryRefreshInterval`, and the rate limiter of its queue. */
const POLICY: RefreshPolicy = { periodMs: 60_000, backoff: { initialMs: 500, capMs: 60_000 }, gapMs: 500 };

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,' +
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

const REQUEST: Pick<DocumentRequest, 'user' | 'timeoutMs' | 'limitBytes'> = {
  user: { name: 'system:kube-aggregator', uid: '', groups: ['system:masters'], extra: {} } satisfies UserInfo,
  timeoutMs: 5_000,
  // About 10,000 resources.
  limitBytes: 4 * 1024 * 1024,
};

const NONE: readonly DiscoveryResource[] = [];

interface KnownVersion {
  readonly given: readonly JsonObject[];
  readonly resources: readonly DiscoveryResource[];
  /** Whether the last fetch succeeded. */
  readonly fresh: boolean;
}

export class ServiceDiscovery extends RefreshedDocuments {
  readonly #options: RemoteDiscoveryOptions;
  /** The last fetched resources, by `group/version`. */
  readonly #known = new Map<string, KnownVersion>();
  readonly #shown = new Map<string, DiscoveryVersion>();
  /** The ETag of the aggregated document that `#known` was read from; '' if there is none. */
  #etag = '';

  constructor(options: RemoteDiscoveryOptions) {
    super(options, 'discovery', POLICY);
    this.#options = options;
  }

  protected override updated(version: RemoteVersion): void {
    if (isAvailable(version)) this.#publish(version);
    else this.#outdate(version);
  }

  protected override removed(version: RemoteVersion): void {
    const name = formatGroupVersion(version);
    this.#known.delete(name);
    this.#shown.delete(name);
    this.#options.publisher.remove(version);
  }

  protected override async fetch(to: RemoteVersion, signal: AbortSignal): Promise<void> {
    const { versions } = this;
    const available = versions.filter(isAvailable);
    if (!(await this.#fetchAggregated(to, versions, signal))) await this.#fetchLegacy(available, signal);
  }

  /** Fetches the aggregated document. Returns false if the server does not have one. */
  async #fetchAggregated(to: RemoteVersion, versions: readonly RemoteVersion[], signal: AbortSignal): Promise<boolean> {
    try {
      // Without the ETag if a version is new, because the document must then be read again.
      const etag = versions.every((version) => this.#known.has(formatGroupVersion(version))) ? this.#etag : '';
      const answer = await this.#get(to, { path: '/apis', accept: AGGREGATED, etag, signal });
      if (answer.status === 503) throw new TransportError('GET /apis: the answer has the status 503');
      if (answer.status === 304 && etag !== '') {
        for (const version of versions) this.#take(version, this.#known.get(formatGroupVersion(version))?.given ?? []);
        return true;
      }
      this.#etag = '';
      if (answer.status !== 200 || !isAggregatedForm(answer.contentType)) return false;
      const given = parseAggregated(answer.body, versions);
      for (const version of versions) this.#take(version, given.get(formatGroupVersion(version)) ?? []);
      this.#etag = answer.etag;
      return true;
    } catch (caught) {
      if (!signal.aborted) for (const version of versions) this.#outdate(version);
      throw caught;
    }
  }

  /**
   * Fetches the legacy document of each version. A failure of one version does not affect the others. Rejects with the
   * first failure.
   */
  async #fetchLegacy(versions: readonly RemoteVersion[], signal: AbortSignal): Promise<void> {
    const failures: Error[] = [];
    const read = async (version: RemoteVersion): Promise<void> => {
      const path = `/apis/${formatGroupVersion(version)}`;
      try {
        const answer = await this.#get(version, { path, accept: 'application/json', signal });
        if (answer.status !== 200) throw new TransportError(`GET ${path}: the answer has the status ${answer.status}`);
        this.#take(version, parseLegacy(answer.body, version));
      } catch (caught) {
        failures.push(toError(caught));
        if (!signal.aborted) this.#outdate(version);
      }
    };
    await Promise.all(versions.map(read));
    if (failures[0] !== undefined) throw failures[0];
  }

  #get(to: RemoteVersion, request: Omit<DocumentRequest, keyof typeof REQUEST>): Promise<FetchedDocument> {
    return fetchDocument(this.#options, to, { ...REQUEST, ...request });
  }

  /** Stores and publishes the fetched resources of a version. */
  #take(version: RemoteVersion, given: readonly JsonObject[]): void {
    const name = formatGroupVersion(version);
    const known = this.#known.get(name);
    const isSame = known !== undefined && equalJson(known.given as JsonArray, given as JsonArray);
    if (!isSame) this.#known.set(name, { given, resources: discoveryResources(version, given), fresh: true });
    else if (!known.fresh) this.#known.set(name, { ...known, fresh: true });
    this.#publish(version);
  }

  #outdate(version: RemoteVersion): void {
    const name = formatGroupVersion(version);
    const known = this.#known.get(name);
    if (known?.fresh === true) this.#known.set(name, { ...known, fresh: false });
    this.#publish(version);
  }

  /**
   * Publishes the latest state of a version, unless it is published already. Looks up the APIService again, because it
   * may have changed during the fetch.
   */
  #publish({ name: apiService, group, version }: RemoteVersion): void {
    const remote = this.versions.find(({ name }) => name === apiService);
    if (remote === undefined) return;
    const name = formatGroupVersion(remote);
    const known = this.#known.get(name);
    const stale = known?.fresh !== true || !isAvailable(remote);
    const next: DiscoveryVersion = {
      group,
      version,
      resources: known?.resources ?? NONE,
      groupPriority: remote.groupPriority,
      versionPriority: remote.versionPriority,
      stale,
      givenResources: stale ? [] : known.given,
    };
    if (isShown(this.#shown.get(name), next)) return;
    this.#shown.set(name, next);
    this.#options.publisher.publish(next);
  }
}

/**
 * Whether `next` is published already. Resources are compared by identity, because `#take` keeps unchanged resources.
 */
function isShown(shown: DiscoveryVersion | undefined, next: DiscoveryVersion): boolean {
  return (
    shown !== undefined &&
    shown.stale === next.stale &&
    shown.resources === next.resources &&
    shown.groupPriority === next.groupPriority &&
    shown.versionPriority === next.versionPriority
  );
}
