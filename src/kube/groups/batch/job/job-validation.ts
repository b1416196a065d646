/** Validation of Jobs on create and update. `job-spec.ts` validates the spec, `job-status.ts` the status. */
import { fieldAt, flagAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { hasInvalidLabelValue } from '../../../../apimachinery/selectors/label-selector-object.ts';
import { declared, type FieldIssue, invalid, required } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Label } from '../../../../apimachinery/validation/name-syntax.ts';
import { FIELD_IMMUTABLE } from '../../../../apimachinery/validation/validate-object-meta.ts';
import { validateImmutableField } from '../../../../apimachinery/validation/validate-object-meta-update.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../../../base/json-value.ts';
import { metaFacts, specOf, takeField } from '../../../../server/resource/strategy-fields.ts';
import { invalidSelector, labelsAt, selectorAt, selectorMatches } from '../../../shared/label-selector.ts';
import { int32At } from '../../../shared/numbers.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { METADATA, SPEC, TEMPLATE, templateOf } from '../../../shared/workload-rules.ts';
import { podSpecGoValue, podTemplateGoValue } from '../../core/pod/spec/pod-go-value.ts';
import { jobConditionIs } from './job-conditions.ts';
import {
  CONTROLLER_UID_LABEL,
  JOB_NAME_LABEL,
  LEGACY_CONTROLLER_UID_LABEL,
  LEGACY_JOB_NAME_LABEL,
} from './job-labels.ts';
import { shownFailurePolicy, shownSuccessPolicy } from './job-policies.ts';
import { validateJobSpec } from './job-spec.ts';

export function validateJob(job: JsonObject): FieldIssue[] {
  return validateWith(job, validateJobSpec(specOf(job), SPEC, {}), true);
}

/** Reports issues of the spec twice, as kube-apiserver does: it validates the spec of an update twice. */
export function validateJobUpdate(job: JsonObject, old: JsonObject): FieldIssue[] {
  const allowInvalidValues = hasInvalidLabelValue(selectorAt(old, 'spec', 'selector'));
  const specIssues = validateJobSpec(specOf(job), SPEC, { old: specOf(old), allowInvalidValues });
  const oldLabels = labelsAt(templateOf(old), 'metadata', 'labels') ?? {};
  const hadLabels = Object.hasOwn(oldLabels, JOB_NAME_LABEL) && Object.hasOwn(oldLabels, CONTROLLER_UID_LABEL);
  return [
    ...validateWith(job, specIssues, hadLabels),
    ...validateMetaUpdate(job, old),
    ...specIssues,
    ...validateSpecUpdate(job, old),
  ];
}

function validateWith(job: JsonObject, specIssues: readonly FieldIssue[], needsLabels: boolean): FieldIssue[] {
  const issues = [
    ...validateKubeMeta(metaFacts(job), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
    ...validateGeneratedSelector(job, needsLabels),
    ...specIssues,
  ];
  const completions = int32At(job, 'spec', 'completions') ?? 0;
  if (textAt(job, 'spec', 'completionMode') !== 'Indexed' || completions <= 0) return issues;
  const name = textAt(job, 'metadata', 'name');
  const hostname = `${name}-${completions - 1}`;
  if (checkDns1123Label(hostname).length > 0)
    issues.push(
      invalid(METADATA.child('name'), name, `will not able to create pod with invalid DNS label: ${hostname}`),
    );
  return issues;
}

/** Unless spec.manualSelector is set, the template must have the labels that the server generates. */
function validateGeneratedSelector(job: JsonObject, needsLabels: boolean): FieldIssue[] {
  const selector = selectorAt(job, 'spec', 'selector');
  if (flagAt(job, 'spec', 'manualSelector') || selector === undefined) return [];
  const uid = textAt(job, 'metadata', 'uid');
  const name = textAt(job, 'metadata', 'name');
  const issues = uid === '' ? [required(METADATA.child('uid'), '')] : [];
  const expected: Record<string, string> = { [LEGACY_CONTROLLER_UID_LABEL]: uid, [LEGACY_JOB_NAME_LABEL]: name };
  if (needsLabels) Object.assign(expected, { [CONTROLLER_UID_LABEL]: uid, [JOB_NAME_LABEL]: name });
  const labels = objectAt(templateOf(job), 'metadata', 'labels') ?? {};
  for (const [key, value] of Object.entries(expected)) {
    const path = TEMPLATE.child('metadata', 'labels').key(key);
    if (!Object.hasOwn(labels, key)) issues.push(required(path, `must be '${value}'`));
    else if (labels[key] !== value) issues.push(invalid(path, labels, `must be '${value}'`));
  }
  if (selectorMatches(selector, expected) === false)
    issues.push(invalidSelector(selector, SPEC.child('selector'), '`selector` not auto-generated'));
  return issues;
}

function validateSpecUpdate(job: JsonObject, old: JsonObject): FieldIssue[] {
  const spec = specOf(job);
  const oldSpec = specOf(old);
  const fixed = (name: string, shown: (from: JsonObject) => JsonValue = (from) => fieldAt(from, name) ?? null) =>
    validateImmutableField(shown(spec), shown(oldSpec), SPEC.child(name)).map(declared);
  return [
    ...validateCompletions(spec, oldSpec),
    ...fixed('selector'),
    ...validateTemplateUpdate(job, old),
    ...fixed('completionMode'),
    ...fixed('podFailurePolicy', shownFailurePolicy),
    ...fixed('backoffLimitPerIndex'),
    ...fixed('managedBy'),
    ...fixed('successPolicy', shownSuccessPolicy),
  ];
}

/** An Indexed Job may change completions together with parallelism; other Jobs may not change completions. */
function validateCompletions(spec: JsonObject, old: JsonObject): FieldIssue[] {
  const path = SPEC.child('completions');
  const completions = int32At(spec, 'completions');
  const before = int32At(old, 'completions');
  if (textAt(spec, 'completionMode') !== 'Indexed')
    return validateImmutableField(completions ?? null, before ?? null, path);
  if (completions === undefined || completions === before || completions === int32At(spec, 'parallelism')) return [];
  return [invalid(path, completions, 'can only be modified in tandem with spec.parallelism')];
}

/**
 * The template is immutable, except while the Job is suspended and has no pods: then the scheduling directives (node
 * selector, node affinity, tolerations, scheduling gates) and the resources of containers may change.
 */
function validateTemplateUpdate(job: JsonObject, old: JsonObject): FieldIssue[] {
  const template = templateOf(job);
  const oldTemplate = templateOf(old);
  if (!hasMutableTemplate(old))
    return equalJson(template, oldTemplate) ? [] : [immutable(TEMPLATE, podTemplateGoValue(template))];
  const next = objectAt(template, 'spec') ?? {};
  const before = { ...(objectAt(oldTemplate, 'spec') ?? {}) };
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates']) takeField(before, next, name);
  const affinity = comparableAffinity(objectAt(next, 'affinity'), objectAt(before, 'affinity'));
  if (affinity === undefined) delete before['affinity'];
  else before['affinity'] = affinity;
  for (const list of ['containers', 'initContainers']) takeResources(before, next, list);
  return equalJson(next, before) ? [] : [immutable(TEMPLATE.child('spec'), podSpecGoValue(next))];
}

function immutable(path: FieldPath, shown: JsonObject): FieldIssue {
  return declared(invalid(path, shown, FIELD_IMMUTABLE));
}

/**
 * Reports whether the Job is suspended and has no active pods, and was never started or has the Suspended condition.
 */
function hasMutableTemplate(job: JsonObject): boolean {
  if (!flagAt(job, 'spec', 'suspend') || (int32At(job, 'status', 'active') ?? 0) !== 0) return false;
  return textAt(job, 'status', 'startTime') === '' || jobConditionIs(job, 'Suspended', 'True');
}

/** Returns the stored affinity with the node affinity of the new one. */
function comparableAffinity(next: JsonObject | undefined, before: JsonObject | undefined): JsonObject | undefined {
  if (next === undefined && before === undefined) return undefined;
  const { nodeAffinity: _before, ...rest } = before ?? {};
  if (next === undefined) return Object.keys(rest).length === 0 ? undefined : rest;
  const nodes = objectAt(next, 'nodeAffinity');
  return nodes === undefined ? rest : { ...rest, nodeAffinity: nodes };
}

function takeResources(spec: JsonObject, from: JsonObject, list: string): void {
  const before = objectsAt(spec, list);
  const next = objectsAt(from, list);
  if (before.length === 0 || before.length !== next.length) return;
  spec[list] = before.map((container, i) => {
    const other = next[i] as JsonObject;
    if (!equalJson(container['name'] ?? '', other['name'] ?? '')) return container;
    const copy = { ...container };
    takeField(copy, other, 'resources');
    return copy;
  });
}
