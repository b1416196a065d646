// The resources of metrics.k8s.io: usage of the nodes and pods of the parent API server.
import type { Client } from 'keelson/client';
import { computed, defineResource } from 'keelson/extension';
import { Node, Pod } from 'keelson/kinds/core/v1';
import type { ResourceDefinition } from 'keelson/server';
import { sampleTime } from './sample-time.ts';
import { simulatedUsage, type Usage } from './simulated-usage.ts';

const GROUP = 'metrics.k8s.io';
const VERSION = 'v1beta1';
const USAGE = {
  type: 'object',
  description: 'The usage by resource: cpu, memory.',
  additionalProperties: { 'x-kubernetes-int-or-string': true },
};
const SAMPLE = {
  timestamp: { type: 'string', format: 'date-time', description: 'The end of the interval of the sample.' },
  window: { type: 'string', description: 'The length of the interval.' },
};

interface NodeMetrics {
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  readonly timestamp: string;
  readonly window: string;
  readonly usage: Usage;
}

interface PodMetrics {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: Record<string, string> };
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly { readonly name: string; readonly usage: Usage }[];
}

/** `parent` reads the nodes and pods. It is called with each request. */
export function metricsResources(parent: () => Client): readonly ResourceDefinition[] {
  return [nodeMetrics(parent), podMetrics(parent)];
}

function nodeMetrics(parent: () => Client): ResourceDefinition {
  const measure = ({ metadata: { name, labels } }: Named): NodeMetrics => ({
    metadata: { name, ...(labels && { labels: { ...labels } }) },
    ...sample(),
    usage: simulatedUsage(name, 1),
  });
  return defineResource<NodeMetrics>({
    group: GROUP,
    version: VERSION,
    kind: 'NodeMetrics',
    plural: 'nodes',
    scope: 'Cluster',
    schema: { type: 'object', description: 'The usage of a node.', properties: { ...SAMPLE, usage: USAGE } },
    columns: { CPU: ({ usage }) => usage.cpu, Memory: ({ usage }) => usage.memory, Window: ({ window }) => window },
    store: computed<NodeMetrics>({
      plural: 'nodes',
      async list() {
        const all: NodeMetrics[] = [];
        for await (const node of parent().api(Node).list()) all.push(measure(node));
        return all;
      },
      async get({ name }) {
        const node = await parent().api(Node).find(name);
        return node === undefined ? undefined : measure(node);
      },
    }),
  });
}

function podMetrics(parent: () => Client): ResourceDefinition {
  const measure = ({ metadata: { name, namespace = '', labels }, spec }: NamedPod): PodMetrics => ({
    metadata: { name, namespace, ...(labels && { labels: { ...labels } }) },
    ...sample(),
    containers: (spec?.containers ?? []).map((container) => ({
      name: container.name,
      usage: simulatedUsage(`${name}/${container.name}`, 0.1),
    })),
  });
  return defineResource<PodMetrics>({
    group: GROUP,
    version: VERSION,
    kind: 'PodMetrics',
    plural: 'pods',
    schema: {
      type: 'object',
      description: 'The usage of the containers of a pod.',
      properties: {
        ...SAMPLE,
        containers: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' }, usage: USAGE } },
        },
      },
    },
    store: computed<PodMetrics>({
      plural: 'pods',
      async list(namespace) {
        const all: PodMetrics[] = [];
        const pods = namespace === '' ? parent().all(Pod) : parent().api(Pod, namespace);
        for await (const pod of pods.list({ fieldSelector: 'status.phase=Running' })) all.push(measure(pod));
        return all;
      },
      async get({ namespace, name }) {
        const pod = await parent().api(Pod, namespace).find(name);
        return pod?.status?.phase === 'Running' ? measure(pod) : undefined;
      },
    }),
  });
}

interface Named {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

interface NamedPod {
  readonly metadata: Named['metadata'] & { readonly namespace?: string };
  readonly spec?: { readonly containers: readonly { readonly name: string }[] };
}

function sample(): { readonly timestamp: string; readonly window: string } {
  return { timestamp: sampleTime(), window: '15s' };
}
