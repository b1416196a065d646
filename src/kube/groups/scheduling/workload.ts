/** The kind Workload: templates of pod groups. Its spec is immutable. */
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  required,
  tooMany,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
} from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { dropGatedFields, validateRequiredText, validateSchedulingPolicy, validateUnchanged } from './gang-policy.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const MAX_TEMPLATES = 8;

const workloadTable: () => TableDefinition = tableOf(NAME, AGE);

export const WORKLOAD: KubeResource = {
  definition: storedResource({
    plural: 'workloads',
    scope: 'Namespaced',
    versions: [
      builtInVersion({ group: 'scheduling.k8s.io', version: 'v1alpha2', kind: 'Workload', table: workloadTable }),
    ],
    strategy: strategyWithDefaults({
      prepareForCreate: prepareWorkloadForCreate,
      validate: validateWorkload,
      prepareForUpdate: prepareWorkloadForUpdate,
      validateUpdate: validateWorkloadUpdate,
    }),
  }),
};

function prepareWorkloadForCreate(object: JsonObject): void {
  prepareWorkloadForUpdate(object, {});
}

function prepareWorkloadForUpdate(object: JsonObject, old: JsonObject): void {
  const stored = objectsAt(old, 'spec', 'podGroupTemplates');
  for (const [i, template] of objectsAt(object, 'spec', 'podGroupTemplates').entries())
    dropGatedFields(template, stored[i], ['schedulingConstraints']);
}

function validateWorkload(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  const controller = objectAt(object, 'spec', 'controllerRef');
  if (controller !== undefined) addIssues(issues, validateController(controller, SPEC.child('controllerRef')));
  addIssues(issues, validateTemplates(objectsAt(object, 'spec', 'podGroupTemplates'), SPEC.child('podGroupTemplates')));
  return issues;
}

function validateController(controller: JsonObject, path: FieldPath): FieldIssue[] {
  const group = textAt(controller, 'apiGroup');
  const issues: FieldIssue[] =
    group === ''
      ? []
      : checkDns1123Subdomain(group).map((complaint) => invalid(path.child('apiGroup'), group, complaint));
  for (const name of ['kind', 'name'])
    addIssues(issues, validateRequiredText(controller, name, checkPathSegmentName, path));
  return issues;
}

function validateTemplates(templates: readonly JsonObject[], path: FieldPath): FieldIssue[] {
  if (templates.length === 0) return [required(path, '')];
  if (templates.length > MAX_TEMPLATES) return [tooMany(path, templates.length, MAX_TEMPLATES)];
  const issues: FieldIssue[] = [];
  const names = new Set<string>();
  for (const [i, template] of templates.entries()) {
    const name = textAt(template, 'name');
    if (names.has(name)) issues.push(declared(duplicate(path.index(i), template)));
    names.add(name);
  }
  for (const [i, template] of templates.entries()) {
    const at = path.index(i);
    addIssues(issues, validateRequiredText(template, 'name', checkDns1123Label, at));
    const policy = objectAt(template, 'schedulingPolicy') ?? {};
    addIssues(issues, validateSchedulingPolicy(policy, at.child('schedulingPolicy')));
  }
  return issues;
}

function validateWorkloadUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMetaUpdate(object, old),
    ...validateUnchanged(object, old, ['controllerRef', 'podGroupTemplates'], SPEC),
  ];
}
