import { describe, expect, it } from 'vitest';
import { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { createEtcdMetrics } from './etcd-metrics.ts';

describe('the metrics of etcd', () => {
  const create = () => {
    const registry = new MetricRegistry();
    const forms = {
      definitionOf: () => undefined,
      groupResourceOf: (key: string) => {
        const [, group = '', resource = ''] = key.split('/');
        return group.includes('.') ? { group, resource } : undefined;
      },
    };
    const observer = createEtcdMetrics(registry, forms);
    const values = (): string[] => registry.print().match(/^(?:etcd|apiserver)_[^#\n]*[^#]*?$/gm) ?? [];
    return { observer, values };
  };

  it('count requests, failures and seconds by operation and resource', () => {
    const { observer, values } = create();
    observer.request('create', 'registry/example.com/boats/default/a', 6, true);
    observer.request('create', 'registry/example.com/boats/default/b', 30, false);
    observer.request('get', 'registry/masterleases/10.0.0.1', 1, true);
    const labels = 'group="example.com",operation="create",resource="boats"';
    expect(values()).toEqual(
      expect.arrayContaining([
        `etcd_requests_total{${labels}} 2`,
        `etcd_request_errors_total{${labels}} 1`,
        `etcd_request_duration_seconds_bucket{${labels},le="0.005"} 0`,
        `etcd_request_duration_seconds_bucket{${labels},le="0.025"} 1`,
        `etcd_request_duration_seconds_sum{${labels}} 0.036`,
        'etcd_requests_total{group="",operation="get",resource="apiServerIPInfo"} 1',
      ]),
    );
  });

  it('count lists, their objects, events and the objects of leases', () => {
    const { observer, values } = create();
    observer.listed('registry/example.com/boats/', 3);
    observer.listed('registry/', 100);
    observer.received([{ type: 'delete', key: 'registry/example.com/boats/default/a', revision: 7 }]);
    observer.leaseGranted(12);
    expect(values()).toEqual(
      expect.arrayContaining([
        'apiserver_storage_list_total{group="example.com",resource="boats"} 1',
        'apiserver_storage_list_fetched_objects_total{group="example.com",resource="boats"} 3',
        'apiserver_storage_events_received_total{group="example.com",resource="boats"} 1',
        'etcd_lease_object_counts_bucket{le="10"} 0',
        'etcd_lease_object_counts_bucket{le="50"} 1',
      ]),
    );
    expect(values().filter((line) => line.endsWith(' 100'))).toEqual([]);
  });
});
