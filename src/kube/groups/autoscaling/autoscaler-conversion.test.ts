import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { autoscalerFromV1, autoscalerToV1 } from './autoscaler-conversion.ts';

const TARGET = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };

function hub(spec: JsonObject, status: JsonObject = { desiredReplicas: 0, currentMetrics: null }): JsonObject {
  return {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { name: 'h' },
    spec: { scaleTargetRef: TARGET, minReplicas: 1, maxReplicas: 3, ...spec },
    status,
  };
}

const CPU = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
const EVERYTHING = hub(
  {
    metrics: [
      {
        type: 'Object',
        object: {
          describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' },
          target: { type: 'Value', value: '2' },
          metric: { name: 'm', selector: { matchLabels: { a: 'b' } } },
        },
      },
      {
        type: 'Pods',
        pods: { metric: { name: 'p' }, target: { type: 'AverageValue', averageValue: '30' } },
      },
      {
        type: 'ContainerResource',
        containerResource: {
          name: 'memory',
          target: { type: 'AverageValue', averageValue: '1Gi' },
          container: 'c',
        },
      },
      { type: 'External', external: { metric: { name: 'e' }, target: { type: 'Value', value: '1500m' } } },
      CPU,
    ],
    behavior: {
      scaleUp: { selectPolicy: 'Max', policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }], tolerance: '100m' },
    },
  },
  {
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageValue: '5m', averageUtilization: 7 } } },
    ],
    conditions: [{ type: 'ScalingActive', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z', message: 'a<b' }],
  },
);

describe('an autoscaler of autoscaling/v1', () => {
  test('has annotations for what it has no fields for, as kube-apiserver writes them', () => {
    expect(autoscalerToV1(EVERYTHING)).toEqual({
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: 'h',
        annotations: {
          'autoscaling.alpha.kubernetes.io/behavior':
            '{"ScaleUp":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":"100m"},"ScaleDown":null}',
          'autoscaling.alpha.kubernetes.io/conditions':
            '[{"type":"ScalingActive","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z","message":"a\\u003cb"}]',
          'autoscaling.alpha.kubernetes.io/current-metrics':
            '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":7,"currentAverageValue":"5m"}}]',
          'autoscaling.alpha.kubernetes.io/metrics':
            '[{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"m","targetValue":"2","selector":{"matchLabels":{"a":"b"}}}},{"type":"Pods","pods":{"metricName":"p","targetAverageValue":"30"}},{"type":"ContainerResource","containerResource":{"name":"memory","targetAverageValue":"1Gi","container":"c"}},{"type":"External","external":{"metricName":"e","targetValue":"1500m"}}]',
        },
      },
      spec: { scaleTargetRef: TARGET, minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
      status: { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 7 },
    });
  });

  test('survives a round trip', () => {
    expect(autoscalerFromV1(autoscalerToV1(EVERYTHING))).toEqual(EVERYTHING);
  });

  test('without metrics has the default CPU target', () => {
    const object = { metadata: { name: 'h' }, spec: { scaleTargetRef: TARGET, minReplicas: 1, maxReplicas: 3 } };
    expect(autoscalerFromV1(object)).toEqual(
      hub({
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
      }),
    );
  });

  test.each(['bad', '{}', '[{"type":5}]'])('ignores the malformed annotation %s', (text) => {
    const object = {
      metadata: { name: 'h', annotations: { 'autoscaling.alpha.kubernetes.io/metrics': text, mine: 'x' } },
      spec: { scaleTargetRef: TARGET, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
    };
    const converted = autoscalerFromV1(object);
    expect((converted['spec'] as JsonObject)['metrics']).toEqual([CPU]);
    expect(converted['metadata']).toEqual({ name: 'h', annotations: { mine: 'x' } });
  });

  test('accepts the field names of its behavior in any case', () => {
    const text = '{"scaleup":{"policies":[{"type":"Pods","value":3,"periodseconds":15}]}}';
    const object = {
      metadata: { name: 'h', annotations: { 'autoscaling.alpha.kubernetes.io/behavior': text } },
      spec: { scaleTargetRef: TARGET, maxReplicas: 3 },
    };
    expect((autoscalerFromV1(object)['spec'] as JsonObject)['behavior']).toEqual({
      scaleUp: { policies: [{ type: 'Pods', value: 3, periodSeconds: 15 }] },
    });
  });
});
