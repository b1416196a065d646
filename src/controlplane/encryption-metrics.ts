/** The metrics of the encryption of stored values, under the names of kube-apiserver. */
import { formatGroupResource } from '../apimachinery/meta/gvk.ts';
import type { Clock } from '../base/clock.ts';
import type { Counter, Gauge, Histogram, MetricRegistry } from '../base/metrics/metric-registry.ts';
import { sha256Label } from '../base/sha256.ts';
import type { TransformationObserver } from '../storage/encryption/encryption.ts';
import type { KmsObserver } from '../storage/encryption/kms/kms-observer.ts';

export interface EncryptionMetrics extends KmsObserver, TransformationObserver {
  /** Registers the metrics. Called once; nothing is counted before. */
  register(registry: MetricRegistry): void;
  /** Called after a successful reload, with the text of the new configuration. */
  reloaded(text: string): void;
  reloadFailed(): void;
  /** Called with the text of the configuration in use, whose hash is a metric. */
  configured(text: string): void;
}

const CONTROLLER = 'apiserver_encryption_config_controller_';
const ENVELOPE = 'apiserver_envelope_encryption_';
/** The most key ids in the metrics, as in kube-apiserver. */
const MAX_KEYS = 100;
/** The most cached metric handles. Others are looked up. */
const MAX_TRANSFORMATIONS = 10_000;
/** 0.1 ms, doubled 19 times. */
const BUCKETS = Array.from({ length: 20 }, (_, i) => 0.0001 * 2 ** i);
const STORAGE = 'apiserver_storage_';
/** 5 µs, doubled 24 times, and 13 times. */
const TRANSFORMATION_BUCKETS = Array.from({ length: 25 }, (_, i) => 0.000005 * 2 ** i);
const SEED_BUCKETS = TRANSFORMATION_BUCKETS.slice(0, 14);

/** `serverId` is the name of the server's identity Lease. */
export function createEncryptionMetrics(clock: Clock, serverId: string): EncryptionMetrics {
  const server = sha256Label(serverId);
  const now = (): number => clock.now() / 1000;
  /** Cached by provider, direction and key id, because hashing key ids is slow. */
  const uses = new Map<string, Use>();
  /** Cached by direction, resource and prefix, because looking up labels is slow. */
  const transformations = new Map<string, Transformation>();
  let metrics: Metrics | undefined;
  const count = (status: string): void => {
    metrics?.reloads.labels(status, server).add();
    metrics?.reloadTimes.labels(status, server).set(now());
  };
  const configured = (text: string): void => {
    metrics?.config.clear();
    metrics?.config.labels(server, sha256Label(text)).set(1);
  };
  return {
    register: (registry) => {
      metrics = registerMetrics(registry);
    },
    configured,
    reloaded: (text) => {
      count('success');
      configured(text);
    },
    reloadFailed: () => count('failure'),
    onCall: (provider, method, seconds, code) => metrics?.calls.labels(provider, method, code).observe(seconds),
    onStatusKey: (provider, keyId) => metrics?.statusTimes.labels(provider, sha256Label(keyId), server).set(now()),
    onInvalidStatusKey: (provider, problem) => metrics?.invalidKeys.labels(provider, problem).add(),
    onCachedSeeds: (provider, seeds) => metrics?.cacheSize.labels(provider).set(seeds),
    onSeedMiss: () => metrics?.seedMisses.add(),
    onNewSeed: (seconds) => metrics?.seedSeconds.observe(seconds),
    now: () => clock.monotonic(),
    transformed: (resource, direction, prefix, ms, status) => {
      if (metrics === undefined) return;
      const name = formatGroupResource(resource);
      if (status !== 'OK') {
        metrics.transformations.labels(name, direction, prefix, status).add();
        return;
      }
      const key = `${direction} ${name} ${prefix}`;
      let handles = transformations.get(key);
      if (handles === undefined) {
        handles = {
          total: metrics.transformations.labels(name, direction, prefix, status),
          seconds: metrics.transformationSeconds.labels(direction, prefix),
        };
        if (transformations.size < MAX_TRANSFORMATIONS) transformations.set(key, handles);
      }
      handles.total.add();
      handles.seconds.observe(ms / 1000);
    },
    onUse: (provider, keyId, direction) => {
      if (metrics === undefined) return;
      const key = `${direction} ${provider} ${keyId}`;
      let use = uses.get(key);
      if (use === undefined) {
        const labels = [direction, provider, sha256Label(keyId), server] as const;
        use = { total: metrics.uses.labels(...labels), time: metrics.useTimes.labels(...labels) };
        if (uses.size < MAX_KEYS) uses.set(key, use);
      }
      use.total.add();
      use.time.set(now());
    },
  };
}

interface Transformation {
  readonly total: Counter;
  readonly seconds: Histogram;
}

interface Use {
  readonly total: Counter;
  readonly time: Gauge;
}

type Metrics = ReturnType<typeof registerMetrics>;

function registerMetrics(registry: MetricRegistry) {
  const reloadLabels = ['status', 'apiserver_id_hash'] as const;
  const useLabels = ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'] as const;
  return {
    transformations: registry.counter({
      name: `${STORAGE}transformation_operations_total`,
      help: 'Values that were encrypted or decrypted, by resource, prefix of the provider or key, and status: OK, or the kind of failure.',
      labels: ['resource', 'transformation_type', 'transformer_prefix', 'status'] as const,
    }),
    transformationSeconds: registry.histogram({
      name: `${STORAGE}transformation_duration_seconds`,
      help: 'Seconds that the encryption or decryption of a value took, by prefix of the provider or key.',
      labels: ['transformation_type', 'transformer_prefix'] as const,
      buckets: TRANSFORMATION_BUCKETS,
    }),
    seedMisses: registry
      .counter({
        name: `${STORAGE}envelope_transformation_cache_misses_total`,
        help: 'Seeds that a KMS plugin had to decrypt.',
        labels: [] as const,
      })
      .labels(),
    seedSeconds: registry
      .histogram({
        name: `${STORAGE}data_key_generation_duration_seconds`,
        help: 'Seconds that the generation of a seed for a KMS plugin took.',
        labels: [] as const,
        buckets: SEED_BUCKETS,
      })
      .labels(),
    reloads: registry.counter({
      name: `${CONTROLLER}automatic_reloads_total`,
      help: 'Number of reloads of the encryption configuration, by status and server.',
      labels: reloadLabels,
    }),
    reloadTimes: registry.gauge({
      name: `${CONTROLLER}automatic_reload_last_timestamp_seconds`,
      help: 'Time of the last reload of the encryption configuration, by status and server.',
      labels: reloadLabels,
    }),
    config: registry.gauge({
      name: `${CONTROLLER}last_config_info`,
      help: 'The hash of the encryption configuration in use, by server.',
      labels: ['apiserver_id_hash', 'hash'] as const,
    }),
    calls: registry.histogram({
      name: `${ENVELOPE}kms_operations_latency_seconds`,
      help: 'Durations of calls to KMS plugins, by gRPC code.',
      labels: ['provider_name', 'method_name', 'grpc_status_code'] as const,
      buckets: BUCKETS,
    }),
    uses: registry.counter({
      name: `${ENVELOPE}key_id_hash_total`,
      help: 'Number of values that a key has encrypted or decrypted, by provider and server.',
      labels: useLabels,
      maxSeries: MAX_KEYS,
    }),
    useTimes: registry.gauge({
      name: `${ENVELOPE}key_id_hash_last_timestamp_seconds`,
      help: 'Time of the last use of a key, by provider and server.',
      labels: useLabels,
      maxSeries: MAX_KEYS,
    }),
    statusTimes: registry.gauge({
      name: `${ENVELOPE}key_id_hash_status_last_timestamp_seconds`,
      help: 'Time of the last status of a KMS plugin with a key, by provider and server.',
      labels: ['provider_name', 'key_id_hash', 'apiserver_id_hash'] as const,
      maxSeries: MAX_KEYS,
    }),
    invalidKeys: registry.counter({
      name: `${ENVELOPE}invalid_key_id_from_status_total`,
      help: 'Number of statuses of a KMS plugin with an invalid key id, by problem.',
      labels: ['provider_name', 'error'] as const,
    }),
    cacheSize: registry.gauge({
      name: `${ENVELOPE}dek_source_cache_size`,
      help: 'Number of decrypted seeds that are cached. A restarted server makes about as many calls to the plugin.',
      labels: ['provider_name'] as const,
    }),
  };
}
