/** Defaults of HorizontalPodAutoscalers, for autoscaling/v2 and autoscaling/v1. */
import { ensureObject, objectAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import { setDefault } from '../../../server/resource/strategy-fields.ts';
import { dropRoundTripAnnotations } from './autoscaler-annotations.ts';

/** The target of an autoscaler without metrics: CPU utilization in percent of the requested CPU. */
export const DEFAULT_CPU_UTILIZATION = 80;

export function setAutoscalerV1Defaults(object: JsonObject): void {
  setDefault(ensureObject(object, 'spec'), 'minReplicas', 1);
}

export function setAutoscalerDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  setDefault(spec, 'minReplicas', 1);
  setDefault(spec, 'metrics', [cpuMetric(DEFAULT_CPU_UTILIZATION)]);
  const behavior = objectAt(spec, 'behavior');
  if (behavior !== undefined) {
    setRuleDefaults(ensureObject(behavior, 'scaleUp'), 0, [policy('Pods', 4), policy('Percent', 100)]);
    setRuleDefaults(ensureObject(behavior, 'scaleDown'), undefined, [policy('Percent', 100)]);
  }
  dropRoundTripAnnotations(object);
}

/** Returns the autoscaling/v2 metric for CPU utilization. */
export function cpuMetric(averageUtilization: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function setRuleDefaults(rules: JsonObject, window: number | undefined, policies: JsonObject[]): void {
  if (window !== undefined) setDefault(rules, 'stabilizationWindowSeconds', window);
  setDefault(rules, 'selectPolicy', 'Max');
  setDefault(rules, 'policies', policies);
}

function policy(type: string, value: number): JsonObject {
  return { type, value, periodSeconds: 15 };
}
