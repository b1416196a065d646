/** The kind DeviceTaintRule. */

import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { addIssues, type FieldIssue, tooMany } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, sinceText, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_SPEC_AND_METADATA } from '../../../server/resource/reset-fields.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import { clearStatus, keepAllButStatus, keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { statusSubresource } from '../../shared/built-in.ts';
import { validateConditions } from '../../shared/conditions.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { deviceStrategy, deviceVersion } from './device-definitions.ts';
import { presentTime, setTaintDefaults, validateTaint, type WallClock } from './taint-rules.ts';
import { validateDriverName, validateLabel, validatePoolName } from './validate-names.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const CONDITIONS = FieldPath.of('status', 'conditions');
const MAX_CONDITIONS = 8;

export const taintRuleTable: () => TableDefinition = tableOf(
  NAME,
  column('Key', 'The key of the taint.', (object) => textAt(object, 'spec', 'taint', 'key')),
  column('Value', 'The value of the taint.', (object) => textAt(object, 'spec', 'taint', 'value')),
  column('Effect', 'What the taint does.', (object) => textAt(object, 'spec', 'taint', 'effect')),
  column('TimeAdded', 'How long ago the taint was added.', (object, now) => {
    const added = textAt(object, 'spec', 'taint', 'timeAdded');
    return added === '' ? '' : sinceText(added, now);
  }),
  AGE,
);

/** The storage version is v1alpha3, as in kube-apiserver until the beta version is on by default. */
export function deviceTaintRuleResource(clock: WallClock): KubeResource {
  const options = {
    kind: 'DeviceTaintRule',
    table: taintRuleTable,
    setDefaults: (rule: JsonObject) => setTaintRuleDefaults(rule, clock),
  };
  const strategy = deviceStrategy({
    countsGeneration: true,
    prepareForCreate: clearStatus,
    validate: validateTaintRule,
    prepareForUpdate: (rule, old) => prepareTaintRuleForUpdate(rule, old, clock),
    validateUpdate: validateTaintRuleUpdate,
  });
  const alpha = deviceVersion({ version: 'v1alpha3', ...options });
  return {
    definition: {
      ...storedResource({
        plural: 'devicetaintrules',
        scope: 'Cluster',
        versions: [deviceVersion({ version: 'v1beta2', ...options }), alpha],
        strategy,
        subresources: [
          statusSubresource(strategy, {
            prepareForUpdate: keepAllButStatus,
            validateUpdate: validateTaintRuleStatusUpdate,
            resetFields: RESETS_SPEC_AND_METADATA,
          }),
        ],
      }),
      storageVersion: alpha,
    },
  };
}

export function setTaintRuleDefaults(rule: JsonObject, clock: WallClock): void {
  const taint = objectAt(rule, 'spec', 'taint');
  if (taint !== undefined) setTaintDefaults(taint, clock);
}

/** A changed effect is a new taint: it gets the present time unless the client changed the time too. */
export function prepareTaintRuleForUpdate(rule: JsonObject, old: JsonObject, clock: WallClock): void {
  keepStatus(rule, old);
  const taint = objectAt(rule, 'spec', 'taint');
  const stored = objectAt(old, 'spec', 'taint') ?? {};
  if (taint === undefined || textAt(taint, 'effect') === textAt(stored, 'effect')) return;
  if (fieldAt(taint, 'timeAdded') === fieldAt(stored, 'timeAdded')) taint['timeAdded'] = presentTime(clock);
}

export function validateTaintRule(rule: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(rule), { namespaced: false, name: nameIsDnsSubdomain }, METADATA),
    ...validateRuleSpec(objectAt(rule, 'spec') ?? {}, undefined),
  ];
}

function validateTaintRuleUpdate(rule: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMetaUpdate(rule, old),
    ...validateRuleSpec(objectAt(rule, 'spec') ?? {}, objectAt(old, 'spec', 'taint')),
  ];
}

function validateTaintRuleStatusUpdate(rule: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(rule, old);
  const conditions = objectsAt(rule, 'status', 'conditions');
  addIssues(issues, validateConditions(conditions, CONDITIONS));
  if (conditions.length > MAX_CONDITIONS) issues.push(tooMany(CONDITIONS, conditions.length, MAX_CONDITIONS));
  return issues;
}

function validateRuleSpec(spec: JsonObject, oldTaint: JsonObject | undefined): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const selector = objectAt(spec, 'deviceSelector') ?? {};
  for (const [name, validate] of [
    ['driver', validateDriverName],
    ['pool', validatePoolName],
    ['device', validateLabel],
  ] as const) {
    const value = fieldAt(selector, name);
    if (typeof value === 'string') addIssues(issues, validate(value, SPEC.child('deviceSelector', name)));
  }
  addIssues(issues, validateTaint(objectAt(spec, 'taint') ?? {}, SPEC.child('taint'), oldTaint));
  return issues;
}
