/**
 * Conversion of HorizontalPodAutoscalers between autoscaling/v2 and autoscaling/v1. Invariant: a round trip from v2
 * loses nothing: annotations of v1 hold what it has no fields for, in the form that kube-apiserver writes. A malformed
 * annotation counts as absent.
 */

import { normalizeTyped } from '../../../apimachinery/codec/typed-normalize.ts';
import { formatJson } from '../../../apimachinery/go-format.ts';
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { encodeUtf8 } from '../../../base/bytes.ts';
import { readJson } from '../../../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { autoscalingShapes } from '../../../kinds/shapes/autoscaling.ts';
import { kindView } from '../../../kinds/views.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { int32At } from '../../shared/numbers.ts';
import { statusOf, withEntries } from '../../shared/workload-rules.ts';
import {
  BEHAVIOR_ANNOTATION,
  CONDITIONS_ANNOTATION,
  CURRENT_METRICS_ANNOTATION,
  dropRoundTripAnnotations,
  METRICS_ANNOTATION,
} from './autoscaler-annotations.ts';
import { cpuMetric, DEFAULT_CPU_UTILIZATION } from './autoscaler-defaults.ts';
import {
  metricFromV1,
  metricStatusFromV1,
  metricStatusToV1,
  metricToV1,
  present,
} from './autoscaler-metric-conversion.ts';

export function autoscalerToV1(object: JsonObject): JsonObject {
  const spec = specOf(object);
  const status = statusOf(object);
  const metrics = objectsAt(spec, 'metrics');
  const current = objectsAt(status, 'currentMetrics');
  const result: JsonObject = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: { ...objectAt(object, 'metadata') },
    spec: {
      ...present({ scaleTargetRef: spec['scaleTargetRef'], minReplicas: spec['minReplicas'] }),
      ...present({
        maxReplicas: spec['maxReplicas'] ?? 0,
        targetCPUUtilizationPercentage: metrics.map(cpuTarget).find((target) => target !== undefined),
      }),
    },
    status: present({
      observedGeneration: status['observedGeneration'],
      lastScaleTime: status['lastScaleTime'],
      currentReplicas: status['currentReplicas'] ?? 0,
      desiredReplicas: status['desiredReplicas'] ?? 0,
      currentCPUUtilizationPercentage: current.map(cpuCurrent).findLast((value) => value !== undefined),
    }),
  };
  dropRoundTripAnnotations(result);
  addAnnotations(
    result,
    present({
      [METRICS_ANNOTATION]: listText(metrics.filter((metric) => cpuTarget(metric) === undefined).map(metricToV1)),
      [CURRENT_METRICS_ANNOTATION]: listText(current.map(metricStatusToV1)),
      [BEHAVIOR_ANNOTATION]: behaviorText(objectAt(spec, 'behavior')),
      [CONDITIONS_ANNOTATION]: listText(objectsAt(status, 'conditions')),
    }),
  );
  return result;
}

export function autoscalerFromV1(object: JsonObject): JsonObject {
  const spec = specOf(object);
  const status = statusOf(object);
  const annotations = objectAt(object, 'metadata', 'annotations') ?? {};
  const parts = (name: string): readonly JsonObject[] | undefined => annotatedList(annotations, name);
  const target = int32At(spec, 'targetCPUUtilizationPercentage');
  const others = readMetrics(parts(METRICS_ANNOTATION)?.map(metricFromV1)) ?? [];
  const metrics = [...others, ...(target === undefined ? [] : [cpuMetric(target)])];
  const result: JsonObject = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { ...objectAt(object, 'metadata') },
    spec: present({
      scaleTargetRef: spec['scaleTargetRef'],
      minReplicas: spec['minReplicas'],
      maxReplicas: spec['maxReplicas'] ?? 0,
      metrics: metrics.length === 0 ? [cpuMetric(DEFAULT_CPU_UTILIZATION)] : metrics,
      behavior: readBehavior(annotations),
    }),
    status: {
      ...present({
        observedGeneration: status['observedGeneration'],
        lastScaleTime: status['lastScaleTime'],
        currentReplicas: status['currentReplicas'] === 0 ? undefined : status['currentReplicas'],
        desiredReplicas: status['desiredReplicas'] ?? 0,
      }),
      currentMetrics: readCurrentMetrics(parts(CURRENT_METRICS_ANNOTATION)) ?? currentCpu(status),
      ...present({ conditions: readConditions(parts(CONDITIONS_ANNOTATION)) }),
    },
  };
  dropRoundTripAnnotations(result);
  return result;
}

function addAnnotations(object: JsonObject, annotations: JsonObject): void {
  const metadata = objectAt(object, 'metadata');
  if (metadata === undefined || Object.keys(annotations).length === 0) return;
  metadata['annotations'] = withEntries(objectAt(metadata, 'annotations'), annotations);
}

/** Returns the CPU utilization target, which autoscaling/v1 has a field for. */
function cpuTarget(metric: JsonObject): number | undefined {
  const resource = objectAt(metric, 'resource');
  if (textAt(metric, 'type') !== 'Resource' || resource === undefined || textAt(resource, 'name') !== 'cpu')
    return undefined;
  return int32At(resource, 'target', 'averageUtilization');
}

function cpuCurrent(status: JsonObject): number | undefined {
  const resource = objectAt(status, 'resource');
  if (textAt(status, 'type') !== 'Resource' || resource === undefined || textAt(resource, 'name') !== 'cpu')
    return undefined;
  return int32At(resource, 'current', 'averageUtilization');
}

function currentCpu(status: JsonObject): JsonValue {
  const averageUtilization = int32At(status, 'currentCPUUtilizationPercentage');
  if (averageUtilization === undefined) return null;
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } }];
}

function listText(items: readonly JsonObject[]): string | undefined {
  return items.length === 0 ? undefined : formatJson([...items], true);
}

function annotatedList(annotations: JsonObject, name: string): readonly JsonObject[] | undefined {
  const value = annotated(annotations, name);
  if (value === null) return [];
  return Array.isArray(value) && value.every(isJsonObject) ? value.filter(isJsonObject) : undefined;
}

function annotated(annotations: JsonObject, name: string): JsonValue | undefined {
  if (!Object.hasOwn(annotations, name)) return undefined;
  const read = readJson(encodeUtf8(textAt(annotations, name)));
  return read.ok ? read.value : undefined;
}

// ── Annotations to autoscaling/v2 fields ─────────────────────────────────────────────────────────────────────────────

/**
 * Normalizes an autoscaler that consists of these parts. Returns undefined if a value does not have the type of its
 * field.
 */
function normalized(parts: JsonObject): JsonObject | undefined {
  const result = normalizeTyped(parts, kindView('autoscaling', 'v2', 'HorizontalPodAutoscaler'), 'stored');
  return result.ok ? result.object : undefined;
}

function readMetrics(metrics: JsonObject[] | undefined): readonly JsonObject[] | undefined {
  const object = metrics === undefined ? undefined : normalized({ spec: { metrics } });
  return object === undefined ? undefined : objectsAt(object, 'spec', 'metrics');
}

function readCurrentMetrics(list: readonly JsonObject[] | undefined): JsonValue | undefined {
  if (list === undefined) return undefined;
  const object = normalized({ status: { currentMetrics: list.map(metricStatusFromV1) } });
  return object === undefined ? undefined : (statusOf(object)['currentMetrics'] ?? null);
}

function readConditions(list: readonly JsonObject[] | undefined): JsonValue | undefined {
  const object = list === undefined ? undefined : normalized({ status: { conditions: [...list] } });
  return object === undefined ? undefined : statusOf(object)['conditions'];
}

// ── Behavior, which the annotation holds under the Go field names of the internal type ───────────────────────────────

function behaviorText(behavior: JsonObject | undefined): string | undefined {
  if (behavior === undefined) return undefined;
  return formatJson(goValue(autoscalingShapes, 'HorizontalPodAutoscalerBehavior', behavior), true);
}

function readBehavior(annotations: JsonObject): JsonValue | undefined {
  const value = annotated(annotations, BEHAVIOR_ANNOTATION);
  if (!isJsonObject(value)) return undefined;
  const read: JsonObject = {};
  for (const name of ['scaleUp', 'scaleDown']) {
    const rules = anyCase(value, name);
    if (rules !== null) read[name] = isJsonObject(rules) ? readRules(rules) : rules;
  }
  if (Object.keys(read).length === 0) return undefined;
  const object = normalized({ spec: { behavior: read } });
  return object === undefined ? undefined : specOf(object)['behavior'];
}

function readRules(rules: JsonObject): JsonObject {
  const policies = anyCase(rules, 'policies');
  return present({
    stabilizationWindowSeconds: anyCase(rules, 'stabilizationWindowSeconds'),
    selectPolicy: anyCase(rules, 'selectPolicy'),
    policies: Array.isArray(policies) ? policies.map((one) => (isJsonObject(one) ? readPolicy(one) : one)) : policies,
    tolerance: anyCase(rules, 'tolerance'),
  });
}

function readPolicy(policy: JsonObject): JsonObject {
  return present({
    type: anyCase(policy, 'type'),
    value: anyCase(policy, 'value'),
    periodSeconds: anyCase(policy, 'periodSeconds'),
  });
}

/** Returns a field whose name matches in any case, as Go's JSON decoder finds it; null if there is none. */
function anyCase(object: JsonObject, name: string): JsonValue {
  const wanted = name.toLowerCase();
  const key = Object.keys(object).findLast((one) => one.toLowerCase() === wanted);
  return key === undefined ? null : (object[key] ?? null);
}
