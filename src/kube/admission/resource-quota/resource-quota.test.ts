import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatQuantity } from '../../../apimachinery/scalars/quantity.ts';
import { isStatusError, StatusError } from '../../../apimachinery/status/status.ts';
import { conflict } from '../../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { Lister, ListerChange } from '../../../server/own/lister.ts';
import { startTestKube, type TestKube } from '../../kube-server.fixtures.ts';
import { attributesFor, listerOf, podWith } from '../admission.fixtures.ts';
import { checkRequest, quotaOf } from './check-request.ts';
import { evaluatorOf } from './evaluators.ts';
import { resourceQuota } from './resource-quota.ts';

function quota(hard: JsonObject, used: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  const zeros = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  return { metadata: { name: 'q', namespace: 'ns' }, spec, status: { hard, used: { ...zeros, ...used } } };
}

/** The usage of the quota after a request, or the message of the refusal. */
function use(
  resource: string,
  object: JsonObject,
  stored: JsonObject,
  more: Parameters<typeof attributesFor>[3] = {},
): string | Readonly<Record<string, string>> {
  const attributes = attributesFor(more.oldObject === undefined ? 'CREATE' : 'UPDATE', resource, object, more);
  const evaluator = evaluatorOf(attributes.resource);
  if (evaluator === undefined) return 'ignored';
  if (!evaluator.handles(attributes)) return 'not handled';
  try {
    const [after] = checkRequest([quotaOf(stored)], attributes, evaluator, { now: 0 });
    return Object.fromEntries([...(after?.used ?? [])].map(([name, amount]) => [name, formatQuantity(amount)]));
  } catch (error) {
    if (isStatusError(error)) return error.status.message ?? '';
    throw error;
  }
}

const container = (requests: JsonObject, limits: JsonObject = {}, name = 'c'): JsonObject => ({
  name,
  resources: { requests, limits },
});

describe('limited resources', () => {
  const limited = [
    { resource: 'pods', contains: ['requests.'], scopes: [] },
    {
      resource: 'pods',
      contains: [],
      scopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high', 'higher'] }],
    },
  ];
  const create = (spec: JsonObject, ...stored: JsonObject[]): string => {
    const attributes = attributesFor('CREATE', 'pods', podWith(spec));
    const evaluator = evaluatorOf(attributes.resource);
    try {
      if (evaluator !== undefined) checkRequest(stored.map(quotaOf), attributes, evaluator, { now: 0, limited });
      return 'ok';
    } catch (error) {
      if (isStatusError(error)) return `${error.status.code} ${error.message}`;
      throw error;
    }
  };

  test('need a quota that limits their names', () => {
    const spec = { containers: [container({ cpu: '1', memory: '1' })] };
    expect(create({})).toBe('ok');
    expect(create(spec)).toBe('403 pods "p" is forbidden: insufficient quota to consume: requests.cpu,requests.memory');
    expect(create(spec, quota({ 'requests.cpu': '2' }))).toContain('insufficient quota to consume: requests.memory');
    expect(create(spec, quota({ 'requests.cpu': '2', 'requests.memory': '2' }))).toBe('ok');
  });

  test('need a quota with their scopes', () => {
    const spec = { priorityClassName: 'high' };
    expect(create(spec)).toBe('500 insufficient quota to match these scopes: [{PriorityClass In [high higher]}]');
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
    expect(create(spec, quota({ pods: '1' }, {}, { scopeSelector: { matchExpressions } }))).toBe('ok');
  });

  test('are checked in namespaces without a quota', async () => {
    const options = { quotas: listerOf(), writeUsed: () => Promise.reject(new Error('wrote')), now: () => 0 };
    const attributes = attributesFor('CREATE', 'pods', podWith({ priorityClassName: 'high' }));
    expect(await resourceQuota(options).validate?.(attributes)).toBeUndefined();
    await expect(resourceQuota({ ...options, limited }).validate?.(attributes)).rejects.toThrow('insufficient quota');
  });
});

describe('usage', () => {
  test('of pods: requests, limits, the maximum of init containers, extended resources', () => {
    const pod = podWith({
      initContainers: [container({ cpu: '2' }, {}, 'i')],
      containers: [container({ cpu: '500m', memory: '1Gi', 'example.com/gpu': '1' }, { cpu: '1', memory: '1Gi' })],
      overhead: { cpu: '100m' },
    });
    const hard = { pods: '9', cpu: '9', 'requests.memory': '9Gi', 'limits.cpu': '9', 'requests.example.com/gpu': '2' };
    expect(use('pods', pod, quota(hard, { cpu: '1' }))).toEqual(
      'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: i; requests.memory for: i',
    );
    expect(use('pods', pod, quota({ pods: '9', cpu: '9', 'requests.example.com/gpu': '2' }, { cpu: '1' }))).toEqual({
      pods: '1',
      cpu: '3100m',
      'requests.example.com/gpu': '1',
    });
  });

  test('of a pod that is being resized is the maximum of requested and actual resources', () => {
    const pod = podWith({ containers: [container({ cpu: '1' }, { cpu: '1' })] });
    pod['status'] = {
      containerStatuses: [
        { name: 'c', resources: { requests: { cpu: '2' }, limits: { cpu: '2' } }, allocatedResources: { cpu: '3' } },
      ],
    };
    expect(use('pods', pod, quota({ cpu: '9', 'limits.cpu': '9' }))).toEqual({ cpu: '3', 'limits.cpu': '2' });
  });

  test('of a pod that has ended is only its count', () => {
    const pod = { ...podWith(), status: { phase: 'Succeeded' } };
    expect(use('pods', pod, quota({ pods: '1', 'count/pods': '1' }))).toEqual({ pods: '0', 'count/pods': '1' });
  });

  const service = (spec: JsonObject): JsonObject => ({
    metadata: { name: 's' },
    spec: { ports: [{}, { nodePort: 30000 }], ...spec },
  });
  const services = { services: '5', 'services.nodeports': '5', 'services.loadbalancers': '5' };
  test.each([
    [{ type: 'ClusterIP' }, { services: '1', 'services.nodeports': '0', 'services.loadbalancers': '0' }],
    [{ type: 'NodePort' }, { services: '1', 'services.nodeports': '2', 'services.loadbalancers': '0' }],
    [{ type: 'LoadBalancer' }, { services: '1', 'services.nodeports': '2', 'services.loadbalancers': '1' }],
    [
      { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false },
      { services: '1', 'services.nodeports': '1', 'services.loadbalancers': '1' },
    ],
  ])('of services: %j', (spec, used) => {
    expect(use('services', service(spec), quota(services))).toEqual(used);
  });

  test('of an update is the increase', () => {
    const before = service({ type: 'ClusterIP' });
    expect(
      use('services', service({ type: 'NodePort' }), quota(services, { services: '1' }), { oldObject: before }),
    ).toEqual({
      services: '1',
      'services.nodeports': '2',
      'services.loadbalancers': '0',
    });
  });

  test('of claims: by class, in whole bytes', () => {
    const claim = {
      metadata: { name: 'c' },
      spec: { storageClassName: 'gold', resources: { requests: { storage: '1.5' } } },
    };
    const hard = {
      'requests.storage': '5',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '5',
      'x.storageclass.storage.k8s.io/requests.storage': '5',
    };
    expect(use('persistentvolumeclaims', claim, quota(hard))).toEqual({
      'requests.storage': '2',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      'x.storageclass.storage.k8s.io/requests.storage': '0',
    });
  });

  test('of device claims: the maximum of the alternatives', () => {
    const requests = [
      { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
      {
        name: 'b',
        firstAvailable: [
          { deviceClassName: 'gpu', allocationMode: 'All' },
          { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
        ],
      },
    ];
    const claim = { metadata: { name: 'c' }, spec: { devices: { requests } } };
    const hard = { 'gpu.deviceclass.resource.k8s.io/devices': '50' };
    expect(use('resourceclaims.resource.k8s.io', claim, quota(hard))).toEqual({
      'gpu.deviceclass.resource.k8s.io/devices': '34',
    });
  });

  test('of other kinds is their count, also under its old name; events and reviews have none', () => {
    const object = { metadata: { name: 'o' } };
    expect(use('configmaps', object, quota({ configmaps: '3', 'count/configmaps': '3' }))).toEqual({
      configmaps: '1',
      'count/configmaps': '1',
    });
    expect(use('widgets.example.com', object, quota({ 'count/widgets.example.com': '1' }))).toEqual({
      'count/widgets.example.com': '1',
    });
    expect(use('events', object, quota({ 'count/events': '1' }))).toBe('ignored');
    expect(use('configmaps', object, quota({ configmaps: '1' }), { oldObject: object })).toBe('not handled');
  });
});

describe('quotas refuse', () => {
  test('requests beyond the limit, naming the exceeded resource', () => {
    const pod = podWith({ containers: [container({ cpu: '1500m', memory: '1Gi' })] });
    expect(use('pods', pod, quota({ cpu: '2', memory: '4Gi', pods: '1' }, { cpu: '1', pods: '1' }))).toBe(
      'pods "p" is forbidden: exceeded quota: q, requested: cpu=1500m,pods=1, used: cpu=1,pods=1, limited: cpu=2,pods=1',
    );
  });

  test('requests for resources whose usage is unknown', () => {
    const stored = { ...quota({ pods: '1' }), status: { hard: { pods: '1' } } };
    expect(use('pods', podWith(), stored)).toBe('pods "p" is forbidden: status unknown for quota: q, resources: pods');
  });

  const NO_PODS = { pods: '0' };
  const other = (operator: string, scopeName: string, values: string[] = []): JsonObject => ({
    scopeSelector: { matchExpressions: [{ scopeName, operator, values }] },
  });
  test.each([
    [{ scopes: ['BestEffort'] }, {}, true],
    [{ scopes: ['NotBestEffort'] }, {}, false],
    [{ scopes: ['Terminating'] }, { activeDeadlineSeconds: 0 }, true],
    [{ scopes: ['NotTerminating'] }, { activeDeadlineSeconds: 1 }, false],
    [other('In', 'PriorityClass', ['high']), { priorityClassName: 'high' }, true],
    [other('In', 'PriorityClass', ['high']), {}, false],
    [other('NotIn', 'PriorityClass', ['high']), {}, true],
    [other('Exists', 'PriorityClass'), {}, false],
    [other('DoesNotExist', 'PriorityClass'), {}, true],
    [
      { scopes: ['CrossNamespacePodAffinity'] },
      {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: { namespaces: ['x'] } }],
          },
        },
      },
      true,
    ],
    [{ scopes: ['BestEffort', 'Terminating'] }, {}, false],
  ])('or ignore pods by scope %j: %j', (spec, pod, counts) => {
    const answer = use('pods', podWith(pod as JsonObject), quota(NO_PODS, {}, spec as JsonObject));
    expect(typeof answer === 'string' && answer.includes('exceeded quota')).toBe(counts);
  });

  test('claims of volume attributes classes in their scope', () => {
    const claim = { metadata: { name: 'c' }, spec: { volumeAttributesClassName: 'fast' } };
    const stored = quota({ persistentvolumeclaims: '0' }, {}, other('In', 'VolumeAttributesClass', ['fast']));
    expect(use('persistentvolumeclaims', claim, stored)).toContain('exceeded quota');
  });
});

describe('the plugin ResourceQuota', () => {
  const create = () => attributesFor('CREATE', 'configmaps', { metadata: { name: 'c' } });

  test('is synchronous if no quota limits the object', () => {
    const plugin = (stored: JsonObject) =>
      resourceQuota({ quotas: listerOf(stored), writeUsed: () => Promise.reject(new Error('wrote')), now: () => 0 });
    expect(plugin(quota({ pods: '1' })).validate?.(create())).toBeUndefined();
    expect(plugin(quota({ configmaps: '1' })).validate?.({ ...create(), namespace: 'elsewhere' })).toBeUndefined();
  });

  test('retries after a conflict, at most three times', async () => {
    let writes = 0;
    const plugin = (failures: number) =>
      resourceQuota({
        quotas: listerOf(quota({ configmaps: '5' })),
        writeUsed: async () => {
          if (writes++ < failures) throw new StatusError(conflict({ group: '', resource: 'resourcequotas' }, 'q'));
        },
        now: () => 0,
      });
    await plugin(3).validate?.(create());
    expect(writes).toBe(4);
    writes = 0;
    await expect(plugin(9).validate?.(create())).rejects.toThrow('Operation cannot be fulfilled on resourcequotas "q"');
    expect(writes).toBe(4);
  });
});

test('after a conflict the quota is the one that another server has written', async () => {
  const before = quota({ configmaps: '2' });
  const after = quota({ configmaps: '2' }, { configmaps: '2' });
  let listener: (changes: readonly ListerChange[]) => void = () => undefined;
  let stored = before;
  const change = (object: JsonObject): ListerChange => ({ namespace: 'ns', name: 'q', object });
  const quotas: Lister = {
    fresh: () => undefined,
    current: () => {
      stored = after;
      listener([change(after)]);
    },
    get: () => stored,
    list: () => [stored],
    subscribe: (given) => {
      listener = given;
      given([change(before)]);
      return { stop: () => undefined };
    },
  };
  const writeUsed = (): Promise<void> =>
    Promise.reject(new StatusError(conflict({ group: '', resource: 'resourcequotas' }, 'q')));
  const plugin = resourceQuota({ quotas, writeUsed, now: () => 0 });
  const request = attributesFor('CREATE', 'configmaps', { metadata: { name: 'c' } });
  await expect(plugin.validate?.(request)).rejects.toThrow('exceeded quota: q');
});

describe('on a server', () => {
  let kube: TestKube;
  beforeEach(async () => {
    kube = await startTestKube();
  });
  afterEach(() => kube.stop());
  const base = '/api/v1/namespaces/default';
  const configMap = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

  test('concurrent requests never exceed a quota, and dry runs use nothing', async () => {
    const made = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard: { configmaps: '5' } },
    };
    expect((await kube.request('POST', `${base}/resourcequotas`, made)).status).toBe(201);
    const status = { status: { hard: { configmaps: '5' }, used: { configmaps: '1' } } };
    expect((await kube.request('PATCH', `${base}/resourcequotas/q/status`, status)).status).toBe(200);
    expect((await kube.request('POST', `${base}/configmaps?dryRun=All`, configMap('dry'))).status).toBe(201);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => kube.request('POST', `${base}/configmaps`, configMap(`c${i}`))),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(4);
    const refused = answers.filter((answer) => answer.status === 403);
    expect(refused).toHaveLength(16);
    expect(refused[0]?.body['message']).toMatch(
      /^configmaps "c\d+" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=5, limited: configmaps=5$/,
    );
    const after = await kube.request('GET', `${base}/resourcequotas/q`);
    expect(objectAt(after.body, 'status', 'used')).toEqual({ configmaps: '5' });
  });
});
