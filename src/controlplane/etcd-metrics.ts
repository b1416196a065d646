/**
 * The metrics of requests to etcd, with kube-apiserver's names, labels and buckets. As in kube-apiserver, requests that
 * do not concern one resource are not counted: reads of the revision, compaction, and lists of all keys.
 */
import type {
  Counter,
  CounterFamily,
  Histogram,
  HistogramFamily,
  MetricRegistry,
} from '../base/metrics/metric-registry.ts';
import { privateResource, type StoredForms } from '../server/registry/stored-forms.ts';
import type { StoredDefinition } from '../server/resource/resource-definition.ts';
import type { EtcdObserver, EtcdOperation } from '../storage/etcd/etcd-observer.ts';
import type { StorageEvent } from '../storage/storage.ts';

type RequestLabels = readonly ['operation', 'group', 'resource'];
type ResourceLabels = readonly ['group', 'resource'];

export interface EtcdMetrics {
  readonly requests: CounterFamily<RequestLabels>;
  readonly requestErrors: CounterFamily<RequestLabels>;
  readonly requestDuration: HistogramFamily<RequestLabels>;
  readonly leaseObjects: HistogramFamily<readonly []>;
  readonly events: CounterFamily<ResourceLabels>;
  readonly lists: CounterFamily<ResourceLabels>;
  readonly fetchedObjects: CounterFamily<ResourceLabels>;
}

// Bounds of k8s.io/apiserver/pkg/storage/etcd3/metrics.
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const LEASE_BUCKETS = [10, 50, 100, 500, 1000, 2500, 5000];

const REQUEST_LABELS = ['operation', 'group', 'resource'] as const;
const RESOURCE_LABELS = ['group', 'resource'] as const;

/** Registers the counter of stored values that cannot be decoded. A data folder with imported values has it, too. */
export function registerDecodeErrors(registry: MetricRegistry): CounterFamily<ResourceLabels> {
  return registry.counter({
    name: 'apiserver_storage_decode_errors_total',
    help: 'Stored values of built-in resources that could not be decoded, by resource.',
    labels: RESOURCE_LABELS,
  });
}

/** Registers the metrics. Called once per registry; a second call throws BugError. */
export function registerEtcdMetrics(registry: MetricRegistry): EtcdMetrics {
  return {
    requests: registry.counter({
      name: 'etcd_requests_total',
      help: 'Requests to etcd, by operation and resource.',
      labels: REQUEST_LABELS,
    }),
    requestErrors: registry.counter({
      name: 'etcd_request_errors_total',
      help: 'Requests to etcd that failed, by operation and resource.',
      labels: REQUEST_LABELS,
    }),
    requestDuration: registry.histogram({
      name: 'etcd_request_duration_seconds',
      help: 'Seconds that requests to etcd took, by operation and resource.',
      labels: REQUEST_LABELS,
      buckets: DURATION_BUCKETS,
    }),
    leaseObjects: registry.histogram({
      name: 'etcd_lease_object_counts',
      help: 'Objects that shared a lease of etcd, counted when the next lease is granted.',
      labels: [],
      buckets: LEASE_BUCKETS,
    }),
    events: registry.counter({
      name: 'apiserver_storage_events_received_total',
      help: 'Events that were received from etcd, by resource.',
      labels: RESOURCE_LABELS,
    }),
    lists: registry.counter({
      name: 'apiserver_storage_list_total',
      help: 'Lists that were read from etcd, by resource.',
      labels: RESOURCE_LABELS,
    }),
    fetchedObjects: registry.counter({
      name: 'apiserver_storage_list_fetched_objects_total',
      help: 'Objects that were read from etcd in lists, by resource.',
      labels: RESOURCE_LABELS,
    }),
  };
}

/** Registers the metrics and returns the observer that counts them. `forms` must be bound before it is called. */
export function createEtcdMetrics(
  registry: MetricRegistry,
  forms: Pick<StoredForms, 'definitionOf' | 'groupResourceOf'>,
): EtcdObserver {
  return new EtcdMetricsObserver(registerEtcdMetrics(registry), forms);
}

/** The metric handles of one resource, which are made on first use. */
class ResourceHandles {
  readonly #metrics: EtcdMetrics;
  readonly #group: string;
  readonly #resource: string;
  readonly #operations = new Map<EtcdOperation, { readonly total: Counter; readonly seconds: Histogram }>();
  #events: Counter | undefined;

  constructor(metrics: EtcdMetrics, group: string, resource: string) {
    this.#metrics = metrics;
    this.#group = group;
    this.#resource = resource;
  }

  request(operation: EtcdOperation, ms: number, ok: boolean): void {
    let handles = this.#operations.get(operation);
    if (handles === undefined) {
      const labels = [operation, this.#group, this.#resource] as const;
      const { requests, requestDuration } = this.#metrics;
      handles = { total: requests.labels(...labels), seconds: requestDuration.labels(...labels) };
      this.#operations.set(operation, handles);
    }
    handles.total.add();
    handles.seconds.observe(ms / 1000);
    if (!ok) this.#metrics.requestErrors.labels(operation, this.#group, this.#resource).add();
  }

  listed(objects: number): void {
    this.#metrics.lists.labels(this.#group, this.#resource).add();
    this.#metrics.fetchedObjects.labels(this.#group, this.#resource).add(objects);
  }

  received(): void {
    this.#events ??= this.#metrics.events.labels(this.#group, this.#resource);
    this.#events.add();
  }
}

class EtcdMetricsObserver implements EtcdObserver {
  readonly #metrics: EtcdMetrics;
  readonly #forms: Pick<StoredForms, 'definitionOf' | 'groupResourceOf'>;
  readonly #leaseObjects: Histogram;
  readonly #builtIn = new Map<StoredDefinition, ResourceHandles>();
  /** Handles by group and resource, for custom resources and for the private objects of API servers. */
  readonly #others = new Map<string, ResourceHandles>();

  constructor(metrics: EtcdMetrics, forms: Pick<StoredForms, 'definitionOf' | 'groupResourceOf'>) {
    this.#metrics = metrics;
    this.#forms = forms;
    this.#leaseObjects = metrics.leaseObjects.labels();
  }

  request(operation: EtcdOperation, key: string, ms: number, ok: boolean): void {
    this.#handlesOf(key)?.request(operation, ms, ok);
  }

  listed(key: string, objects: number): void {
    this.#handlesOf(key)?.listed(objects);
  }

  received(events: readonly StorageEvent[]): void {
    for (const { key } of events) this.#handlesOf(key)?.received();
  }

  leaseGranted(keys: number): void {
    this.#leaseObjects.observe(keys);
  }

  #handlesOf(key: string): ResourceHandles | undefined {
    const definition = this.#forms.definitionOf(key);
    const known = definition && this.#builtIn.get(definition);
    if (known !== undefined) return known;
    const named = this.#forms.groupResourceOf(key) ?? privateResource(key);
    if (named === undefined) return undefined;
    const name = `${named.group}/${named.resource}`;
    const handles = this.#others.get(name) ?? new ResourceHandles(this.#metrics, named.group, named.resource);
    if (definition !== undefined) this.#builtIn.set(definition, handles);
    else this.#others.set(name, handles);
    return handles;
  }
}
