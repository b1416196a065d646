/** Validation of the spec of Jobs and of the job template of CronJobs. */
import { fieldAt, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { validateLabelSelectorObject } from '../../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { validateDomainPrefixedPath } from '../../../../apimachinery/validation/label-syntax.ts';
import { isLongerThan } from '../../../../apimachinery/validation/text-rules.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { labelsAt, labelsDoNotMatch, selectorAt, selectorMatches } from '../../../shared/label-selector.ts';
import { int32At, validateNonnegativeFields } from '../../../shared/numbers.ts';
import { validatePodTemplateSpec } from '../../core/pod/pod-template-spec.ts';
import { shownSuccessPolicy, validateFailurePolicy, validateSuccessPolicy } from './job-policies.ts';

const MAX_INDEXED = 100_000;
/** Above this number of completions, Jobs with backoffLimitPerIndex have the lower limit MAX_OF_MANY. */
const MANY_COMPLETIONS = 100_000;
const MAX_OF_MANY = 10_000;
const MAX_MANAGED_BY_BYTES = 63;

const COUNTERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

export interface JobSpecContext {
  /** The stored spec; undefined on create. An update may keep values that were valid when they were stored. */
  readonly old?: JsonObject | undefined;
  /** Accepts invalid label values in the selector. Default false. */
  readonly allowInvalidValues?: boolean;
}

export function validateJobSpec(spec: JsonObject, path: FieldPath, context: JobSpecContext): FieldIssue[] {
  const issues = validateJobSpecParts(spec, path, context.old);
  const selector = selectorAt(spec, 'selector');
  if (selector === undefined) issues.push(required(path.child('selector'), ''));
  const { allowInvalidValues = false } = context;
  addIssues(issues, validateLabelSelectorObject(selector, path.child('selector'), { allowInvalidValues }));
  const labels = labelsAt(spec, 'template', 'metadata', 'labels');
  if (selectorMatches(selector, labels) === false) issues.push(labelsDoNotMatch(labels, path.child('template')));
  return issues;
}

/** Validates the job template of a CronJob. It must not have a selector: the server generates one for each Job. */
export function validateJobTemplate(template: JsonObject, path: FieldPath, old: JsonObject | undefined): FieldIssue[] {
  const spec = objectAt(template, 'spec') ?? {};
  const at = path.child('spec');
  const issues = validateJobSpecParts(spec, at, old === undefined ? undefined : (objectAt(old, 'spec') ?? {}));
  const selector = objectAt(spec, 'selector');
  if (selector !== undefined)
    issues.push(declared(invalid(at.child('selector'), selector, '`selector` will be auto-generated')));
  if (fieldAt(spec, 'manualSelector') === true)
    issues.push(declared(notSupported(at.child('manualSelector'), true, ['nil', 'false'])));
  return issues;
}

function validateJobSpecParts(spec: JsonObject, path: FieldPath, old: JsonObject | undefined): FieldIssue[] {
  const issues = validateNonnegativeFields(spec, COUNTERS, path);
  const isSet = (name: string): boolean => fieldAt(spec, name) !== undefined;
  if (isSet('maxFailedIndexes') && !isSet('backoffLimitPerIndex'))
    issues.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  issues.push(...validateManagedBy(fieldAt(spec, 'managedBy'), path.child('managedBy')));
  issues.push(...validateCompletionMode(spec, path));
  const failurePolicy = objectAt(spec, 'podFailurePolicy');
  if (failurePolicy !== undefined)
    addIssues(issues, validateFailurePolicy(spec, failurePolicy, path.child('podFailurePolicy')));
  const successPolicy = objectAt(spec, 'successPolicy');
  if (successPolicy !== undefined) {
    const at = path.child('successPolicy');
    // An Indexed Job without completions already has an issue; its success policy cannot be validated.
    const completions = int32At(spec, 'completions');
    if (textAt(spec, 'completionMode') === 'Indexed') {
      if (completions !== undefined) addIssues(issues, validateSuccessPolicy(successPolicy, completions, at));
    } else issues.push(declared(invalid(at, shownSuccessPolicy(spec), 'requires indexed completion mode')));
  }
  issues.push(...validateReplacementPolicy(spec, path.child('podReplacementPolicy')));
  const oldTemplate = old === undefined ? undefined : (objectAt(old, 'template') ?? {});
  const template = objectAt(spec, 'template') ?? {};
  addIssues(issues, validatePodTemplateSpec(template, path.child('template'), { old: oldTemplate }));
  return [...issues, ...validateRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy'))];
}

function validateManagedBy(value: ReturnType<typeof fieldAt>, path: FieldPath): FieldIssue[] {
  if (typeof value !== 'string') return [];
  const issues = validateDomainPrefixedPath(value, path);
  if (isLongerThan(value, MAX_MANAGED_BY_BYTES)) issues.push(tooLong(path, undefined, MAX_MANAGED_BY_BYTES));
  return issues;
}

function validateCompletionMode(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const mode = fieldAt(spec, 'completionMode') ?? 'NonIndexed';
  if (mode === 'Indexed') return validateIndexed(spec, path);
  if (mode !== 'NonIndexed')
    return [declared(notSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed']))];
  return ['backoffLimitPerIndex', 'maxFailedIndexes'].flatMap((name) => {
    const value = int32At(spec, name);
    return value === undefined ? [] : [invalid(path.child(name), value, 'requires indexed completion mode')];
  });
}

function validateIndexed(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const completions = int32At(spec, 'completions');
  const maxFailed = int32At(spec, 'maxFailedIndexes');
  const atMost = (name: string, limit: number, more = ''): void => {
    const value = int32At(spec, name);
    if (value !== undefined && value > limit)
      issues.push(invalid(path.child(name), value, `must be less than or equal to ${limit}${more}`));
  };
  if (completions === undefined) issues.push(required(path.child('completions'), 'when completion mode is Indexed'));
  atMost('parallelism', MAX_INDEXED, ' when completion mode is Indexed');
  if (completions !== undefined && maxFailed !== undefined && maxFailed > completions)
    issues.push(invalid(path.child('maxFailedIndexes'), maxFailed, 'must be less than or equal to completions'));
  atMost('maxFailedIndexes', MAX_INDEXED);
  if ((completions ?? 0) <= MANY_COMPLETIONS || fieldAt(spec, 'backoffLimitPerIndex') === undefined) return issues;
  if (maxFailed === undefined)
    issues.push(
      required(path.child('maxFailedIndexes'), `must be specified when completions is above ${MANY_COMPLETIONS}`),
    );
  const more = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  atMost('parallelism', MAX_OF_MANY, more);
  atMost('maxFailedIndexes', MAX_OF_MANY, more);
  return issues;
}

function validateReplacementPolicy(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const policy = fieldAt(spec, 'podReplacementPolicy');
  if (policy === undefined) return [];
  const allowed = objectAt(spec, 'podFailurePolicy') === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return allowed.includes(String(policy)) ? [] : [declared(notSupported(path, policy, allowed))];
}

/** Pods of a Job must end, so the default restart policy Always is not allowed. */
function validateRestartPolicy(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const policy = textAt(spec, 'template', 'spec', 'restartPolicy');
  if (policy === '' || policy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never')
    return [declared(notSupported(path, policy, ['OnFailure', 'Never']))];
  if (policy === 'Never' || objectAt(spec, 'podFailurePolicy') === undefined) return [];
  return [declared(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'))];
}
