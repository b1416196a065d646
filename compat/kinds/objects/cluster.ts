/**
 * Objects of autoscaling, policy, scheduling, node, flow control, certificates, coordination, events, API services,
 * RBAC.
 */
import type { JsonDict } from '../../crds/schema.ts';
import type { Subject } from '../subject.ts';

const META: JsonDict = { labels: { app: 'x' }, annotations: { 'example.com/note': 'a note' } };
const CONDITION: JsonDict = {
  type: 'Ready',
  status: 'True',
  reason: 'Good',
  message: 'fine',
  lastTransitionTime: '2024-01-01T00:00:00Z',
};
const TARGET: JsonDict = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };
const METRIC: JsonDict = { name: 'requests', selector: { matchLabels: { a: 'b' } } };
const BEHAVIOR_RULE: JsonDict = {
  stabilizationWindowSeconds: 60,
  selectPolicy: 'Min',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 60 },
    { type: 'Percent', value: 10, periodSeconds: 120 },
  ],
};
const PREEMPTION_RULES: JsonDict = {
  subjects: [
    { kind: 'User', user: { name: 'alice' } },
    { kind: 'Group', group: { name: 'devs' } },
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } },
  ],
  resourceRules: [
    { verbs: ['get', 'list'], apiGroups: ['apps'], resources: ['deployments'], namespaces: ['n'], clusterScope: true },
  ],
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/api/*'] }],
};

/** A certificate request for `CN=kinds`. Its key was not kept. */
const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1ISUNBUUF3RURFT01Bd0dBMVVFQXd3RmEybHVaSE13V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQgpCd05DQUFTOXN1NG9IUWdPaWpIa2Y5K0RhR1hhb2Myb0trUHJBcEtMbmYvR0c3MlZyWC9keGo2cFF2d2UwNDFECkJUQjNha29oaHJoOXBCY0VKeTZQSHZDdmNwR0RvQUF3Q2dZSUtvWkl6ajBFQXdJRFJ3QXdSQUlnY1lrL2lnZGgKKzFqdmxTdTg2akRlb3p3ekJCc29EcjUwRnl3aUFmMjgzNVFDSUhSN216SFJLeFVqQ1dwRDVTTWQrYlhCbmYvcQpiVEJqNnVhaXpGeUplUS9SCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

export const CLUSTER: readonly Subject[] = [
  {
    group: 'autoscaling',
    version: 'v2',
    plural: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    variants: [
      { name: 'minimal', object: { spec: { scaleTargetRef: TARGET, maxReplicas: 3 } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            scaleTargetRef: TARGET,
            minReplicas: 2,
            maxReplicas: 10,
            metrics: [
              { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
              {
                type: 'Resource',
                resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } },
              },
              {
                type: 'ContainerResource',
                containerResource: {
                  name: 'cpu',
                  container: 'main',
                  target: { type: 'Utilization', averageUtilization: 50 },
                },
              },
              { type: 'Pods', pods: { metric: METRIC, target: { type: 'AverageValue', averageValue: '1k' } } },
              {
                type: 'Object',
                object: {
                  metric: METRIC,
                  describedObject: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'i' },
                  target: { type: 'Value', value: '10k' },
                },
              },
              { type: 'External', external: { metric: METRIC, target: { type: 'AverageValue', averageValue: '30' } } },
            ],
            behavior: { scaleUp: BEHAVIOR_RULE, scaleDown: { ...BEHAVIOR_RULE, selectPolicy: 'Disabled' } },
          },
        },
        status: {
          observedGeneration: 1,
          lastScaleTime: '2024-01-01T00:00:00Z',
          currentReplicas: 2,
          desiredReplicas: 3,
          currentMetrics: [
            { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 55, averageValue: '100m' } } },
            { type: 'Pods', pods: { metric: METRIC, current: { averageValue: '900' } } },
          ],
          conditions: [{ ...CONDITION, type: 'AbleToScale' }],
        },
      },
    ],
  },
  {
    group: 'autoscaling',
    version: 'v1',
    plural: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    variants: [
      { name: 'minimal', object: { spec: { scaleTargetRef: TARGET, maxReplicas: 3 } } },
      {
        name: 'full',
        object: {
          metadata: {
            ...META,
            annotations: {
              'autoscaling.alpha.kubernetes.io/metrics':
                '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"1k"}}]',
              'autoscaling.alpha.kubernetes.io/behavior':
                '{"ScaleDown":{"StabilizationWindowSeconds":30,"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":15}],"SelectPolicy":"Max"}}',
            },
          },
          spec: { scaleTargetRef: TARGET, minReplicas: 2, maxReplicas: 10, targetCPUUtilizationPercentage: 75 },
        },
        status: {
          observedGeneration: 1,
          lastScaleTime: '2024-01-01T00:00:00Z',
          currentReplicas: 2,
          desiredReplicas: 3,
          currentCPUUtilizationPercentage: 50,
        },
      },
    ],
  },
  {
    group: 'policy',
    version: 'v1',
    plural: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    variants: [
      { name: 'minimal', object: {} },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            minAvailable: '50%',
            selector: { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] },
            unhealthyPodEvictionPolicy: 'AlwaysAllow',
          },
        },
        status: {
          observedGeneration: 1,
          disruptedPods: { 'pod-1': '2024-01-01T00:00:00Z' },
          disruptionsAllowed: 1,
          currentHealthy: 2,
          desiredHealthy: 1,
          expectedPods: 2,
          conditions: [{ ...CONDITION, type: 'DisruptionAllowed', observedGeneration: 1 }],
        },
      },
      { name: 'unavailable', object: { spec: { maxUnavailable: 1, selector: {} } } },
    ],
  },
  {
    group: 'scheduling.k8s.io',
    version: 'v1',
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: { value: 7 } },
      {
        name: 'kinds-full',
        object: { metadata: META, value: 1000, globalDefault: false, description: 'words', preemptionPolicy: 'Never' },
      },
    ],
  },
  {
    group: 'node.k8s.io',
    version: 'v1',
    plural: 'runtimeclasses',
    kind: 'RuntimeClass',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: { handler: 'runc' } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          handler: 'kata',
          overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
          scheduling: {
            nodeSelector: { kata: 'yes' },
            tolerations: [{ key: 'kata', operator: 'Equal', value: 'x', effect: 'NoSchedule' }],
          },
        },
      },
    ],
  },
  {
    group: 'flowcontrol.apiserver.k8s.io',
    version: 'v1',
    plural: 'flowschemas',
    kind: 'FlowSchema',
    clusterScoped: true,
    settleMs: 500,
    variants: [
      { name: 'kinds-minimal', object: { spec: { priorityLevelConfiguration: { name: 'workload-low' } } } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            priorityLevelConfiguration: { name: 'workload-low' },
            matchingPrecedence: 9000,
            distinguisherMethod: { type: 'ByUser' },
            rules: [PREEMPTION_RULES],
          },
        },
        status: { conditions: [{ ...CONDITION, type: 'Dangling', status: 'False' }] },
      },
    ],
  },
  {
    group: 'flowcontrol.apiserver.k8s.io',
    version: 'v1',
    plural: 'prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    clusterScoped: true,
    settleMs: 500,
    variants: [
      { name: 'kinds-minimal', object: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            type: 'Limited',
            limited: {
              nominalConcurrencyShares: 5,
              lendablePercent: 50,
              borrowingLimitPercent: 20,
              limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 4, queueLengthLimit: 20 } },
            },
          },
        },
        status: { conditions: [{ ...CONDITION, type: 'Good' }] },
      },
    ],
  },
  {
    group: 'certificates.k8s.io',
    version: 'v1',
    plural: 'certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    clusterScoped: true,
    variants: [
      {
        name: 'kinds-minimal',
        object: { spec: { request: REQUEST, signerName: 'example.com/signer', usages: ['client auth'] } },
      },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            request: REQUEST,
            signerName: 'example.com/signer',
            usages: ['digital signature', 'key encipherment', 'client auth'],
            expirationSeconds: 3600,
            username: 'ignored',
            groups: ['ignored'],
          },
        },
        status: {
          conditions: [
            {
              type: 'Failed',
              status: 'True',
              reason: 'R',
              message: 'm',
              lastUpdateTime: '2024-01-01T00:00:00Z',
              lastTransitionTime: '2024-01-01T00:00:00Z',
            },
          ],
        },
      },
    ],
    extras: [
      { title: 'GET approval', method: 'GET', path: '{}/approval' },
      {
        title: 'PATCH approval with a status',
        method: 'PATCH',
        path: '{}/approval',
        type: 'application/merge-patch+json',
        body: { status: { certificate: 'eA==', conditions: [{ type: 'Approved', status: 'False', reason: 'x' }] } },
      },
      {
        title: 'PATCH approval',
        method: 'PATCH',
        path: '{}/approval',
        type: 'application/merge-patch+json',
        body: { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Why', message: 'because' }] } },
      },
      {
        title: 'PATCH approval and denial',
        method: 'PATCH',
        path: '{}/approval',
        type: 'application/merge-patch+json',
        body: {
          status: {
            conditions: [
              { type: 'Approved', status: 'True' },
              { type: 'Denied', status: 'True' },
            ],
          },
        },
      },
      {
        title: 'PATCH status with no certificate',
        method: 'PATCH',
        path: '{}/status',
        type: 'application/merge-patch+json',
        body: { status: { certificate: 'bm90IHBlbQ==' } },
      },
    ],
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    plural: 'leases',
    kind: 'Lease',
    variants: [
      { name: 'minimal', object: {} },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            holderIdentity: 'me',
            leaseDurationSeconds: 15,
            acquireTime: '2024-01-01T00:00:00.123456Z',
            renewTime: '2024-01-01T00:00:00.123456Z',
            leaseTransitions: 3,
          },
        },
      },
      { name: 'coordinated', object: { spec: { strategy: 'OldestEmulationVersion', preferredHolder: 'other' } } },
    ],
  },
  {
    group: 'events.k8s.io',
    version: 'v1',
    plural: 'events',
    kind: 'Event',
    variants: [
      {
        name: 'full',
        object: {
          metadata: { name: 'full', namespace: 'k-events-v1' },
          eventTime: '2024-01-01T00:00:00.123456Z',
          series: { count: 2, lastObservedTime: '2024-01-01T00:00:00.123456Z' },
          reportingController: 'example.com/c',
          reportingInstance: 'i',
          action: 'Act',
          reason: 'R',
          regarding: { kind: 'Pod', name: 'x', namespace: 'k-events-v1', apiVersion: 'v1' },
          related: { kind: 'Node', name: 'n' },
          note: 'words',
          type: 'Normal',
        },
      },
    ],
  },
  {
    group: 'apiregistration.k8s.io',
    version: 'v1',
    plural: 'apiservices',
    kind: 'APIService',
    clusterScoped: true,
    alone: true,
    variants: [
      {
        name: 'v1.kinds.example.com',
        object: { spec: { group: 'kinds.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 } },
      },
      {
        name: 'v1beta1.kinds.example.com',
        object: {
          metadata: META,
          spec: {
            group: 'kinds.example.com',
            version: 'v1beta1',
            groupPriorityMinimum: 1000,
            versionPriority: 15,
            service: { namespace: 'default', name: 'x', port: 8443 },
            insecureSkipTLSVerify: true,
          },
        },
        status: { conditions: [{ ...CONDITION, type: 'Available' }] },
      },
    ],
  },
  {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'roles',
    kind: 'Role',
    variants: [
      { name: 'minimal', object: { rules: [] } },
      {
        name: 'full',
        object: {
          metadata: META,
          rules: [
            {
              verbs: ['get', 'list'],
              apiGroups: ['', 'apps'],
              resources: ['pods', 'deployments/scale'],
              resourceNames: ['x'],
            },
          ],
        },
      },
    ],
  },
  {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'clusterroles',
    kind: 'ClusterRole',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: { rules: [] } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          rules: [
            { verbs: ['get'], nonResourceURLs: ['/healthz'] },
            { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
          ],
        },
      },
      {
        name: 'kinds-aggregated',
        object: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }, rules: [] },
      },
    ],
  },
  {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'rolebindings',
    kind: 'RoleBinding',
    variants: [
      {
        name: 'minimal',
        object: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
      },
      {
        name: 'full',
        object: {
          metadata: META,
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' },
          subjects: [
            { kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' },
            { kind: 'Group', name: 'devs', apiGroup: 'rbac.authorization.k8s.io' },
            { kind: 'ServiceAccount', name: 'sa', namespace: 'n' },
          ],
        },
      },
    ],
  },
  {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    clusterScoped: true,
    variants: [
      {
        name: 'kinds-minimal',
        object: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
      },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [
            { kind: 'User', name: 'nobody-at-all' },
            { kind: 'ServiceAccount', name: 'sa', namespace: 'n' },
          ],
        },
      },
    ],
  },
];
