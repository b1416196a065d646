/**
 * The default flow schemas and priority levels of Kubernetes 1.36: the mandatory ones, whose specs are fixed, and the
 * suggested ones. Specs contain their defaults. Parts of them are shared, so they must not be modified.
 */
import type { JsonObject } from '../../base/json-value.ts';

export const FLOW_CONTROL_GROUP = 'flowcontrol.apiserver.k8s.io';
/** Whether a start updates the spec of a suggested object. */
export const AUTO_UPDATE_ANNOTATION = 'apf.kubernetes.io/autoupdate-spec';

export interface DefaultFlow {
  readonly name: string;
  readonly mandatory: boolean;
  readonly spec: JsonObject;
}

const EVERYTHING: JsonObject = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const LEASES = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };
const ALL_USERS = [group('system:unauthenticated'), group('system:authenticated')];
const KUBE_SYSTEM_ACCOUNTS: JsonObject = {
  kind: 'ServiceAccount',
  serviceAccount: { namespace: 'kube-system', name: '*' },
};

export function defaultPriorityLevels(): readonly DefaultFlow[] {
  return [
    limited('system', 30, 33, queues(64)),
    limited('node-high', 40, 25, queues(64)),
    limited('leader-election', 10, 0, queues(16, 4)),
    limited('workload-high', 40, 50, queues(128)),
    limited('workload-low', 100, 90, queues(128)),
    limited('global-default', 20, 50, queues(128)),
    { ...limited('catch-all', 5, 0, { type: 'Reject' }), mandatory: true },
    {
      name: 'exempt',
      mandatory: true,
      spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
    },
  ];
}

export function defaultFlowSchemas(): readonly DefaultFlow[] {
  return [
    schema('system-nodes', 'system', 500, 'ByUser', [group('system:nodes')]),
    schema('system-node-high', 'node-high', 400, 'ByUser', [group('system:nodes')], {
      resourceRules: [
        { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
        { verbs: ['*'], ...LEASES },
      ],
    }),
    schema('probes', 'exempt', 2, undefined, ALL_USERS, {
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
    }),
    schema(
      'system-leader-election',
      'leader-election',
      100,
      'ByUser',
      [user('system:kube-controller-manager'), user('system:kube-scheduler'), KUBE_SYSTEM_ACCOUNTS],
      { resourceRules: [{ verbs: ['get', 'create', 'update'], ...LEASES }] },
    ),
    schema('kube-controller-manager', 'workload-high', 800, 'ByNamespace', [user('system:kube-controller-manager')]),
    schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', [user('system:kube-scheduler')]),
    schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', [KUBE_SYSTEM_ACCOUNTS]),
    schema('service-accounts', 'workload-low', 9_000, 'ByUser', [group('system:serviceaccounts')]),
    schema('global-default', 'global-default', 9_900, 'ByUser', ALL_USERS),
    { ...schema('exempt', 'exempt', 1, undefined, [group('system:masters')]), mandatory: true },
    { ...schema('catch-all', 'catch-all', 10_000, 'ByUser', ALL_USERS), mandatory: true },
  ];
}

/** Returns undefined for a name that is not mandatory. */
export function mandatorySpec(flows: readonly DefaultFlow[], name: string): JsonObject | undefined {
  return flows.find((flow) => flow.mandatory && flow.name === name)?.spec;
}

function limited(name: string, shares: number, lendablePercent: number, limitResponse: JsonObject): DefaultFlow {
  const spec = { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse, lendablePercent } };
  return { name, mandatory: false, spec };
}

function queues(count: number, handSize = 6): JsonObject {
  return { type: 'Queue', queuing: { queues: count, handSize, queueLengthLimit: 50 } };
}

function schema(
  name: string,
  priorityLevel: string,
  matchingPrecedence: number,
  distinguisher: string | undefined,
  subjects: readonly JsonObject[],
  rules: JsonObject = EVERYTHING,
): DefaultFlow {
  return {
    name,
    mandatory: false,
    spec: {
      priorityLevelConfiguration: { name: priorityLevel },
      matchingPrecedence,
      ...(distinguisher === undefined ? undefined : { distinguisherMethod: { type: distinguisher } }),
      rules: [{ subjects: [...subjects], ...rules }],
    },
  };
}

function group(name: string): JsonObject {
  return { kind: 'Group', group: { name } };
}

function user(name: string): JsonObject {
  return { kind: 'User', user: { name } };
}
