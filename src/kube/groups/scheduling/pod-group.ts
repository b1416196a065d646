/** The kind PodGroup: pods that are scheduled together. Its policy and its template are immutable. */

import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { addIssues, type FieldIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_NOTHING, RESETS_SPEC_AND_METADATA } from '../../../server/resource/reset-fields.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { clearStatus, keepAllButStatus, keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { validateConditions } from '../../shared/conditions.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import {
  dropGatedFields,
  validateOneOf,
  validateRequiredText,
  validateSchedulingPolicy,
  validateUnchanged,
} from './gang-policy.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
/** The default, and the only value while the feature gate of the field is off. */
const DISRUPTION_MODE = 'Pod';

const podGroupTable: () => TableDefinition = tableOf(
  NAME,
  column('Policy', 'Basic or Gang.', (object) =>
    objectAt(object, 'spec', 'schedulingPolicy', 'gang') === undefined ? 'Basic' : 'Gang',
  ),
  column('Workload', 'The workload whose template it was made from.', (object) => {
    const template = objectAt(object, 'spec', 'podGroupTemplateRef');
    return template === undefined ? '<none>' : textAt(template, 'workload', 'workloadName');
  }),
  column('Status', 'Whether it was scheduled.', (object) => {
    const conditions = objectsAt(object, 'status', 'conditions');
    const disrupted = conditions.findLast(({ type }) => type === 'DisruptionTarget');
    if (disrupted !== undefined) return textAt(disrupted, 'reason');
    const scheduled = conditions.findLast(({ type }) => type === 'PodGroupScheduled');
    if (scheduled === undefined) return 'Pending';
    return textAt(scheduled, 'status') === 'True' ? 'Scheduled' : 'Unschedulable';
  }),
  AGE,
);

const POD_GROUP_STRATEGY: Strategy = strategyWithDefaults({
  prepareForCreate: preparePodGroupForCreate,
  validate: validatePodGroup,
  prepareForUpdate: preparePodGroupForUpdate,
  validateUpdate: validatePodGroupUpdate,
  // The reference declares that the status is reset, but its store does not use that.
  resetFields: RESETS_NOTHING,
});

export const POD_GROUP: KubeResource = {
  definition: storedResource({
    plural: 'podgroups',
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: 'scheduling.k8s.io',
        version: 'v1alpha2',
        kind: 'PodGroup',
        table: podGroupTable,
        setDefaults: setPodGroupDefaults,
      }),
    ],
    strategy: POD_GROUP_STRATEGY,
    subresources: [
      statusSubresource(POD_GROUP_STRATEGY, {
        prepareForUpdate: preparePodGroupStatusForUpdate,
        validateUpdate: validatePodGroupStatusUpdate,
        resetFields: RESETS_SPEC_AND_METADATA,
      }),
    ],
  }),
};

/** Objects of kube-apiserver are stored without the mode, because its gate drops the default before the write. */
function setPodGroupDefaults(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec !== undefined) spec['disruptionMode'] ??= DISRUPTION_MODE;
}

function preparePodGroupForCreate(object: JsonObject): void {
  clearStatus(object);
  const spec = objectAt(object, 'spec') ?? {};
  dropGatedFields(spec, undefined, []);
  spec['disruptionMode'] = DISRUPTION_MODE;
}

function preparePodGroupForUpdate(object: JsonObject, old: JsonObject): void {
  keepStatus(object, old);
  const spec = objectAt(object, 'spec') ?? {};
  dropGatedFields(spec, objectAt(old, 'spec'), []);
  spec['disruptionMode'] = DISRUPTION_MODE;
}

function preparePodGroupStatusForUpdate(object: JsonObject, old: JsonObject): void {
  keepAllButStatus(object, old);
  const status = objectAt(object, 'status');
  if (status !== undefined && fieldAt(old, 'spec', 'resourceClaims') === undefined)
    delete status['resourceClaimStatuses'];
}

function validatePodGroup(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  const template = objectAt(object, 'spec', 'podGroupTemplateRef');
  if (template !== undefined) addIssues(issues, validateTemplate(template, SPEC.child('podGroupTemplateRef')));
  const policy = objectAt(object, 'spec', 'schedulingPolicy') ?? {};
  addIssues(issues, validateSchedulingPolicy(policy, SPEC.child('schedulingPolicy')));
  return issues;
}

function validateTemplate(template: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateOneOf(template, ['workload'], path);
  const workload = objectAt(template, 'workload');
  if (workload === undefined) return issues;
  const at = path.child('workload');
  return [
    ...issues,
    ...validateRequiredText(workload, 'workloadName', checkDns1123Subdomain, at),
    ...validateRequiredText(workload, 'podGroupTemplateName', checkDns1123Label, at),
  ];
}

function validatePodGroupUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMetaUpdate(object, old),
    ...validateUnchanged(object, old, ['podGroupTemplateRef', 'schedulingPolicy', 'resourceClaims'], SPEC),
  ];
}

function validatePodGroupStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  addIssues(issues, validateConditions(objectsAt(object, 'status', 'conditions'), STATUS.child('conditions')));
  const claims = new Set(objectsAt(object, 'spec', 'resourceClaims').map((claim) => textAt(claim, 'name')));
  for (const [i, status] of objectsAt(object, 'status', 'resourceClaimStatuses').entries()) {
    const name = textAt(status, 'name');
    if (!claims.has(name))
      issues.push(
        invalid(
          STATUS.child('resourceClaimStatuses').index(i).child('name'),
          name,
          'must match the name of an entry in `spec.resourceClaims`',
        ),
      );
  }
  return issues;
}
