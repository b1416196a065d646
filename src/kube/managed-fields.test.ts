import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import { at, SELECTOR, TEMPLATE } from './groups/workloads.fixtures.ts';
import { startTestKube, type TestAnswer, type TestKube } from './kube-server.fixtures.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const DAEMON_SETS = '/apis/apps/v1/namespaces/default/daemonsets';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
const PODS = '/api/v1/namespaces/default/pods';
const autoscalers = (version: string): string =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;

let kube: TestKube;
beforeAll(async () => {
  kube = await startTestKube();
});
afterAll(() => kube.stop());

const headers = { 'content-type': 'application/apply-patch+yaml' };
const apply = (path: string, manager: string, body: JsonObject): Promise<TestAnswer> =>
  kube.request('PATCH', `${path}?fieldManager=${manager}`, body, { headers });

/** Returns the fields of the only manager. */
function owned({ body }: TestAnswer): JsonValue | undefined {
  const entries = at(body, 'metadata', 'managedFields') as JsonObject[] | undefined;
  expect(entries).toHaveLength(1);
  return entries?.[0]?.['fieldsV1'];
}

describe('a create', () => {
  test('owns a value that is the zero value of the Go type but not of the object', async () => {
    const spec = { replicas: 0, selector: SELECTOR, template: TEMPLATE };
    const made = await kube.request('POST', DEPLOYMENTS, { metadata: { name: 'zero' }, spec });
    expect(owned(made)).toMatchObject({ 'f:spec': { 'f:replicas': {} } });
  });

  test('owns an empty list of a field that is always written, which is stored as none', async () => {
    const made = await kube.request('POST', ROLES, { metadata: { name: 'empty' }, rules: [] });
    expect(owned(made)).toEqual({ 'f:rules': {} });
    expect(made.body['rules']).toBeNull();
    const none = await kube.request('POST', ROLES, { metadata: { name: 'none' } });
    expect(at(none.body, 'metadata', 'managedFields')).toBeUndefined();
  });

  test('owns the fields that conversion from the internal type adds', async () => {
    const daemons = { metadata: { name: 'a' }, spec: { selector: SELECTOR, template: TEMPLATE } };
    const key = 'f:deprecated.daemonset.template.generation';
    expect(owned(await kube.request('POST', DAEMON_SETS, daemons))).toMatchObject({
      'f:metadata': { 'f:annotations': { '.': {}, [key]: {} } },
    });
    const scaled = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' }, maxReplicas: 3 };
    const made = await kube.request('POST', autoscalers('v1'), { metadata: { name: 'a' }, spec: scaled });
    expect(owned(made)).toMatchObject({ 'f:spec': { 'f:targetCPUUtilizationPercentage': {} } });
  });
});

describe('an apply', () => {
  test('that creates an object leaves defaults to the server', async () => {
    const { status, body } = await apply(`${DEPLOYMENTS}/applied`, 'm', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'applied' },
      spec: { selector: SELECTOR, template: TEMPLATE },
    });
    expect(status).toBe(201);
    expect(at(body, 'spec', 'replicas')).toBe(1);
  });

  test('in another version gives abandoned fields their defaults, and keeps structs that are always there', async () => {
    const applyAs = (version: string, spec: JsonObject): Promise<TestAnswer> =>
      apply(`${autoscalers(version)}/b`, 'm', {
        apiVersion: `autoscaling/${version}`,
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'b' },
        spec,
      });
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };
    await applyAs('v2', { maxReplicas: 4, scaleTargetRef });
    const second = await applyAs('v1', { maxReplicas: 5, minReplicas: 2 });
    expect(second.body['spec']).toMatchObject({ maxReplicas: 5, minReplicas: 2, scaleTargetRef });
    const third = await applyAs('v2', { maxReplicas: 5 });
    expect(third.body['spec']).toMatchObject({ maxReplicas: 5, minReplicas: 1, scaleTargetRef });
  });
});

test('the status and the ephemeral containers of a pod are written without its deletionTimestamp', async () => {
  await kube.request('POST', PODS, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  const metadata = { deletionTimestamp: '2020-01-01T00:00:00Z' };
  for (const subresource of ['status', 'ephemeralcontainers']) {
    const { status, body } = await kube.request('PATCH', `${PODS}/p/${subresource}`, { metadata });
    expect(status).toBe(200);
    expect(at(body, 'metadata', 'deletionTimestamp')).toBeUndefined();
  }
});
