/**
 * The kind HorizontalPodAutoscaler. Stored and validated as autoscaling/v2; autoscaling/v1 keeps what it has no fields
 * for in annotations.
 */
import { fieldAt, objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { keepSpec, keepStatus } from '../../../server/resource/strategy-fields.ts';
import type { VersionDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { autoscalerFromV1, autoscalerToV1 } from './autoscaler-conversion.ts';
import { setAutoscalerDefaults, setAutoscalerV1Defaults } from './autoscaler-defaults.ts';
import { autoscalerTable, autoscalerV1Table } from './autoscaler-table.ts';
import {
  validateAutoscaler,
  validateAutoscalerStatusUpdate,
  validateAutoscalerUpdate,
} from './autoscaler-validation.ts';

const AUTOSCALER_STRATEGY: Strategy = strategyWithDefaults({
  nameRule: nameIsDnsSubdomain,
  validatesMetadata: true,
  prepareForCreate: (object) => {
    object['status'] = { desiredReplicas: 0, currentMetrics: null };
  },
  validate: validateAutoscaler,
  prepareForUpdate: keepStatus,
  validateUpdate: validateAutoscalerUpdate,
});

export const HORIZONTAL_POD_AUTOSCALER: KubeResource = {
  definition: storedResource({
    plural: 'horizontalpodautoscalers',
    shortNames: ['hpa'],
    categories: ['all'],
    scope: 'Namespaced',
    versions: [
      withEmptyPolicies(
        builtInVersion({
          group: 'autoscaling',
          version: 'v2',
          kind: 'HorizontalPodAutoscaler',
          setDefaults: setAutoscalerDefaults,
          table: autoscalerTable,
        }),
      ),
      builtInVersion({
        group: 'autoscaling',
        version: 'v1',
        kind: 'HorizontalPodAutoscaler',
        setDefaults: completeV1,
        table: autoscalerV1Table,
      }),
    ],
    convert: (objects, _from, to) => objects.map(to.version === 'v1' ? autoscalerToV1 : autoscalerFromV1),
    strategy: AUTOSCALER_STRATEGY,
    subresources: [
      statusSubresource(AUTOSCALER_STRATEGY, {
        prepareForUpdate: keepSpec,
        validateUpdate: validateAutoscalerStatusUpdate,
      }),
    ],
  }),
};

/** Sets the defaults and adds what the stored version has in addition, such as the target without metrics. */
function completeV1(object: JsonObject): void {
  setAutoscalerV1Defaults(object);
  Object.assign(object, autoscalerToV1(autoscalerFromV1(object)));
}

/**
 * Returns the version with a `normalize` that keeps empty lists of scaling policies, which normalization drops. An
 * absent list gets defaults; an empty one is invalid, so storage never holds one.
 */
function withEmptyPolicies(version: VersionDefinition): VersionDefinition {
  return {
    ...version,
    normalize: (object, keepsEmptyLists) => {
      const result = version.normalize(object, keepsEmptyLists);
      if (result.ok) keepEmptyPolicies(result.object, object);
      return result;
    },
  };
}

function keepEmptyPolicies(object: JsonObject, body: JsonObject): void {
  for (const name of ['scaleUp', 'scaleDown']) {
    const rules = objectAt(object, 'spec', 'behavior', name);
    const policies = fieldAt(body, 'spec', 'behavior', name, 'policies');
    if (rules !== undefined && Array.isArray(policies) && policies.length === 0) rules['policies'] = [];
  }
}
