/** Objects of the core group, without pods, nodes, Services and volumes. */
import type { Subject } from '../subject.ts';
import { CONTAINERS_POD, HOST_POD, MINIMAL_POD, SCHEDULING_POD, VOLUMES_POD, WINDOWS_POD } from './pod-specs.ts';

const LABELS = { labels: { app: 'x' }, annotations: { 'example.com/note': 'a note' } };

const POD_STATUS = {
  phase: 'Running',
  conditions: [
    { type: 'Ready', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z', observedGeneration: 1 },
    { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '2024-01-01T00:00:00Z' },
  ],
  hostIP: '192.168.1.1',
  hostIPs: [{ ip: '192.168.1.1' }],
  podIP: '10.1.0.5',
  podIPs: [{ ip: '10.1.0.5' }],
  qosClass: 'BestEffort',
  startTime: '2024-01-01T00:00:00Z',
  containerStatuses: [
    {
      name: 'main',
      image: 'app',
      imageID: 'sha256:1',
      containerID: 'containerd://abc',
      ready: true,
      started: true,
      restartCount: 2,
      state: { running: { startedAt: '2024-01-01T00:00:00Z' } },
      lastState: {
        terminated: {
          exitCode: 1,
          reason: 'Error',
          startedAt: '2024-01-01T00:00:00Z',
          finishedAt: '2024-01-01T00:01:00Z',
        },
      },
    },
  ],
};

export const CORE: readonly Subject[] = [
  {
    group: '',
    version: 'v1',
    plural: 'pods',
    kind: 'Pod',
    variants: [
      { name: 'minimal', object: { spec: MINIMAL_POD }, status: POD_STATUS },
      { name: 'containers', object: { metadata: LABELS, spec: CONTAINERS_POD } },
      { name: 'scheduling', object: { metadata: LABELS, spec: SCHEDULING_POD } },
      { name: 'volumes', object: { spec: VOLUMES_POD } },
      { name: 'host', object: { spec: HOST_POD } },
      { name: 'windows', object: { spec: WINDOWS_POD } },
      {
        name: 'gated',
        object: {
          spec: { ...MINIMAL_POD, schedulingGates: [{ name: 'example.com/wait' }, { name: 'example.com/too' }] },
        },
      },
      { name: 'job', object: { spec: { ...MINIMAL_POD, restartPolicy: 'Never', activeDeadlineSeconds: 100 } } },
    ],
    extras: [
      { title: 'GET log', method: 'GET', path: '{}/log' },
      { title: 'GET log of a container', method: 'GET', path: '{}/log?container=none&tailLines=-1' },
      { title: 'POST exec', method: 'POST', path: '{}/exec?command=ls' },
      { title: 'GET attach', method: 'GET', path: '{}/attach' },
      { title: 'POST portforward', method: 'POST', path: '{}/portforward' },
      { title: 'GET proxy without an address', variant: 'gated', method: 'GET', path: '{}/proxy/x' },
      {
        title: 'PUT ephemeralcontainers',
        method: 'PATCH',
        path: '{}/ephemeralcontainers',
        type: 'application/strategic-merge-patch+json',
        body: {
          spec: {
            ephemeralContainers: [{ name: 'debug', image: 'busybox', targetContainerName: 'main', stdin: true }],
          },
        },
      },
      {
        title: 'PATCH ephemeralcontainers with ports',
        method: 'PATCH',
        path: '{}/ephemeralcontainers',
        type: 'application/strategic-merge-patch+json',
        body: {
          spec: {
            ephemeralContainers: [{ name: 'bad', image: 'busybox', ports: [{ containerPort: 1 }], livenessProbe: {} }],
          },
        },
      },
      { title: 'GET ephemeralcontainers', method: 'GET', path: '{}/ephemeralcontainers' },
      {
        title: 'PATCH resize',
        method: 'PATCH',
        path: '{}/resize',
        type: 'application/strategic-merge-patch+json',
        body: { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] } },
      },
      {
        title: 'POST binding',
        method: 'POST',
        path: '{}/binding',
        body: {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: 'minimal' },
          target: { kind: 'Node', name: 'node-1' },
        },
        mutate: true,
      },
      {
        title: 'POST binding again',
        method: 'POST',
        path: '{}/binding',
        body: {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: 'minimal' },
          target: { kind: 'Node', name: 'node-2' },
        },
      },
      { title: 'GET log of a bound pod', method: 'GET', path: '{}/log' },
      {
        title: 'POST eviction',
        method: 'POST',
        path: '{}/eviction',
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'minimal' } },
        mutate: true,
      },
      {
        title: 'POST binding of a gated pod',
        variant: 'gated',
        method: 'POST',
        path: '{}/binding',
        body: { metadata: { name: 'gated' }, target: { name: 'n' } },
      },
      {
        title: 'PATCH resize of everything',
        variant: 'containers',
        method: 'PATCH',
        path: '{}/resize',
        type: 'application/strategic-merge-patch+json',
        body: {
          spec: {
            containers: [
              {
                name: 'main',
                resources: { requests: { cpu: '300m', memory: '70Mi' }, limits: { cpu: '600m', memory: '130Mi' } },
              },
            ],
          },
        },
      },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'podtemplates',
    kind: 'PodTemplate',
    variants: [
      { name: 'minimal', object: { template: { spec: MINIMAL_POD } } },
      { name: 'containers', object: { template: { metadata: LABELS, spec: CONTAINERS_POD } } },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'configmaps',
    kind: 'ConfigMap',
    variants: [
      { name: 'minimal', object: {} },
      {
        name: 'full',
        object: { metadata: LABELS, data: { a: 'b', 'c.d': 'e' }, binaryData: { bin: 'AAEC' }, immutable: false },
      },
      { name: 'immutable', object: { data: { a: 'b' }, immutable: true } },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'secrets',
    kind: 'Secret',
    variants: [
      { name: 'minimal', object: {} },
      {
        name: 'full',
        object: {
          metadata: LABELS,
          type: 'example.com/own',
          data: { a: 'Yg==' },
          stringData: { c: 'd' },
          immutable: false,
        },
      },
      { name: 'tls', object: { type: 'kubernetes.io/tls', data: { 'tls.crt': 'eA==', 'tls.key': 'eQ==' } } },
      { name: 'basic', object: { type: 'kubernetes.io/basic-auth', stringData: { username: 'u', password: 'p' } } },
      { name: 'ssh', object: { type: 'kubernetes.io/ssh-auth', stringData: { 'ssh-privatekey': 'k' } } },
      {
        name: 'docker',
        object: { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{"auths":{}}' } },
      },
      { name: 'old-docker', object: { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '{}' } } },
      { name: 'immutable', object: { data: { a: 'Yg==' }, immutable: true } },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    variants: [
      { name: 'minimal', object: {} },
      {
        name: 'full',
        object: {
          metadata: LABELS,
          secrets: [{ name: 's' }],
          imagePullSecrets: [{ name: 'p' }],
          automountServiceAccountToken: false,
        },
      },
    ],
    extras: [
      {
        title: 'POST token of a bad kind',
        method: 'POST',
        path: '{}/token',
        body: { spec: { expirationSeconds: 1, boundObjectRef: { kind: 'X' } } },
      },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'namespaces',
    kind: 'Namespace',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: {} },
      {
        name: 'kinds-full',
        object: { metadata: LABELS, spec: { finalizers: ['kubernetes', 'example.com/own'] } },
        status: { phase: 'Active', conditions: [{ type: 'X', status: 'True', reason: 'R', message: 'm' }] },
      },
    ],
    extras: [
      {
        title: 'PUT finalize',
        variant: 'kinds-full',
        method: 'PUT',
        path: '{}/finalize',
        body: { metadata: { name: 'kinds-full' }, spec: { finalizers: ['kubernetes'] } },
      },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'events',
    kind: 'Event',
    variants: [
      {
        name: 'minimal',
        object: {
          metadata: { name: 'minimal', namespace: 'k-events-v1' },
          involvedObject: { kind: 'Pod', name: 'x', namespace: 'k-events-v1' },
        },
      },
      {
        name: 'full',
        object: {
          metadata: { name: 'full', namespace: 'k-events-v1' },
          involvedObject: {
            kind: 'Pod',
            name: 'x',
            namespace: 'k-events-v1',
            apiVersion: 'v1',
            uid: 'u',
            resourceVersion: '1',
            fieldPath: 'spec',
          },
          reason: 'Started',
          message: 'It started',
          source: { component: 'kubelet', host: 'node-1' },
          firstTimestamp: '2024-01-01T00:00:00Z',
          lastTimestamp: '2024-01-01T00:00:00Z',
          count: 3,
          type: 'Warning',
        },
      },
      {
        name: 'series',
        object: {
          metadata: { name: 'series', namespace: 'k-events-v1' },
          involvedObject: { kind: 'Pod', name: 'x', namespace: 'k-events-v1' },
          reason: 'R',
          type: 'Normal',
          eventTime: '2024-01-01T00:00:00.123456Z',
          series: { count: 2, lastObservedTime: '2024-01-01T00:00:00.123456Z' },
          action: 'Act',
          related: { kind: 'Node', name: 'n' },
          reportingComponent: 'example.com/c',
          reportingInstance: 'i',
        },
      },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'limitranges',
    kind: 'LimitRange',
    variants: [
      { name: 'minimal', object: { spec: { limits: [{ type: 'Container' }] } } },
      {
        name: 'full',
        object: {
          metadata: LABELS,
          spec: {
            limits: [
              {
                type: 'Container',
                max: { cpu: '2', memory: '1Gi' },
                min: { cpu: '100m', memory: '10Mi' },
                default: { cpu: '500m', memory: '500Mi' },
                defaultRequest: { cpu: '200m', memory: '100Mi' },
                maxLimitRequestRatio: { cpu: '4' },
              },
              { type: 'Pod', max: { cpu: '4' }, min: { cpu: '1m' }, maxLimitRequestRatio: { memory: '2' } },
              { type: 'PersistentVolumeClaim', max: { storage: '10Gi' }, min: { storage: '1Gi' } },
            ],
          },
        },
      },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'resourcequotas',
    kind: 'ResourceQuota',
    variants: [
      { name: 'minimal', object: {} },
      {
        name: 'full',
        object: {
          metadata: LABELS,
          spec: {
            hard: {
              'requests.cpu': '4',
              'limits.memory': '8Gi',
              pods: '10',
              'count/deployments.apps': '3',
              'services.nodeports': '2',
              'requests.example.com/gpu': '4',
              'gold.storageclass.storage.k8s.io/requests.storage': '5Gi',
              persistentvolumeclaims: '4',
            },
          },
        },
        status: { hard: { pods: '10' }, used: { pods: '1' } },
      },
      {
        name: 'scoped',
        object: {
          spec: {
            hard: { pods: '5' },
            scopes: ['NotTerminating'],
            scopeSelector: {
              matchExpressions: [
                { scopeName: 'PriorityClass', operator: 'In', values: ['high'] },
                { scopeName: 'BestEffort', operator: 'Exists' },
              ],
            },
          },
        },
      },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'replicationcontrollers',
    kind: 'ReplicationController',
    variants: [
      { name: 'minimal', object: { spec: { template: { metadata: { labels: { app: 'x' } }, spec: MINIMAL_POD } } } },
      {
        name: 'full',
        object: {
          metadata: LABELS,
          spec: {
            replicas: 3,
            minReadySeconds: 5,
            selector: { app: 'x' },
            template: { metadata: LABELS, spec: SCHEDULING_POD },
          },
        },
        status: {
          replicas: 3,
          fullyLabeledReplicas: 2,
          readyReplicas: 2,
          availableReplicas: 1,
          observedGeneration: 1,
          conditions: [
            {
              type: 'ReplicaFailure',
              status: 'True',
              reason: 'R',
              message: 'm',
              lastTransitionTime: '2024-01-01T00:00:00Z',
            },
          ],
        },
      },
    ],
    extras: [
      { title: 'GET scale', method: 'GET', path: '{}/scale' },
      {
        title: 'PUT scale',
        method: 'PUT',
        path: '{}/scale',
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'minimal', namespace: 'k-replicationcontrollers-v1' },
          spec: { replicas: 5 },
        },
        mutate: true,
      },
      {
        title: 'PATCH scale',
        method: 'PATCH',
        path: '{}/scale',
        type: 'application/merge-patch+json',
        body: { spec: { replicas: 2 } },
      },
    ],
  },
];
