/** The kind PodDisruptionBudget. */
import { goValue } from '../../../apimachinery/go-shape/go-value.ts';
import { ensureObject, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { validateLabelSelectorObject } from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
} from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { policyShapes } from '../../../kinds/shapes/policy.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { keepSpec, keepStatus, specOf } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { validateConditions } from '../../shared/conditions.ts';
import { validateAtMost100Percent, validateNonnegativeIntOrPercent } from '../../shared/int-or-percent.ts';
import { selectorAt } from '../../shared/label-selector.ts';
import { validateNonnegativeFields } from '../../shared/numbers.ts';
import {
  beginObject,
  countColumn,
  countSpecChange,
  intOrStringAt,
  SPEC,
  STATUS,
  statusOf,
} from '../../shared/workload-rules.ts';

/** policy/v1beta1 converts an empty selector, which selects nothing there, to a requirement for this label. */
const V1BETA1_LABEL = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';
const COUNTERS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
const EMPTY_STATUS = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 } as const;
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

const disruptionBudgetTable: () => TableDefinition = tableOf(
  NAME,
  column('Min Available', 'Pods that must stay available.', (object) => limitText(object, 'minAvailable')),
  column('Max Unavailable', 'Pods that may be unavailable.', (object) => limitText(object, 'maxUnavailable')),
  countColumn('Allowed Disruptions', 'Pods that may be evicted now.', 'status', 'disruptionsAllowed'),
  AGE,
);

const DISRUPTION_BUDGET_STRATEGY: Strategy = strategyWithDefaults({
  allowUnconditionalUpdate: false,
  prepareForCreate: (object) => beginObject(object, EMPTY_STATUS),
  validate: (object) => validateSpec(specOf(object), undefined),
  prepareForUpdate: (object, old) => {
    keepStatus(object, old);
    countSpecChange(object, old);
  },
  validateUpdate: (object, old) => validateSpec(specOf(object), specOf(old)),
});

export const POD_DISRUPTION_BUDGET: KubeResource = {
  definition: storedResource({
    plural: 'poddisruptionbudgets',
    shortNames: ['pdb'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: 'policy',
        version: 'v1',
        kind: 'PodDisruptionBudget',
        setDefaults: setDisruptionBudgetDefaults,
        table: disruptionBudgetTable,
      }),
    ],
    strategy: DISRUPTION_BUDGET_STRATEGY,
    subresources: [
      statusSubresource(DISRUPTION_BUDGET_STRATEGY, {
        prepareForUpdate: keepSpec,
        validateUpdate: (object) => [
          ...validateConditions(objectsAt(object, 'status', 'conditions'), STATUS.child('conditions')),
          ...validateNonnegativeFields(statusOf(object), COUNTERS, STATUS),
        ],
      }),
    ],
  }),
};

/**
 * Drops requirements for the v1beta1 label, unless the selector is exactly the one that conversion from v1beta1 writes.
 */
function setDisruptionBudgetDefaults(object: JsonObject): void {
  const selector = objectAt(ensureObject(object, 'spec'), 'selector');
  const expressions = selector === undefined ? [] : objectsAt(selector, 'matchExpressions');
  if (selector === undefined || !expressions.some((one) => textAt(one, 'key') === V1BETA1_LABEL)) return;
  const [only] = expressions;
  const isMatchNone =
    expressions.length === 1 &&
    textAt(only ?? {}, 'operator') === 'Exists' &&
    objectAt(selector, 'matchLabels') === undefined;
  if (isMatchNone) return;
  const kept = expressions.filter((one) => textAt(one, 'key') !== V1BETA1_LABEL);
  if (kept.length === 0) delete selector['matchExpressions'];
  else selector['matchExpressions'] = kept;
}

function limitText(object: JsonObject, name: string): string {
  const limit = intOrStringAt(object, 'spec', name);
  return limit === undefined ? 'N/A' : String(limit);
}

function validateSpec(spec: JsonObject, old: JsonObject | undefined): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const limits = ['minAvailable', 'maxUnavailable'] as const;
  if (limits.every((name) => intOrStringAt(spec, name) !== undefined)) {
    const shown = goValue(policyShapes, 'PodDisruptionBudgetSpec', spec);
    issues.push(declared(invalid(SPEC, shown, 'minAvailable and maxUnavailable cannot be both set')));
  }
  for (const name of limits) {
    const limit = intOrStringAt(spec, name);
    issues.push(...validateNonnegativeIntOrPercent(limit, SPEC.child(name)));
    addIssues(issues, validateAtMost100Percent(limit, SPEC.child(name)));
  }
  const allowInvalidValues =
    old !== undefined && validateLabelSelectorObject(selectorAt(old, 'selector'), SPEC).length > 0;
  addIssues(
    issues,
    validateLabelSelectorObject(selectorAt(spec, 'selector'), SPEC.child('selector'), { allowInvalidValues }),
  );
  const policy = textAt(spec, 'unhealthyPodEvictionPolicy');
  if (spec['unhealthyPodEvictionPolicy'] !== undefined && !EVICTION_POLICIES.includes(policy))
    issues.push(declared(notSupported(SPEC.child('unhealthyPodEvictionPolicy'), policy, EVICTION_POLICIES)));
  return issues;
}
