/** Generators of pods and of kinds that have a pod template. */
import type { JsonObject } from '../../../src/base/json-value.ts';
import { digit, flag, keyed, list, map, name, oneOf, plainList, struct, word } from '../../common/random-json.ts';
import type { Subject } from '../subject.ts';

const SELECTOR: JsonObject = { matchLabels: { app: 'x' } };
const POD: JsonObject = { containers: [{ name: 'x', image: 'a' }], volumes: [{ name: 'v', emptyDir: {} }] };
const TEMPLATE: JsonObject = { metadata: { labels: { app: 'x' } }, spec: POD };

const container = keyed(
  {
    '!name': name,
    '!image': word,
    command: plainList(word),
    env: keyed({ '!name': name, value: word }, 'name'),
    ports: keyed({ '!containerPort': digit, protocol: oneOf('TCP', 'UDP') }, 'containerPort', 'protocol'),
    resources: struct({ limits: map(oneOf('1', '1000m', '2'), oneOf('cpu', 'memory')) }),
    imagePullPolicy: oneOf('Always', 'Never'),
    readinessProbe: struct({ '!httpGet': struct({ '!port': oneOf(80, 'http') }), periodSeconds: digit }),
    volumeMounts: keyed({ '!mountPath': oneOf('/a', '/b'), '!name': () => 'v', readOnly: flag }, 'mountPath'),
  },
  'name',
);

const volume = keyed({ '!name': oneOf('v', 'w'), emptyDir: struct({ medium: oneOf('', 'Memory') }) }, 'name');

const toleration = struct({ '!key': word, '!operator': () => 'Exists' });

const podSpec = struct({
  containers: container,
  initContainers: (random) => (random.int(3) === 0 ? container(random) : []),
  volumes: volume,
  nodeSelector: map(word),
  tolerations: plainList(toleration),
  terminationGracePeriodSeconds: digit,
  imagePullSecrets: keyed({ '!name': name }, 'name'),
  hostAliases: keyed({ '!ip': oneOf('10.1.0.1', '10.1.0.2'), hostnames: plainList(word) }, 'ip'),
  topologySpreadConstraints: keyed(
    {
      '!topologyKey': word,
      '!whenUnsatisfiable': oneOf('DoNotSchedule', 'ScheduleAnyway'),
      '!maxSkew': digit,
      labelSelector: struct({ matchLabels: map(word) }),
    },
    'topologyKey',
    'whenUnsatisfiable',
  ),
  securityContext: struct({ runAsUser: digit, runAsNonRoot: flag }),
  affinity: struct({ nodeAffinity: () => ({}) }),
  schedulingGates: (random) => (random.int(4) === 0 ? keyed({ '!name': name }, 'name')(random) : []),
});

const template = struct({
  metadata: struct({ labels: map(word), annotations: map(word) }),
  spec: podSpec,
});

const conditions = keyed(
  { '!type': oneOf('A', 'B', 'C'), '!status': oneOf('True', 'False'), message: word, reason: word },
  'type',
);
const intOrPercent = oneOf(1, '10%', '25%');
const counts = struct({ '!replicas': oneOf(3, 4), readyReplicas: digit, observedGeneration: digit, conditions });

export const PODS: readonly Subject[] = [
  {
    group: '',
    versions: ['v1'],
    plural: 'pods',
    kind: 'Pod',
    base: { spec: POD },
    part: () =>
      struct({
        '!spec': struct({
          containers: container,
          tolerations: plainList(toleration),
          activeDeadlineSeconds: digit,
          volumes: volume,
        }),
      }),
    status: struct({
      phase: oneOf('Pending', 'Running'),
      conditions,
      podIPs: keyed({ '!ip': oneOf('10.1.0.1') }, 'ip'),
      hostIP: oneOf('10.2.0.1', '10.2.0.2'),
      message: word,
      containerStatuses: plainList(
        struct({ '!name': name, '!ready': flag, '!image': word, '!imageID': word, '!restartCount': digit }),
      ),
    }),
  },
  {
    group: 'apps',
    versions: ['v1'],
    plural: 'deployments',
    kind: 'Deployment',
    base: { spec: { selector: SELECTOR, template: TEMPLATE } },
    part: () =>
      struct({
        '!spec': struct({
          replicas: digit,
          minReadySeconds: digit,
          paused: flag,
          revisionHistoryLimit: digit,
          strategy: struct({ rollingUpdate: struct({ maxSurge: intOrPercent, maxUnavailable: intOrPercent }) }),
          template,
        }),
      }),
    status: counts,
    scale: true,
  },
  {
    group: 'apps',
    versions: ['v1'],
    plural: 'replicasets',
    kind: 'ReplicaSet',
    base: { spec: { selector: SELECTOR, template: TEMPLATE } },
    part: () => struct({ '!spec': struct({ replicas: digit, minReadySeconds: digit, template }) }),
    status: counts,
    scale: true,
  },
  {
    group: 'apps',
    versions: ['v1'],
    plural: 'statefulsets',
    kind: 'StatefulSet',
    base: { spec: { selector: SELECTOR, serviceName: 'x', template: TEMPLATE } },
    part: () =>
      struct({
        '!spec': struct({
          replicas: digit,
          minReadySeconds: digit,
          ordinals: struct({ start: digit }),
          updateStrategy: struct({ rollingUpdate: struct({ partition: digit }) }),
          persistentVolumeClaimRetentionPolicy: struct({ whenScaled: oneOf('Retain', 'Delete') }),
          template,
        }),
      }),
    status: counts,
    scale: true,
  },
  {
    group: 'batch',
    versions: ['v1'],
    plural: 'cronjobs',
    kind: 'CronJob',
    base: {
      spec: {
        schedule: '1 * * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', ...POD } } } },
      },
    },
    part: () =>
      struct({
        '!spec': struct({
          schedule: oneOf('1 * * * *', '2 * * * *'),
          suspend: flag,
          concurrencyPolicy: oneOf('Forbid', 'Replace'),
          startingDeadlineSeconds: digit,
          successfulJobsHistoryLimit: digit,
          jobTemplate: struct({
            metadata: struct({ labels: map(word) }),
            '!spec': struct({ parallelism: digit, backoffLimit: digit }),
          }),
        }),
      }),
    status: struct({ active: list(struct({ '!name': name, namespace: word }), (item) => JSON.stringify(item)) }),
  },
];
