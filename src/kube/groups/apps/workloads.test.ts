import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { startTestKube, type TestKube } from '../../kube-server.fixtures.ts';

const NAMESPACE = '/namespaces/default';
const DEPLOYMENTS = `/apis/apps/v1${NAMESPACE}/deployments`;
const STATEFUL_SETS = `/apis/apps/v1${NAMESPACE}/statefulsets`;
const DAEMON_SETS = `/apis/apps/v1${NAMESPACE}/daemonsets`;
const REPLICATION_CONTROLLERS = `/api/v1${NAMESPACE}/replicationcontrollers`;
const JOBS = `/apis/batch/v1${NAMESPACE}/jobs`;
const CRON_JOBS = `/apis/batch/v1${NAMESPACE}/cronjobs`;
const AUTOSCALERS = `/apis/autoscaling/v2${NAMESPACE}/horizontalpodautoscalers`;
const BUDGETS = `/apis/policy/v1${NAMESPACE}/poddisruptionbudgets`;

const SELECTOR = { matchLabels: { a: 'b' } };
const CONTAINERS = [{ name: 'c', image: 'i' }];
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: CONTAINERS } };
const ENDING = { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'Never', containers: CONTAINERS } };

let kube: TestKube;
let count = 0;
beforeAll(async () => {
  kube = await startTestKube();
});
afterAll(() => kube.stop());

interface Created {
  readonly body: JsonObject;
  readonly path: string;
  readonly name: string;
  readonly status: number;
  readonly warnings: readonly string[];
}

async function create(collection: string, spec: JsonObject, metadata: JsonObject = {}): Promise<Created> {
  const name = (metadata['name'] as string | undefined) ?? `o${count++}`;
  const body = cloneJson({ metadata: { name, ...metadata }, spec });
  const answer = await kube.request('POST', collection, body);
  return { ...answer, path: `${collection}/${name}`, name };
}

function patch(path: string, body: JsonObject): ReturnType<TestKube['request']> {
  return kube.request('PATCH', path, body);
}

/** `field: message` of every cause. */
function causes({ body }: { readonly body: JsonObject }): string[] {
  const details = body['details'] as { readonly causes?: readonly { field: string; message: string }[] } | undefined;
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

function at(object: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of path) value = (value as JsonObject | undefined)?.[name];
  return value;
}

const generation = (answer: { readonly body: JsonObject }): JsonValue | undefined =>
  at(answer.body, 'metadata', 'generation');

describe('a Deployment', () => {
  test('gets the defaults of the reference', async () => {
    const { body } = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE });
    const spec = body['spec'] as JsonObject;
    expect({ ...spec, template: undefined }).toEqual({
      replicas: 1,
      selector: SELECTOR,
      template: undefined,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    expect(body['status']).toEqual({});
    expect(generation({ body })).toBe(1);
  });

  test('counts changes of spec and annotations, not those of labels and status', async () => {
    const { path } = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE });
    expect(generation(await patch(path, { spec: { replicas: 3 } }))).toBe(2);
    expect(generation(await patch(path, { metadata: { annotations: { x: 'y' } } }))).toBe(3);
    expect(generation(await patch(path, { metadata: { labels: { x: 'y' } }, status: { replicas: 9 } }))).toBe(3);
    const status = { metadata: { labels: { z: 'y' }, generation: 77 }, spec: { replicas: 8 }, status: { replicas: 2 } };
    const { body } = await patch(`${path}/status`, status);
    expect(body).toMatchObject({ metadata: { generation: 3, labels: { x: 'y' } }, spec: { replicas: 3 } });
    expect(at(body, 'metadata', 'labels')).toEqual({ x: 'y' });
  });

  test.each<[string, JsonObject, string[]]>([
    [
      'has no selector',
      { template: TEMPLATE },
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'has a selector that asks for nothing',
      { selector: {}, template: TEMPLATE },
      ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    ],
    [
      'has a strategy that nobody knows',
      { selector: SELECTOR, template: TEMPLATE, strategy: { type: 'Foo' } },
      [
        'spec.strategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'rolls nothing',
      {
        selector: SELECTOR,
        template: TEMPLATE,
        strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: 0 } },
      },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    ],
    [
      'has no time to make progress',
      { selector: SELECTOR, template: TEMPLATE, progressDeadlineSeconds: 5, minReadySeconds: 5 },
      ['spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds'],
    ],
  ])('is refused if it %s', async (_what, spec, expected) => {
    expect(causes(await create(DEPLOYMENTS, spec))).toEqual(expected);
  });

  test('keeps its selector', async () => {
    const { path } = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE });
    const template = { metadata: { labels: { x: 'y' } } };
    expect(causes(await patch(path, { spec: { selector: { matchLabels: { x: 'y' } }, template } }))).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"a":"b","x":"y"}}: field is immutable',
    ]);
  });

  test('is warned of if its name is no label', async () => {
    const { warnings } = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE }, { name: 'a.b' });
    expect(warnings.join()).toContain('metadata.name: this is used in Pod names and hostnames');
  });

  test('cannot be read if the annotation of old versions holds no number', async () => {
    const annotations = { 'deprecated.deployment.rollback.to': 'x' };
    const answer = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE }, { annotations });
    expect(answer.status).toBe(400);
    expect(answer.body['message']).toContain('cannot be handled as a Deployment: failed to parse annotation');
  });
});

describe('scale', () => {
  test.each([
    [DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE }],
    [STATEFUL_SETS, { selector: SELECTOR, template: TEMPLATE }],
    [REPLICATION_CONTROLLERS, { selector: { a: 'b' }, template: TEMPLATE }],
  ])('shows and changes the replicas of %s', async (collection, spec) => {
    const { path, name } = await create(collection, spec);
    const { body } = await kube.request('GET', `${path}/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace: 'default' },
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'a=b' },
    });
    const scaled = await kube.request('PUT', `${path}/scale`, { metadata: { name }, spec: { replicas: 4 } });
    expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
    const pretended = await kube.request('PUT', `${path}/scale?dryRun=All`, { metadata: { name } });
    expect(pretended.body['spec']).toEqual({});
    expect((await kube.request('GET', path)).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 4 },
    });
  });

  test('refuses what makes no sense, and what was made for another object', async () => {
    const { path } = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE });
    const negative = await patch(`${path}/scale`, { spec: { replicas: -1 } });
    expect(negative.body['details']).toMatchObject({ kind: 'Scale', group: 'autoscaling' });
    expect(causes(negative)).toEqual(['spec.replicas: Invalid value: -1: must be greater than or equal to 0']);
    const other = await patch(`${path}/scale`, { metadata: { uid: 'x' } });
    expect(other.status).toBe(409);
    expect(other.body['message']).toMatch(/deployments\/scale\.apps .*UID in precondition: x, UID in object meta: /);
    expect((await patch(`${path}/scale`, { metadata: { resourceVersion: '1' } })).status).toBe(409);
  });
});

describe('a StatefulSet', () => {
  const claim = {
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };

  test('holds whole claims as templates', async () => {
    const { body } = await create(STATEFUL_SETS, {
      selector: SELECTOR,
      template: TEMPLATE,
      volumeClaimTemplates: [claim],
    });
    expect(body['spec']).toMatchObject({
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      serviceName: '',
      volumeClaimTemplates: [{ kind: 'PersistentVolumeClaim', apiVersion: 'v1', status: { phase: 'Pending' } }],
    });
    expect(body['status']).toEqual({ replicas: 0, availableReplicas: 0 });
  });

  test('changes in some fields only', async () => {
    const { path } = await create(STATEFUL_SETS, { selector: SELECTOR, template: TEMPLATE });
    expect((await patch(path, { spec: { replicas: 2, minReadySeconds: 3, ordinals: { start: 1 } } })).status).toBe(200);
    expect(causes(await patch(path, { spec: { serviceName: 'other' } }))).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });

  test('drops what is behind a feature gate that is off', async () => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } };
    const { body } = await create(STATEFUL_SETS, { selector: SELECTOR, template: TEMPLATE, updateStrategy });
    expect(at(body, 'spec', 'updateStrategy', 'rollingUpdate')).toEqual({ partition: 0 });
  });
});

test('a DaemonSet counts changes of its template in an annotation that only the server sets', async () => {
  const { body, path } = await create(DAEMON_SETS, { selector: SELECTOR, template: TEMPLATE });
  const key = 'deprecated.daemonset.template.generation';
  expect(at(body, 'metadata', 'annotations')).toEqual({ [key]: '1' });
  const changed = await patch(path, { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } });
  expect(at(changed.body, 'metadata', 'annotations', key)).toBe('2');
  const forged = await patch(path, { metadata: { annotations: { [key]: '50' } }, spec: { minReadySeconds: 1 } });
  expect(at(forged.body, 'metadata', 'annotations', key)).toBe('2');
  expect(generation(forged)).toBe(3);
});

test('a ReplicationController takes its selector and labels from its template', async () => {
  const { body } = await create(REPLICATION_CONTROLLERS, { template: TEMPLATE });
  expect(body).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { selector: { a: 'b' }, replicas: 1 } });
});

describe('a Job', () => {
  test('owns the pods that carry its uid', async () => {
    const { body, name } = await create(JOBS, { template: ENDING });
    const uid = at(body, 'metadata', 'uid') as string;
    const labels = {
      a: 'b',
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    };
    expect(at(body, 'spec', 'selector')).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
    expect(at(body, 'spec', 'template', 'metadata', 'labels')).toEqual(labels);
    expect(at(body, 'metadata', 'labels')).toEqual(labels);
  });

  test('with labels of its own keeps them', async () => {
    const { body } = await create(JOBS, { template: ENDING }, { labels: { x: 'y' } });
    expect(at(body, 'metadata', 'labels')).toEqual({ x: 'y' });
  });

  test('may manage its selector itself', async () => {
    const spec = { manualSelector: true, selector: SELECTOR, template: ENDING };
    const { body } = await create(JOBS, spec);
    expect(at(body, 'spec', 'selector')).toEqual(SELECTOR);
    expect(causes(await create(JOBS, { ...spec, selector: { matchLabels: { a: 'c' } } }))).toEqual([
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ]);
  });

  test.each<[string, JsonObject, string[]]>([
    [
      'restarts its pods for ever',
      { template: TEMPLATE },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'counts failures by index without indexes',
      { template: ENDING, backoffLimitPerIndex: 1 },
      ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    ],
    [
      'has a rule of failure without a condition',
      { template: ENDING, podFailurePolicy: { rules: [{ action: 'X' }] } },
      [
        'spec.podFailurePolicy.rules[0].action: Unsupported value: "X": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
        'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      ],
    ],
    [
      'succeeds by indexes that it does not have',
      {
        template: ENDING,
        completionMode: 'Indexed',
        completions: 3,
        successPolicy: { rules: [{ succeededIndexes: '1-5' }] },
      },
      [
        'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "1-5": error parsing succeededIndexes: too large index: "5"',
      ],
    ],
  ])('is refused if it %s', async (_what, spec, expected) => {
    expect(causes(await create(JOBS, spec))).toEqual(expected);
  });

  test('grows with its parallelism if it is indexed, and not otherwise', async () => {
    const indexed = await create(JOBS, { template: ENDING, completionMode: 'Indexed', completions: 3, parallelism: 3 });
    expect((await patch(indexed.path, { spec: { completions: 4, parallelism: 4 } })).status).toBe(200);
    expect(causes(await patch(indexed.path, { spec: { completions: 5 } }))).toEqual([
      'spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism',
    ]);
    const plain = await create(JOBS, { template: ENDING });
    expect(causes(await patch(plain.path, { spec: { completions: 5 } }))).toEqual([
      'spec.completions: Invalid value: 5: field is immutable',
    ]);
  });

  test('keeps its template, but while it is suspended its pods may go elsewhere', async () => {
    const move = { spec: { template: { spec: { nodeSelector: { x: 'y' } } } } };
    const running = await create(JOBS, { template: ENDING });
    expect(causes(await patch(running.path, move)).join()).toMatch(/^spec\.template: Invalid value: .*immutable$/);
    const suspended = await create(JOBS, { template: ENDING, suspend: true });
    expect((await patch(suspended.path, move)).status).toBe(200);
    const slower = { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } };
    expect(causes(await patch(suspended.path, slower)).join()).toMatch(/^spec\.template\.spec: .*immutable$/);
    await patch(`${suspended.path}/status`, { status: { active: 1 } });
    expect((await patch(suspended.path, { spec: { template: { spec: { nodeSelector: null } } } })).status).toBe(422);
  });

  test('ends once, with its times and without pods', async () => {
    const { path } = await create(JOBS, { template: ENDING });
    const to = (status: JsonObject): ReturnType<typeof patch> => patch(`${path}/status`, { status });
    const startTime = '2020-01-01T00:00:00Z';
    const is = (...types: readonly string[]): JsonObject[] => types.map((type) => ({ type, status: 'True' }));
    expect(causes(await to({ conditions: is('Complete') }))).toEqual([
      'status.completionTime: Required value: completionTime is required for Complete jobs',
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      'status.startTime: Required value: startTime is required for finished job',
    ]);
    expect((await to({ startTime, active: 1, failed: 2 })).status).toBe(200);
    expect(causes(await to({ failed: 1, ready: 2 }))).toEqual([
      'status.ready: Invalid value: 2: cannot set more ready pods than active',
      'status.failed: Invalid value: 1: cannot decrease the failed counter',
    ]);
    const end = { conditions: is('SuccessCriteriaMet', 'Complete'), completionTime: '2020-01-01T01:00:00Z', active: 0 };
    expect((await to(end)).status).toBe(200);
    expect(causes(await to({ conditions: [] }))).toEqual([
      'status.completionTime: Invalid value: "2020-01-01T01:00:00Z": cannot set completionTime when there is no Complete=True condition',
      'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
      'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
    ]);
  });

  test('leaves its pods when it is deleted, and says so', async () => {
    const { path } = await create(JOBS, { template: ENDING });
    const { warnings, body } = await kube.request('DELETE', path);
    expect(warnings.join()).toContain('child pods are preserved by default when jobs are deleted');
    expect(at(body, 'metadata', 'finalizers')).toEqual(['orphan']);
    const other = await create(JOBS, { template: ENDING });
    expect((await kube.request('DELETE', `${other.path}?propagationPolicy=Background`)).warnings).toEqual([]);
  });
});

describe('a CronJob', () => {
  const spec = { schedule: '@hourly', jobTemplate: { spec: { template: ENDING } } };

  test('gives its Jobs no defaults but those of their pods', async () => {
    const { body } = await create(CRON_JOBS, spec);
    expect(Object.keys(at(body, 'spec', 'jobTemplate', 'spec') as JsonObject)).toEqual(['template']);
    expect(body['spec']).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
  });

  test.each<[string, JsonObject, JsonObject, string[]]>([
    [
      'has no schedule',
      { schedule: 'x * * * *' },
      {},
      [
        'spec.schedule: Invalid value: "x * * * *": failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
      ],
    ],
    [
      'has a zone in its schedule',
      { schedule: 'TZ=UTC * * * * *' },
      {},
      [
        'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      'has the zone of the server',
      { timeZone: 'Local' },
      {},
      [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
    [
      'has too long a name',
      {},
      { name: 'x'.repeat(53) },
      [`metadata.name: Invalid value: "${'x'.repeat(53)}": must be no more than 52 characters`],
    ],
  ])('is refused if it %s', async (_what, changes, metadata, expected) => {
    expect(causes(await create(CRON_JOBS, { ...spec, ...changes }, metadata))).toEqual(expected);
  });
});

describe('an autoscaler', () => {
  const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };

  test('is served in two versions', async () => {
    const { name } = await create(AUTOSCALERS, { ...spec, behavior: {} });
    const { body } = await kube.request('GET', `/apis/autoscaling/v1${NAMESPACE}/horizontalpodautoscalers/${name}`);
    expect(at(body, 'spec')).toEqual({ ...spec, minReplicas: 1, targetCPUUtilizationPercentage: 80 });
    expect(at(body, 'metadata', 'annotations', 'autoscaling.alpha.kubernetes.io/behavior')).toContain('"ScaleUp"');
    expect(body['status']).toEqual({ currentReplicas: 0, desiredReplicas: 0 });
  });

  test('is refused if it scales nothing by nothing', async () => {
    const metrics = [{ type: 'Pods', resource: { name: 'cpu', target: { type: 'X', averageUtilization: 0 } } }];
    expect(causes(await create(AUTOSCALERS, { scaleTargetRef: { kind: 'Pod', name: 'p' }, metrics }))).toEqual([
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
      'spec.metrics[0].resource.target.type: Invalid value: "X": must be either Utilization, Value, or AverageValue',
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
    ]);
  });
});

test('a disruption budget changes only where its version is named', async () => {
  const { body, path, name } = await create(BUDGETS, { selector: SELECTOR, minAvailable: 1, maxUnavailable: '5%' });
  expect(causes({ body })).toEqual([
    'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":"5%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
  ]);
  const spec = { selector: SELECTOR, minAvailable: 1 };
  await create(BUDGETS, spec, { name });
  const answer = await kube.request('PUT', path, { metadata: { name }, spec });
  expect(causes(answer)).toEqual(['metadata.resourceVersion: Invalid value: 0: must be specified for an update']);
});
