import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import { causesOf, startTestKube, type TestKube } from '../../kube-server.fixtures.ts';
import { at, type Created, createObject, SELECTOR, TEMPLATE } from '../workloads.fixtures.ts';

const NAMESPACE = '/namespaces/default';
const DEPLOYMENTS = `/apis/apps/v1${NAMESPACE}/deployments`;
const STATEFUL_SETS = `/apis/apps/v1${NAMESPACE}/statefulsets`;
const DAEMON_SETS = `/apis/apps/v1${NAMESPACE}/daemonsets`;
const REPLICATION_CONTROLLERS = `/api/v1${NAMESPACE}/replicationcontrollers`;

let kube: TestKube;
beforeAll(async () => {
  kube = await startTestKube();
});
afterAll(() => kube.stop());

function create(collection: string, spec: JsonObject, metadata?: JsonObject): Promise<Created> {
  return createObject(kube, collection, spec, metadata);
}

function patch(path: string, body: JsonObject): ReturnType<TestKube['request']> {
  return kube.request('PATCH', path, body);
}

const generation = (answer: { readonly body: JsonObject }): JsonValue | undefined =>
  at(answer.body, 'metadata', 'generation');

describe('Deployment', () => {
  test('has the defaults of kube-apiserver', async () => {
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

  test('counts a generation for changes of spec and annotations, not of labels and status', async () => {
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
      'has an empty selector',
      { selector: {}, template: TEMPLATE },
      ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    ],
    [
      'has an unknown strategy',
      { selector: SELECTOR, template: TEMPLATE, strategy: { type: 'Foo' } },
      [
        'spec.strategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'has zero maxSurge and zero maxUnavailable',
      {
        selector: SELECTOR,
        template: TEMPLATE,
        strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: 0 } },
      },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    ],
    [
      'has a progressDeadlineSeconds that is not above minReadySeconds',
      { selector: SELECTOR, template: TEMPLATE, progressDeadlineSeconds: 5, minReadySeconds: 5 },
      ['spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds'],
    ],
  ])('is invalid if it %s', async (_what, spec, expected) => {
    expect(causesOf(await create(DEPLOYMENTS, spec))).toEqual(expected);
  });

  test('has an immutable selector', async () => {
    const { path } = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE });
    const template = { metadata: { labels: { x: 'y' } } };
    expect(causesOf(await patch(path, { spec: { selector: { matchLabels: { x: 'y' } }, template } }))).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"a":"b","x":"y"}}: field is immutable',
    ]);
  });

  test('has a warning for a name that is not a DNS label', async () => {
    const { warnings } = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE }, { name: 'a.b' });
    expect(warnings.join()).toContain('metadata.name: this is used in Pod names and hostnames');
  });

  test('is a bad request if the rollback annotation is not an integer', async () => {
    const annotations = { 'deprecated.deployment.rollback.to': 'x' };
    const answer = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE }, { annotations });
    expect(answer.status).toBe(400);
    expect(answer.body['message']).toContain('cannot be handled as a Deployment: failed to parse annotation');
  });
});

describe('the scale subresource', () => {
  test.each([
    [DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE }],
    [STATEFUL_SETS, { selector: SELECTOR, template: TEMPLATE }],
    [REPLICATION_CONTROLLERS, { selector: { a: 'b' }, template: TEMPLATE }],
  ])('reads and updates the replicas of %s', async (collection, spec) => {
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

  test('rejects invalid replicas and a Scale with the uid or resourceVersion of another object', async () => {
    const { path } = await create(DEPLOYMENTS, { selector: SELECTOR, template: TEMPLATE });
    const negative = await patch(`${path}/scale`, { spec: { replicas: -1 } });
    expect(negative.body['details']).toMatchObject({ kind: 'Scale', group: 'autoscaling' });
    expect(causesOf(negative)).toEqual(['spec.replicas: Invalid value: -1: must be greater than or equal to 0']);
    const other = await patch(`${path}/scale`, { metadata: { uid: 'x' } });
    expect(other.status).toBe(409);
    expect(other.body['message']).toMatch(/deployments\/scale\.apps .*UID in precondition: x, UID in object meta: /);
    expect((await patch(`${path}/scale`, { metadata: { resourceVersion: '1' } })).status).toBe(409);
  });
});

describe('StatefulSet', () => {
  const claim = {
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };

  test('defaults volume claim templates to complete PersistentVolumeClaims', async () => {
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

  test('allows updates of some spec fields only', async () => {
    const { path } = await create(STATEFUL_SETS, { selector: SELECTOR, template: TEMPLATE });
    expect((await patch(path, { spec: { replicas: 2, minReadySeconds: 3, ordinals: { start: 1 } } })).status).toBe(200);
    expect(causesOf(await patch(path, { spec: { serviceName: 'other' } }))).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });

  test('drops a field whose feature gate is off', async () => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } };
    const { body } = await create(STATEFUL_SETS, { selector: SELECTOR, template: TEMPLATE, updateStrategy });
    expect(at(body, 'spec', 'updateStrategy', 'rollingUpdate')).toEqual({ partition: 0 });
  });
});

test('a DaemonSet counts changes of its template in an annotation that clients cannot set', async () => {
  const { body, path } = await create(DAEMON_SETS, { selector: SELECTOR, template: TEMPLATE });
  const key = 'deprecated.daemonset.template.generation';
  expect(at(body, 'metadata', 'annotations')).toEqual({ [key]: '1' });
  const changed = await patch(path, { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } });
  expect(at(changed.body, 'metadata', 'annotations', key)).toBe('2');
  const forged = await patch(path, { metadata: { annotations: { [key]: '50' } }, spec: { minReadySeconds: 1 } });
  expect(at(forged.body, 'metadata', 'annotations', key)).toBe('2');
  expect(generation(forged)).toBe(3);
});
