import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../base/json-value.ts';
import { at, SELECTOR, TEMPLATE } from './groups/workloads.fixtures.ts';
import { causesOf, startTestKube, type TestAnswer, type TestKube } from './kube-server.fixtures.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const WEB = `${DEPLOYMENTS}/web`;
const APPLY = { headers: { 'content-type': 'application/apply-patch+yaml' } };
const REPLICAS = { 'f:spec': { 'f:replicas': {} } };

let kube: TestKube;
beforeEach(async () => {
  kube = await startTestKube();
  onTestFinished(() => kube.stop());
  const spec = { replicas: 2, selector: SELECTOR, template: TEMPLATE };
  await kube.request('POST', `${DEPLOYMENTS}?fieldManager=creator`, { metadata: { name: 'web' }, spec });
});

function scaleOf(replicas: number): JsonObject {
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas } };
}

function put(manager: string, replicas: number): Promise<TestAnswer> {
  const body = scaleOf(replicas);
  (body['metadata'] as JsonObject)['namespace'] = 'default';
  return kube.request('PUT', `${WEB}/scale?fieldManager=${manager}`, body);
}

function applyScale(query: string, replicas: number): Promise<TestAnswer> {
  return kube.request('PATCH', `${WEB}/scale?${query}`, scaleOf(replicas), APPLY);
}

function applyReplicas(query: string, replicas: number): Promise<TestAnswer> {
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas } };
  return kube.request('PATCH', `${WEB}?${query}`, body, APPLY);
}

/** Returns the managers of the replicas as `manager operation subresource`, sorted. */
async function owners(): Promise<readonly string[]> {
  const { body } = await kube.request('GET', WEB);
  const entries = (at(body, 'metadata', 'managedFields') ?? []) as JsonObject[];
  return entries
    .filter((entry) => at(entry, 'fieldsV1', 'f:spec', 'f:replicas') !== undefined)
    .map(({ manager, operation, subresource = '' }) => `${manager} ${operation} ${subresource}`.trim())
    .sort();
}

describe('an update of the scale', () => {
  test('gives the replicas of the resource to its manager', async () => {
    expect(await owners()).toEqual(['creator Update']);
    const scaled = await put('scaler', 5);
    expect([scaled.status, at(scaled.body, 'spec', 'replicas')]).toEqual([200, 5]);
    expect(await owners()).toEqual(['scaler Update scale']);
    const { body } = await kube.request('GET', WEB);
    const entries = at(body, 'metadata', 'managedFields') as JsonObject[];
    expect(entries.find(({ manager }) => manager === 'scaler')).toMatchObject({
      apiVersion: 'apps/v1',
      subresource: 'scale',
      fieldsV1: REPLICAS,
    });
    // The creator keeps its other fields.
    expect(at(entries.find(({ manager }) => manager === 'creator') as JsonObject, 'fieldsV1', 'f:spec')).toMatchObject({
      'f:selector': {},
    });
  });

  test('to the same value leaves the replicas with their manager', async () => {
    await put('scaler', 2);
    expect(await owners()).toEqual(['creator Update']);
  });

  test('makes a later apply to the resource a conflict that names the subresource', async () => {
    await put('scaler', 5);
    const refused = await applyReplicas('fieldManager=owner', 3);
    expect(refused.status).toBe(409);
    expect(causesOf(refused)).toEqual([
      '.spec.replicas: conflict with "scaler" with subresource "scale" using apps/v1',
    ]);
    expect((await applyReplicas('fieldManager=owner&force=true', 3)).status).toBe(200);
    expect(await owners()).toEqual(['owner Apply']);
  });
});

describe('an apply to the scale', () => {
  test('is a conflict with the managers of the replicas of the resource', async () => {
    const refused = await applyScale('fieldManager=scaler', 5);
    expect(refused.status).toBe(409);
    expect(causesOf(refused)).toEqual(['.spec.replicas: conflict with "creator" using autoscaling/v1']);
    expect((await applyScale('fieldManager=scaler&force=true&dryRun=All', 5)).status).toBe(200);
    expect(await owners()).toEqual(['creator Update']);
  });

  test('shares the replicas if the value is the same, and takes them by force otherwise', async () => {
    expect((await applyScale('fieldManager=scaler', 2)).status).toBe(200);
    expect(await owners()).toEqual(['creator Update', 'scaler Apply scale']);
    const forced = await applyScale('fieldManager=other&force=true', 7);
    expect(at(forced.body, 'spec', 'replicas')).toBe(7);
    expect(await owners()).toEqual(['other Apply scale']);
    expect(at(forced.body, 'metadata', 'managedFields')).toBeUndefined();
  });

  test('to a missing resource does not create one', async () => {
    const body = { ...scaleOf(1), metadata: { name: 'none' } };
    const { status } = await kube.request('PATCH', `${DEPLOYMENTS}/none/scale?fieldManager=m`, body, APPLY);
    expect(status).toBe(404);
  });
});
