/**
 * The loop that writes the condition Available of APIServices.
 *
 * A remote version is checked when its APIService, its Service or the EndpointSlices of that Service change, and every
 * 30 s. A failed request to the backend is repeated with backoff.
 * Invariants: a version has at most one check at a time. The status is written only if it changes. Services and
 * EndpointSlices are read only while there are remote versions.
 */

import { objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import { isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import { type BackoffPolicy, ItemBackoff } from '../../base/backoff.ts';
import { TransportError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Logger } from '../../base/logger.ts';
import type { MetricRegistry } from '../../base/metrics/metric-registry.ts';
import { processQueue } from '../../base/process-queue.ts';
import { WorkQueue } from '../../base/work-queue.ts';
import type { Lister, ListerChange } from '../../server/own/lister.ts';
import type { OwnWriter } from '../../server/own/own-writer.ts';
import { type Availability, availabilityOf, NOT_CHECKED, type RemoteVersion } from '../remote-version.ts';
import type { RemoteVersionChange, RemoteVersions } from '../remote-versions.ts';
import { AvailabilityMetrics } from './availability-metrics.ts';
import { type BackendCheckOptions, checkBackend, SERVICE_NAME } from './check-backend.ts';
import { LOCAL } from './service-condition.ts';

export interface AvailabilityLoopOptions extends BackendCheckOptions {
  readonly remotes: RemoteVersions;
  /** The APIServices. */
  readonly apiServices: Lister;
  readonly writer: OwnWriter;
  readonly logger: Logger;
  readonly metrics: MetricRegistry;
}

/** Changes outside of this server are noticed within this time, as in kube-aggregator. */
const RESYNC_MS = 30_000;
/** A backend is used again within 5 s of its recovery. kube-aggregator waits up to 30 s. */
const BACKOFF: BackoffPolicy = { initialMs: 5, capMs: 2000 };

export class AvailabilityLoop {
  readonly #options: AvailabilityLoopOptions;
  readonly #queue: WorkQueue;
  readonly #metrics: AvailabilityMetrics;
  readonly #stopping = new AbortController();
  readonly #subscriptions: { stop(): void }[] = [];
  #followsServices = false;

  constructor(options: AvailabilityLoopOptions) {
    this.#options = options;
    this.#metrics = new AvailabilityMetrics(options.metrics, options.remotes);
    this.#queue = new WorkQueue({ clock: options.clock, rateLimiter: new ItemBackoff<string>(BACKOFF) });
  }

  /** Begins to check. Called once, after `remotes` and `apiServices` have their first state. */
  start(): void {
    const { apiServices, remotes, logger } = this.#options;
    void processQueue(this.#queue, {
      work: (name) => this.#sync(name),
      onFailure: (name, error) => {
        if (!(error instanceof CheckFailed))
          logger.warn('cannot update the status of an APIService, retrying', { name, reason: error.message });
      },
    });
    this.#subscriptions.push(
      remotes.subscribe((change) => this.#remoteChanged(change)),
      apiServices.subscribe((changes) => this.#apiServicesChanged(changes)),
    );
  }

  async stop(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.stop();
    this.#stopping.abort(new TransportError('the server is shutting down'));
    await this.#queue.stop();
  }

  /** Checks the version, unless only its status has changed, which this loop writes itself. */
  #remoteChanged({ name, before, after }: RemoteVersionChange): void {
    if (after === undefined) return;
    if (before !== undefined && isSameBackend(before, after) && after.availability !== NOT_CHECKED) return;
    this.#followServices();
    this.#queue.add(name);
  }

  /** Checks local APIServices. They have their condition from their creation on, unless they were remote before. */
  #apiServicesChanged(changes: readonly ListerChange[]): void {
    for (const { name, object } of changes)
      if (object !== undefined && this.#options.remotes.named(name) === undefined)
        if (!isSame(availabilityOf(object), LOCAL)) this.#queue.add(name);
  }

  #followServices(): void {
    if (this.#followsServices) return;
    this.#followsServices = true;
    const { services, endpointSlices } = this.#options;
    this.#subscriptions.push(
      services.subscribe((changes) => this.#servicesChanged(changes, ({ name }) => name)),
      endpointSlices.subscribe((changes) =>
        // The labels of a deleted slice are not known here, so all Services of its namespace are checked.
        this.#servicesChanged(changes, ({ object }) => object && textAt(object, 'metadata', 'labels', SERVICE_NAME)),
      ),
    );
  }

  /**
   * Checks the versions of changed Services. `serviceOf` returns the name of a Service; undefined: all of the
   * namespace.
   */
  #servicesChanged(changes: readonly ListerChange[], serviceOf: (change: ListerChange) => string | undefined): void {
    const remotes = this.#options.remotes.list();
    for (const change of changes) {
      const name = serviceOf(change);
      for (const { name: apiService, service } of remotes)
        if (service.namespace === change.namespace && (name === undefined || name === service.name))
          this.#queue.add(apiService);
    }
  }

  async #sync(name: string): Promise<void> {
    const object = this.#options.apiServices.get('', name);
    if (object === undefined) return;
    const remote = this.#options.remotes.named(name);
    if (remote === undefined) {
      await this.#write(object, LOCAL);
      return;
    }
    const availability = await checkBackend(this.#options, remote, this.#stopping.signal);
    await this.#write(object, availability);
    this.#note(remote, availability);
    if (availability.reason === 'FailedDiscoveryCheck') throw new CheckFailed(availability.message);
    this.#queue.addAfter(name, RESYNC_MS);
  }

  /** Writes the condition. Does nothing if it is unchanged, or if the APIService was deleted meanwhile. */
  async #write(object: JsonObject, next: Availability): Promise<void> {
    const metadata = objectAt(object, 'metadata') ?? {};
    if (isSame(availabilityOf(object), next)) return;
    try {
      await this.#options.writer.updateStatus(
        { namespace: '', name: textAt(metadata, 'name') },
        (stored) => setAvailable(stored, next, this.#options.clock.now()),
        { preconditions: { uid: textAt(metadata, 'uid'), resourceVersion: undefined } },
      );
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  #note({ name, availability: old }: RemoteVersion, { status, reason, message }: Availability): void {
    if (old.status === status) return;
    if (old.status === 'True') this.#metrics.lost(name, reason);
    this.#options.logger.info('the availability of an APIService changed', { name, status, reason, message });
  }
}

/** The backend did not pass its check. The condition is written, and the check is repeated with backoff. */
class CheckFailed extends TransportError {}

/**
 * Whether two conditions are equal, except for local ports in their messages, such as `read tcp
 * 10.0.0.1:41234->10.0.0.2:443`. The ports differ in every check, so the condition would otherwise be written after
 * every check.
 */
function isSame(a: Availability, b: Availability): boolean {
  if (a.status !== b.status || a.reason !== b.reason) return false;
  return a.message === b.message || withoutLocalPorts(a.message) === withoutLocalPorts(b.message);
}

function withoutLocalPorts(message: string): string {
  return message.replace(/:\d+->/g, '->');
}

function isSameBackend(a: RemoteVersion, b: RemoteVersion): boolean {
  return (
    a.ca === b.ca &&
    a.insecureSkipTlsVerify === b.insecureSkipTlsVerify &&
    a.service.namespace === b.service.namespace &&
    a.service.name === b.service.name &&
    a.service.port === b.service.port
  );
}

/** Sets the condition Available. Its lastTransitionTime changes only with its status. */
function setAvailable(object: JsonObject, { status, reason, message }: Availability, now: number): void {
  const conditions = objectsAt(object, 'status', 'conditions');
  const old = conditions.find(({ type }) => type === 'Available');
  const kept = old !== undefined && textAt(old, 'status') === status ? textAt(old, 'lastTransitionTime') : '';
  const lastTransitionTime = kept === '' ? formatTime(instantFromMillis(now)) : kept;
  const next = { lastTransitionTime, message, reason, status, type: 'Available' };
  object['status'] = {
    ...objectAt(object, 'status'),
    conditions: old === undefined ? [...conditions, next] : conditions.map((one) => (one === old ? next : one)),
  };
}
