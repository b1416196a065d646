/**
 * The metrics of the number of stored objects and of the size of storages. They are polled, so that no request has to
 * wait for them.
 */
import { formatGroupResource } from '../apimachinery/meta/gvk.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { Stoppable } from '../base/lifetime.ts';
import type { GaugeFamily, MetricRegistry } from '../base/metrics/metric-registry.ts';
import type { CountedResource } from '../server/resource/counted-resource.ts';
import { isSized } from '../storage/sized-storage.ts';
import type { Storage } from '../storage/storage.ts';

export interface StorageMetrics {
  /** Deprecated in kube-apiserver, but a stable metric. */
  readonly objects: GaugeFamily<readonly ['resource']>;
  readonly resourceObjects: GaugeFamily<readonly ['group', 'resource']>;
  readonly sizeBytes: GaugeFamily<readonly ['storage_cluster_id']>;
}

/** Registers the metrics. Called once per registry; a second call throws BugError. */
export function registerStorageMetrics(registry: MetricRegistry): StorageMetrics {
  return {
    objects: registry.gauge({
      name: 'apiserver_storage_objects',
      help: 'Stored objects by resource when they were last counted; -1 if that failed. See apiserver_resource_objects.',
      labels: ['resource'],
    }),
    resourceObjects: registry.gauge({
      name: 'apiserver_resource_objects',
      help: 'Stored objects by group and resource when they were last counted; -1 if that failed.',
      labels: ['group', 'resource'],
    }),
    sizeBytes: registry.gauge({
      name: 'apiserver_storage_size_bytes',
      help: 'Bytes that the database of a storage has allocated: etcd-0 is that of --etcd-servers, lmdb-0 that of the data folder.',
      labels: ['storage_cluster_id'],
    }),
  };
}

export interface StorageMetricsOptions {
  readonly registry: MetricRegistry;
  readonly clock: Clock;
  /** Returns the resources that are stored now. */
  resources(): readonly CountedResource[];
  /** The storages, in the order of their ids. Storages without `size` have no metric. */
  readonly media: readonly Storage[];
  /** How often objects are counted, in milliseconds. 0: never. */
  readonly countPollMs: number;
  /** How often sizes are read, in milliseconds. 0: never. */
  readonly sizePollMs: number;
}

/** Polls in the next turn of the event loop and then at the intervals, until the result is stopped. */
export function startStorageMetrics(options: StorageMetricsOptions): Stoppable {
  const { registry, clock, countPollMs, sizePollMs } = options;
  const metrics = registerStorageMetrics(registry);
  const polls = [
    startPoll(clock, countPollMs, () => countObjects(metrics, options.resources())),
    startPoll(clock, sizePollMs, () => readSizes(metrics, options.media)),
  ];
  const stop = async (): Promise<void> => {
    await Promise.all(polls.map((poll) => poll.stop()));
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

/** `poll` must not reject. */
function startPoll(clock: Clock, intervalMs: number, poll: () => Promise<void>): { stop(): Promise<void> } {
  let timer: Timer | undefined;
  let isStopped = intervalMs === 0;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    await poll();
    if (!isStopped) timer = clock.setTimer(intervalMs, start, { background: true });
  };
  const start = (): void => {
    running = run();
  };
  if (!isStopped) timer = clock.setTimer(0, start, { background: true });
  return {
    stop: async () => {
      isStopped = true;
      timer?.cancel();
      await running;
    },
  };
}

/**
 * Counts one resource after the other, so that etcd gets one request at a time. Removes the metrics of resources that
 * no longer exist.
 */
async function countObjects(
  { objects, resourceObjects }: StorageMetrics,
  resources: readonly CountedResource[],
): Promise<void> {
  const counts: number[] = [];
  for (const resource of resources) counts.push(await orMinusOne(() => resource.count()));
  objects.clear();
  resourceObjects.clear();
  for (const [i, resource] of resources.entries()) {
    objects.labels(formatGroupResource(resource)).set(counts[i] ?? -1);
    resourceObjects.labels(resource.group, resource.resource).set(counts[i] ?? -1);
  }
}

async function readSizes({ sizeBytes }: StorageMetrics, media: readonly Storage[]): Promise<void> {
  for (const [i, storage] of media.entries())
    if (isSized(storage)) sizeBytes.labels(`${storage.driver}-${i}`).set(await orMinusOne(() => storage.size()));
}

/** Returns -1 for a failed poll, as in kube-apiserver's metrics. Health checks report the failure itself. */
async function orMinusOne(read: () => number | Promise<number>): Promise<number> {
  try {
    return await read();
  } catch {
    return -1;
  }
}
