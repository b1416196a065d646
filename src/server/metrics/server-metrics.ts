/**
 * The metrics of the generic server. They have the reference's names, labels and buckets, so that dashboards and alerts
 * carry over. Metrics of the reference whose meaning would differ here are absent, such as those of its watch cache.
 */

import type {
  CounterFamily,
  GaugeFamily,
  HistogramFamily,
  MetricRegistry,
} from '../../base/metrics/metric-registry.ts';
import type { RequestInfo } from '../http/request-info.ts';

type ResourceLabels = readonly ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
type RequestLabels = readonly ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];

export interface ServerMetrics {
  readonly requestTotal: CounterFamily<readonly [...RequestLabels, 'code']>;
  readonly requestDuration: HistogramFamily<RequestLabels>;
  readonly responseSizes: HistogramFamily<ResourceLabels>;
  readonly longRunningRequests: GaugeFamily<ResourceLabels>;
  readonly requestTerminations: CounterFamily<readonly [...ResourceLabels, 'code']>;
  readonly currentInFlight: GaugeFamily<readonly ['request_kind']>;
  readonly watchEvents: CounterFamily<readonly ['group', 'version', 'resource']>;
  readonly watchEventSizes: HistogramFamily<readonly ['group', 'version', 'resource']>;
  readonly tlsHandshakeErrors: CounterFamily<readonly []>;
  readonly authenticationAttempts: CounterFamily<readonly ['result']>;
  readonly authorizationAttempts: CounterFamily<readonly ['result']>;
  readonly auditEvents: CounterFamily<readonly []>;
  readonly auditErrors: CounterFamily<readonly ['plugin']>;
}

/** The metrics of `/metrics/slis`: results of health checks, from which service levels are computed. */
export interface SliMetrics {
  readonly healthcheck: GaugeFamily<readonly ['name', 'type']>;
  readonly healthchecksTotal: CounterFamily<readonly ['name', 'type', 'status']>;
}

const RESOURCE_LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const REQUEST_LABELS = [
  'verb',
  'dry_run',
  'group',
  'version',
  'resource',
  'subresource',
  'scope',
  'component',
] as const;

// Bounds of k8s.io/apiserver/pkg/endpoints/metrics.
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const RESPONSE_SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const EVENT_SIZE_BUCKETS = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];

/** Registers all metrics. Called once per registry; a second call throws BugError. */
export function registerServerMetrics(registry: MetricRegistry): ServerMetrics {
  return { ...requestMetrics(registry), ...watchMetrics(registry), ...otherMetrics(registry) };
}

/** Registers the metrics of `/metrics/slis`. Called once per registry; a second call throws BugError. */
export function registerSliMetrics(registry: MetricRegistry): SliMetrics {
  return {
    healthcheck: registry.gauge({
      name: 'kubernetes_healthcheck',
      help: '1 if a check of healthz, livez or readyz passed when it last ran, otherwise 0.',
      labels: ['name', 'type'],
    }),
    healthchecksTotal: registry.counter({
      name: 'kubernetes_healthchecks_total',
      help: 'Runs of the checks of healthz, livez and readyz, by status: success or error.',
      labels: ['name', 'type', 'status'],
    }),
  };
}

function requestMetrics(registry: MetricRegistry) {
  return {
    requestTotal: registry.counter({
      name: 'apiserver_request_total',
      help: 'Requests that were answered, by what they asked for and the HTTP code of the answer.',
      labels: [...REQUEST_LABELS, 'code'],
    }),
    requestDuration: registry.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Seconds from the arrival of a request to its answer.',
      labels: REQUEST_LABELS,
      buckets: DURATION_BUCKETS,
    }),
    responseSizes: registry.histogram({
      name: 'apiserver_response_sizes',
      help: 'Bytes in the bodies of answers to get and list, before compression.',
      labels: RESOURCE_LABELS,
      buckets: RESPONSE_SIZE_BUCKETS,
    }),
    longRunningRequests: registry.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Long-running requests (watches, connects) that are open now.',
      labels: RESOURCE_LABELS,
    }),
    requestTerminations: registry.counter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests that the server ended to protect itself.',
      labels: [...RESOURCE_LABELS, 'code'],
    }),
    currentInFlight: registry.gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'The most requests of a kind (readOnly, mutating) that were served at once during the last second.',
      labels: ['request_kind'],
    }),
  } satisfies Partial<ServerMetrics>;
}

function watchMetrics(registry: MetricRegistry) {
  return {
    watchEvents: registry.counter({
      name: 'apiserver_watch_events_total',
      help: 'Events that were sent to watchers.',
      labels: ['group', 'version', 'resource'],
    }),
    watchEventSizes: registry.histogram({
      name: 'apiserver_watch_events_sizes',
      help: 'Bytes of the events that were sent to watchers.',
      labels: ['group', 'version', 'resource'],
      buckets: EVENT_SIZE_BUCKETS,
    }),
  } satisfies Partial<ServerMetrics>;
}

function otherMetrics(registry: MetricRegistry) {
  return {
    tlsHandshakeErrors: registry.counter({
      name: 'apiserver_tls_handshake_errors_total',
      help: 'Connections whose TLS handshake failed.',
      labels: [],
    }),
    authenticationAttempts: registry.counter({
      name: 'authentication_attempts',
      help: 'Requests whose sender was looked for, by result: success, failure or error.',
      labels: ['result'],
    }),
    authorizationAttempts: registry.counter({
      name: 'authorization_attempts_total',
      help: 'Decisions about requests, by result: allowed, denied, no-opinion or error.',
      labels: ['result'],
    }),
    auditEvents: registry.counter({
      name: 'apiserver_audit_event_total',
      help: 'Audit events that were made and handed to the log.',
      labels: [],
    }),
    auditErrors: registry.counter({
      name: 'apiserver_audit_error_total',
      help: 'Audit events that could not be written, by the part that failed.',
      labels: ['plugin'],
    }),
  } satisfies Partial<ServerMetrics>;
}

export type MetricScope = 'resource' | 'namespace' | 'cluster' | '';

/**
 * Returns the `scope` label: one object, the objects of a namespace, all objects, or '' for requests that are not about
 * resources.
 */
export function metricScope(info: RequestInfo): MetricScope {
  if (!info.isResourceRequest) return '';
  // Only the path counts: a list that selects one name is still a list.
  if (info.verb === 'create' || (info.parts[1] ?? '') !== '') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

/**
 * Returns the `verb` label as the reference does: the HTTP method, except that LIST and WATCH differ from GET. A
 * deletecollection is DELETE. `as` is known to the caller only: an apply patch or a connect subresource. Other methods
 * are `other`, so that clients cannot create labels.
 */
export function metricVerb(method: string, info: RequestInfo, as?: 'APPLY' | 'CONNECT'): string {
  if (as !== undefined) return as;
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (info.verb === 'watch') return 'WATCH';
      return info.verb === 'list' ? 'LIST' : 'GET';
    case 'POST':
    case 'PUT':
    case 'PATCH':
    case 'DELETE':
    case 'CONNECT':
      return method;
    default:
      return 'other';
  }
}
