/** Objects of apps and batch: kinds that create pods. */
import type { JsonDict } from '../../crds/schema.ts';
import type { Extra, Subject } from '../subject.ts';
import { CONTAINERS_POD, FULL_POD, HOST_POD, MINIMAL_POD, SCHEDULING_POD, VOLUMES_POD } from './pod-specs.ts';

const META: JsonDict = { labels: { app: 'x' }, annotations: { 'example.com/note': 'a note' } };
const SELECTOR: JsonDict = { matchLabels: { app: 'x' } };
const SELECTOR_FULL: JsonDict = {
  matchLabels: { app: 'x' },
  matchExpressions: [
    { key: 'app', operator: 'In', values: ['x', 'y'] },
    { key: 'gone', operator: 'DoesNotExist' },
  ],
};
const MINIMAL_TEMPLATE: JsonDict = { metadata: { labels: { app: 'x' } }, spec: MINIMAL_POD };

function template(spec: JsonDict): JsonDict {
  return { metadata: META, spec };
}

/** A template with a restart policy that jobs accept. */
function jobTemplate(spec: JsonDict): JsonDict {
  return template({ ...spec, restartPolicy: 'OnFailure' });
}

function scaleExtras(plural: string): Extra[] {
  const scale = (replicas: number): JsonDict => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'minimal', namespace: `k-${plural}-v1` },
    spec: { replicas },
  });
  return [
    { title: 'GET scale', method: 'GET', path: '{}/scale' },
    { title: 'PUT scale', method: 'PUT', path: '{}/scale', body: scale(5), mutate: true },
    { title: 'PUT scale below zero', method: 'PUT', path: '{}/scale', body: scale(-1) },
    {
      title: 'PATCH scale',
      method: 'PATCH',
      path: '{}/scale',
      type: 'application/merge-patch+json',
      body: { spec: { replicas: 2 } },
    },
    {
      title: 'PATCH scale by json',
      method: 'PATCH',
      path: '{}/scale',
      type: 'application/json-patch+json',
      body: [{ op: 'replace', path: '/spec/replicas', value: 7 }],
    },
  ];
}

const CONDITION: JsonDict = {
  type: 'Available',
  status: 'True',
  reason: 'R',
  message: 'm',
  lastUpdateTime: '2024-01-01T00:00:00Z',
  lastTransitionTime: '2024-01-01T00:00:00Z',
};
const PLAIN_CONDITION: JsonDict = {
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2024-01-01T00:00:00Z',
};

const JOB_SPEC: JsonDict = {
  parallelism: 2,
  completions: 4,
  activeDeadlineSeconds: 100,
  podFailurePolicy: {
    rules: [
      { action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [3, 42] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ],
  },
  successPolicy: { rules: [{ succeededIndexes: '0,2-3', succeededCount: 2 }] },
  backoffLimitPerIndex: 1,
  maxFailedIndexes: 3,
  ttlSecondsAfterFinished: 60,
  completionMode: 'Indexed',
  suspend: true,
  podReplacementPolicy: 'Failed',
  managedBy: 'example.com/manager',
  template: template({ ...MINIMAL_POD, restartPolicy: 'Never' }),
};

export const APPS: readonly Subject[] = [
  {
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    kind: 'Deployment',
    variants: [
      { name: 'minimal', object: { spec: { selector: SELECTOR, template: MINIMAL_TEMPLATE } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            replicas: 3,
            selector: SELECTOR_FULL,
            template: template(FULL_POD),
            strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '30%', maxSurge: 2 } },
            minReadySeconds: 10,
            revisionHistoryLimit: 4,
            paused: true,
            progressDeadlineSeconds: 300,
          },
        },
        status: {
          observedGeneration: 1,
          replicas: 3,
          updatedReplicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          unavailableReplicas: 1,
          conditions: [CONDITION],
          collisionCount: 1,
          terminatingReplicas: 1,
        },
      },
      {
        name: 'recreate',
        object: { spec: { selector: SELECTOR, strategy: { type: 'Recreate' }, template: template(VOLUMES_POD) } },
      },
    ],
    extras: scaleExtras('deployments'),
  },
  {
    group: 'apps',
    version: 'v1',
    plural: 'replicasets',
    kind: 'ReplicaSet',
    variants: [
      { name: 'minimal', object: { spec: { selector: SELECTOR, template: MINIMAL_TEMPLATE } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: { replicas: 3, minReadySeconds: 5, selector: SELECTOR_FULL, template: template(CONTAINERS_POD) },
        },
        status: {
          replicas: 3,
          fullyLabeledReplicas: 3,
          readyReplicas: 2,
          availableReplicas: 1,
          observedGeneration: 1,
          conditions: [PLAIN_CONDITION],
          terminatingReplicas: 1,
        },
      },
    ],
    extras: scaleExtras('replicasets'),
  },
  {
    group: 'apps',
    version: 'v1',
    plural: 'statefulsets',
    kind: 'StatefulSet',
    variants: [
      { name: 'minimal', object: { spec: { selector: SELECTOR, template: MINIMAL_TEMPLATE } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            replicas: 3,
            selector: SELECTOR_FULL,
            template: template(FULL_POD),
            volumeClaimTemplates: [
              {
                metadata: { name: 'data', labels: { a: 'b' } },
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  storageClassName: 'fast',
                  resources: { requests: { storage: '1Gi' } },
                },
              },
              {
                metadata: { name: 'log' },
                spec: {
                  accessModes: ['ReadWriteMany'],
                  volumeMode: 'Block',
                  resources: { requests: { storage: '2Gi' } },
                },
              },
            ],
            serviceName: 'headless',
            podManagementPolicy: 'Parallel',
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
            revisionHistoryLimit: 5,
            minReadySeconds: 3,
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
            ordinals: { start: 2 },
          },
        },
        status: {
          observedGeneration: 1,
          replicas: 3,
          readyReplicas: 2,
          currentReplicas: 1,
          updatedReplicas: 2,
          currentRevision: 'a',
          updateRevision: 'b',
          collisionCount: 0,
          availableReplicas: 2,
          conditions: [PLAIN_CONDITION],
        },
      },
      {
        name: 'on-delete',
        object: { spec: { selector: SELECTOR, updateStrategy: { type: 'OnDelete' }, template: MINIMAL_TEMPLATE } },
      },
    ],
    extras: scaleExtras('statefulsets'),
  },
  {
    group: 'apps',
    version: 'v1',
    plural: 'daemonsets',
    kind: 'DaemonSet',
    variants: [
      { name: 'minimal', object: { spec: { selector: SELECTOR, template: MINIMAL_TEMPLATE } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            selector: SELECTOR_FULL,
            template: template(HOST_POD),
            updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '10%' } },
            minReadySeconds: 3,
            revisionHistoryLimit: 7,
          },
        },
        status: {
          currentNumberScheduled: 3,
          numberMisscheduled: 1,
          desiredNumberScheduled: 4,
          numberReady: 2,
          observedGeneration: 1,
          updatedNumberScheduled: 2,
          numberAvailable: 1,
          numberUnavailable: 2,
          collisionCount: 1,
          conditions: [PLAIN_CONDITION],
        },
      },
      {
        name: 'on-delete',
        object: {
          spec: { selector: SELECTOR, updateStrategy: { type: 'OnDelete' }, template: template(SCHEDULING_POD) },
        },
      },
    ],
  },
  {
    group: 'apps',
    version: 'v1',
    plural: 'controllerrevisions',
    kind: 'ControllerRevision',
    variants: [
      { name: 'minimal', object: { revision: 1, data: {} } },
      {
        name: 'full',
        object: { metadata: META, revision: 7, data: { apiVersion: 'v1', kind: 'X', spec: { a: [1, 'b', null] } } },
      },
    ],
  },
  {
    group: 'batch',
    version: 'v1',
    plural: 'jobs',
    kind: 'Job',
    variants: [
      { name: 'minimal', object: { spec: { template: { spec: { ...MINIMAL_POD, restartPolicy: 'Never' } } } } },
      {
        name: 'full',
        object: { metadata: META, spec: JOB_SPEC },
        status: {
          startTime: '2024-01-01T00:00:00Z',
          active: 1,
          ready: 1,
          terminating: 0,
          uncountedTerminatedPods: {},
          succeeded: 2,
          failed: 0,
          completedIndexes: '0,1',
        },
      },
      {
        name: 'backoff',
        object: { spec: { backoffLimit: 3, completionMode: 'NonIndexed', template: jobTemplate(FULL_POD) } },
      },
      {
        name: 'manual',
        object: {
          spec: {
            manualSelector: true,
            selector: { matchLabels: { own: 'yes' } },
            template: { metadata: { labels: { own: 'yes' } }, spec: { ...MINIMAL_POD, restartPolicy: 'Never' } },
          },
        },
        status: {
          conditions: [
            {
              type: 'Suspended',
              status: 'True',
              lastProbeTime: '2024-01-01T00:00:00Z',
              lastTransitionTime: '2024-01-01T00:00:00Z',
              reason: 'R',
              message: 'm',
            },
          ],
        },
      },
    ],
  },
  {
    group: 'batch',
    version: 'v1',
    plural: 'cronjobs',
    kind: 'CronJob',
    variants: [
      {
        name: 'minimal',
        object: {
          spec: {
            schedule: '*/5 * * * *',
            jobTemplate: { spec: { template: { spec: { ...MINIMAL_POD, restartPolicy: 'Never' } } } },
          },
        },
      },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            schedule: '0 3 * * 1-5',
            timeZone: 'Europe/Berlin',
            startingDeadlineSeconds: 30,
            concurrencyPolicy: 'Forbid',
            suspend: true,
            jobTemplate: {
              metadata: META,
              spec: { ...JOB_SPEC, template: template({ ...SCHEDULING_POD, restartPolicy: 'Never' }) },
            },
            successfulJobsHistoryLimit: 2,
            failedJobsHistoryLimit: 0,
          },
        },
        status: {
          active: [{ kind: 'Job', name: 'a', namespace: 'x', apiVersion: 'batch/v1' }],
          lastScheduleTime: '2024-01-01T00:00:00Z',
          lastSuccessfulTime: '2024-01-01T00:00:00Z',
        },
      },
    ],
  },
];
