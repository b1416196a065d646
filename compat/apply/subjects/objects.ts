/** Generators of configuration, identity and cluster kinds. */
import type { JsonObject } from '../../../src/base/json-value.ts';
import { digit, flag, keyed, type Make, map, name, oneOf, plainList, struct, word } from '../../common/random-json.ts';
import type { Subject } from '../subject.ts';

const V1: readonly string[] = ['v1'];
const base64 = oneOf('YQ==', 'Yg==', '');
const rules = plainList(
  struct({
    '!verbs': oneOf(['get'], ['get', 'list']),
    '!apiGroups': oneOf([''], ['apps']),
    '!resources': oneOf(['pods'], ['x']),
  }),
);
const subjects = plainList(
  struct({ '!kind': () => 'User', '!name': word, apiGroup: () => 'rbac.authorization.k8s.io' }),
);
const condition = { '!status': oneOf('True', 'False'), message: word, reason: word };

const address = { '!type': oneOf('InternalIP', 'Hostname'), '!address': oneOf('10.1.0.1', '10.1.0.2', 'h') };
/** A keyed list in which the reference tolerates repeats of a key, except in configurations. */
const addresses: Make = (random) =>
  random.int(12) === 0 ? plainList(struct(address))(random) : keyed(address, 'type')(random);

/** Quotas of resources that no sequence creates, because a quota affects the other objects of its namespace. */
const counted = oneOf('count/a.example.com', 'count/b.example.com');

function plain(kind: string, plural: string, base: JsonObject, fields: Readonly<Record<string, Make>>): Subject {
  return { group: '', versions: V1, plural, kind, base, part: () => struct(fields) };
}

export const OBJECTS: readonly Subject[] = [
  plain(
    'ConfigMap',
    'configmaps',
    {},
    {
      data: map(word),
      binaryData: map(base64, oneOf('x', 'y')),
      immutable: (random) => random.int(8) === 0,
    },
  ),
  plain('Secret', 'secrets', {}, { data: map(base64), stringData: map(word, oneOf('a', 'x')), type: () => 'Opaque' }),
  plain(
    'ServiceAccount',
    'serviceaccounts',
    {},
    {
      secrets: keyed({ '!name': name, namespace: word }, 'name'),
      imagePullSecrets: keyed({ '!name': name }, 'name'),
      automountServiceAccountToken: flag,
    },
  ),
  {
    ...plain(
      'ResourceQuota',
      'resourcequotas',
      {},
      {
        spec: struct({
          hard: map(oneOf('1', '2', '1k'), counted),
        }),
      },
    ),
    status: struct({ hard: map(oneOf('1', '2'), counted), used: map(oneOf('1', '0'), counted) }),
  },
  {
    ...plain(
      'Namespace',
      'namespaces',
      {},
      { spec: struct({ finalizers: oneOf(['kubernetes'], ['example.com/a', 'kubernetes']) }) },
    ),
    clusterScoped: true,
    status: struct({
      phase: oneOf('Active', 'Active', 'Terminating'),
      conditions: keyed({ '!type': oneOf('A', 'B'), ...condition }, 'type'),
    }),
  },
  {
    ...plain(
      'Node',
      'nodes',
      {},
      {
        spec: struct({
          unschedulable: flag,
          taints: keyed({ '!key': word, '!effect': oneOf('NoSchedule', 'NoExecute') }, 'key', 'effect'),
        }),
      },
    ),
    clusterScoped: true,
    status: struct({
      addresses,
      capacity: map(oneOf('1', '2'), oneOf('cpu', 'pods')),
      conditions: keyed({ '!type': oneOf('Ready', 'Disk'), ...condition }, 'type'),
      nodeInfo: struct(
        Object.fromEntries(
          [
            'machineID',
            'systemUUID',
            'bootID',
            'kernelVersion',
            'osImage',
            'containerRuntimeVersion',
            'kubeletVersion',
            'kubeProxyVersion',
            'operatingSystem',
            'architecture',
          ].map((key): [string, Make] => [`!${key}`, word]),
        ),
      ),
    }),
  },
  {
    ...plain(
      'PersistentVolumeClaim',
      'persistentvolumeclaims',
      {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
      {
        spec: struct({
          resources: struct({ '!requests': struct({ '!storage': oneOf('1Gi', '2Gi') }) }),
          storageClassName: word,
        }),
      },
    ),
    isRewritten: true,
    status: struct({
      phase: oneOf('Pending', 'Bound'),
      capacity: map(oneOf('1Gi', '2Gi'), () => 'storage'),
      conditions: keyed({ '!type': oneOf('Resizing', 'B'), ...condition }, 'type'),
    }),
  },
  {
    group: 'rbac.authorization.k8s.io',
    versions: V1,
    plural: 'roles',
    kind: 'Role',
    base: {},
    part: () => struct({ rules }),
  },
  {
    group: 'rbac.authorization.k8s.io',
    versions: V1,
    plural: 'clusterroles',
    kind: 'ClusterRole',
    clusterScoped: true,
    base: {},
    part: () =>
      struct({
        rules,
        aggregationRule: struct({
          '!clusterRoleSelectors': oneOf([{}], [{ matchLabels: { a: 'a' } }, { matchLabels: { b: 'b' } }]),
        }),
      }),
  },
  {
    group: 'rbac.authorization.k8s.io',
    versions: V1,
    plural: 'rolebindings',
    kind: 'RoleBinding',
    base: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
    part: () => struct({ subjects }),
  },
  {
    group: 'coordination.k8s.io',
    versions: V1,
    plural: 'leases',
    kind: 'Lease',
    base: {},
    part: () =>
      struct({
        spec: struct({
          holderIdentity: word,
          leaseDurationSeconds: digit,
          leaseTransitions: digit,
          renewTime: oneOf('2001-01-01T00:00:00.000000Z', '2001-01-01T00:00:01.000000Z'),
        }),
      }),
  },
  {
    group: 'admissionregistration.k8s.io',
    versions: V1,
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    clusterScoped: true,
    base: {},
    part: () =>
      struct({
        webhooks: keyed(
          {
            '!name': oneOf('a.example.com', 'b.example.com'),
            '!clientConfig': oneOf({ url: 'https://example.com/x' }, { url: 'https://example.com/y' }),
            '!sideEffects': () => 'None',
            '!admissionReviewVersions': () => ['v1'],
            failurePolicy: () => 'Ignore',
            timeoutSeconds: digit,
            // Nothing matches, so that the sequences do not call the webhook.
            '!rules': () => [
              { apiGroups: ['none.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] },
            ],
          },
          'name',
        ),
      }),
  },
];
