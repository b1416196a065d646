import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { causesOf, startTestKube, type TestKube } from '../../kube-server.fixtures.ts';
import { at, type Created, createObject } from '../workloads.fixtures.ts';

const NAMESPACE = '/namespaces/default';
const AUTOSCALERS = `/apis/autoscaling/v2${NAMESPACE}/horizontalpodautoscalers`;

let kube: TestKube;
beforeAll(async () => {
  kube = await startTestKube();
});
afterAll(() => kube.stop());

function create(collection: string, spec: JsonObject, metadata?: JsonObject): Promise<Created> {
  return createObject(kube, collection, spec, metadata);
}

describe('HorizontalPodAutoscaler', () => {
  const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };

  test('is served in two versions', async () => {
    const { name } = await create(AUTOSCALERS, { ...spec, behavior: {} });
    const { body } = await kube.request('GET', `/apis/autoscaling/v1${NAMESPACE}/horizontalpodautoscalers/${name}`);
    expect(at(body, 'spec')).toEqual({ ...spec, minReplicas: 1, targetCPUUtilizationPercentage: 80 });
    expect(at(body, 'metadata', 'annotations', 'autoscaling.alpha.kubernetes.io/behavior')).toContain('"ScaleUp"');
    expect(body['status']).toEqual({ currentReplicas: 0, desiredReplicas: 0 });
  });

  test('is invalid without maxReplicas, a scalable target and a metric source of its type', async () => {
    const metrics = [{ type: 'Pods', resource: { name: 'cpu', target: { type: 'X', averageUtilization: 0 } } }];
    expect(causesOf(await create(AUTOSCALERS, { scaleTargetRef: { kind: 'Pod', name: 'p' }, metrics }))).toEqual([
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
      'spec.metrics[0].resource.target.type: Invalid value: "X": must be either Utilization, Value, or AverageValue',
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
    ]);
  });
});
