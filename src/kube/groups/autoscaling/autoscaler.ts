/** HorizontalPodAutoscaler, judged as autoscaling/v2. Invariant: pure; what another version keeps in annotations is in fields here. */
import { ensureObject, fieldAt, objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';
import type { Strategy } from '../../../server/resource/resource-definition.ts';
import { keepStatus, setDefault } from '../../shared/object-fields.ts';
import { keepSpec } from '../../shared/workload-rules.ts';
import { dropRoundTripAnnotations } from './autoscaler-annotations.ts';
import {
  validateAutoscaler,
  validateAutoscalerStatusUpdate,
  validateAutoscalerUpdate,
} from './autoscaler-validation.ts';

/** What an autoscaler that names no metric works by: use of processors, as a percentage of what pods ask for. */
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

/** Lists of policies that the body says are empty: they get no defaults, and are refused. Storage never holds one. */
export function keepEmptyPolicies(object: JsonObject, body: JsonObject): void {
  for (const name of ['scaleUp', 'scaleDown']) {
    const rules = objectAt(object, 'spec', 'behavior', name);
    const policies = fieldAt(body, 'spec', 'behavior', name, 'policies');
    if (rules !== undefined && Array.isArray(policies) && policies.length === 0) rules['policies'] = [];
  }
}

/** A metric of processor use, as autoscaling/v2 writes it. */
export function cpuMetric(averageUtilization: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

export const AUTOSCALER_RULES: Partial<Strategy> = {
  nameRule: nameIsDnsSubdomain,
  validatesMetadata: true,
  validate: validateAutoscaler,
  validateUpdate: validateAutoscalerUpdate,
  prepareForCreate: (object) => {
    object['status'] = { desiredReplicas: 0, currentMetrics: null };
  },
  prepareForUpdate: keepStatus,
};

export const AUTOSCALER_STATUS_RULES: Partial<Strategy> = {
  prepareForUpdate: keepSpec,
  validateUpdate: validateAutoscalerStatusUpdate,
};

function setRuleDefaults(rules: JsonObject, window: number | undefined, policies: JsonObject[]): void {
  if (window !== undefined) setDefault(rules, 'stabilizationWindowSeconds', window);
  setDefault(rules, 'selectPolicy', 'Max');
  setDefault(rules, 'policies', policies);
}

function policy(type: string, value: number): JsonObject {
  return { type, value, periodSeconds: 15 };
}
