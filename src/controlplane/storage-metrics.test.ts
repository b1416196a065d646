import { describe, expect, it } from 'vitest';
import { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { StorageError } from '../storage/errors.ts';
import { createMemoryStorage } from '../storage/memory/memory-storage.ts';
import { startStorageMetrics } from './storage-metrics.ts';

const lines = (registry: MetricRegistry): string[] =>
  registry
    .print()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

describe('the metrics of storages', () => {
  const start = (countPollMs: number, sizePollMs: number) => {
    const clock = new VirtualClock();
    const registry = new MetricRegistry();
    const state = { pods: 3, deployments: true, fails: false, size: 4096 };
    const media = [
      Object.assign(createMemoryStorage({ clock }), { driver: 'etcd', size: () => state.size }),
      createMemoryStorage({ clock }),
    ];
    const metrics = startStorageMetrics({
      registry,
      clock,
      resources: () => [
        {
          group: '',
          resource: 'pods',
          count: () => {
            if (state.fails) throw new StorageError('Unavailable', 'no leader');
            return state.pods;
          },
        },
        ...(state.deployments ? [{ group: 'apps', resource: 'deployments', count: () => 1 }] : []),
      ],
      media,
      countPollMs,
      sizePollMs,
    });
    return { clock, registry, state, metrics };
  };

  it('count at the start and at each interval; resources that are gone are removed', async () => {
    const { clock, registry, state, metrics } = start(60_000, 30_000);
    await clock.advance(0);
    expect(lines(registry)).toEqual([
      'apiserver_resource_objects{group="",resource="pods"} 3',
      'apiserver_resource_objects{group="apps",resource="deployments"} 1',
      'apiserver_storage_objects{resource="deployments.apps"} 1',
      'apiserver_storage_objects{resource="pods"} 3',
      'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 4096',
    ]);
    Object.assign(state, { pods: 4, deployments: false, size: 8192 });
    await clock.advance(30_000);
    expect(lines(registry)).toContain('apiserver_resource_objects{group="",resource="pods"} 3');
    expect(lines(registry)).toContain('apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 8192');
    await clock.advance(30_000);
    expect(lines(registry)).toEqual([
      'apiserver_resource_objects{group="",resource="pods"} 4',
      'apiserver_storage_objects{resource="pods"} 4',
      'apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 8192',
    ]);
    await metrics.stop();
  });

  it('are -1 for what cannot be read', async () => {
    const { clock, registry, state, metrics } = start(60_000, 0);
    state.fails = true;
    await clock.advance(60_000);
    expect(lines(registry)).toContain('apiserver_storage_objects{resource="pods"} -1');
    await metrics.stop();
  });

  it('are absent with an interval of 0', async () => {
    const { clock, registry, metrics } = start(0, 0);
    await clock.advance(120_000);
    expect(lines(registry)).toEqual([]);
    await metrics.stop();
  });
});
