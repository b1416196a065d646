// external.metrics.k8s.io: the lengths of queues, for a HorizontalPodAutoscaler with a metric of type External. A
// metric is a resource of that group; the selector of the metric chooses the queue. The queues of this example are made
// of ConfigMaps: each ConfigMap with the label `queue` is a message of that queue.
import type { Client } from 'keelson/client';
import { computed, defineResource } from 'keelson/extension';
import { ConfigMap } from 'keelson/kinds/core/v1';
import type { ResourceDefinition } from 'keelson/server';
import { sampleTime } from './sample-time.ts';

interface QueueLength {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly metricName: string;
  readonly metricLabels: Record<string, string>;
  readonly timestamp: string;
  readonly value: string;
}

const METRIC = 'queue-length';

export function queueLength(parent: () => Client): ResourceDefinition {
  const measure = (namespace: string, queue: string, length: number): QueueLength => ({
    metadata: { name: queue, namespace, labels: { queue } },
    metricName: METRIC,
    metricLabels: { queue },
    timestamp: sampleTime(),
    value: String(length),
  });
  const list = async (namespace: string): Promise<readonly QueueLength[]> => {
    const lengths = new Map<string, number>();
    for await (const { metadata } of parent().api(ConfigMap, namespace).list({ labelSelector: 'queue' })) {
      const queue = metadata.labels?.['queue'] ?? '';
      lengths.set(queue, (lengths.get(queue) ?? 0) + 1);
    }
    return [...lengths].map(([queue, length]) => measure(namespace, queue, length));
  };
  return defineResource<QueueLength>({
    group: 'external.metrics.k8s.io',
    version: 'v1beta1',
    kind: 'ExternalMetricValue',
    plural: METRIC,
    schema: {
      type: 'object',
      description: 'The number of messages in a queue.',
      properties: {
        metricName: { type: 'string' },
        metricLabels: { type: 'object', additionalProperties: { type: 'string' } },
        timestamp: { type: 'string', format: 'date-time' },
        value: { 'x-kubernetes-int-or-string': true },
      },
    },
    columns: { Value: ({ value }) => value },
    store: computed<QueueLength>({ plural: METRIC, list }),
  });
}
