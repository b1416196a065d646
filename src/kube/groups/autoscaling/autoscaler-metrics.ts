/** Validation of the metrics of a HorizontalPodAutoscaler and of the objects they refer to. */
import { parseGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { fieldAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { quantitySign } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { parseQuantity } from '../../../apimachinery/scalars/quantity-parse.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkDns1123Label, checkPathSegmentName } from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { int32At } from '../../shared/numbers.ts';
import { validateContainerResourceName } from '../../shared/validate-resources.ts';

export interface ReferenceRules {
  /** Skips the validation of apiVersion. */
  readonly anyVersion: boolean;
  /** Accepts a reference to the core group. */
  readonly coreGroup: boolean;
}

type ValidateSource = (source: JsonObject, path: FieldPath, rules: ReferenceRules) => FieldIssue[];

/** The sources of a metric with their types, in the order in which they are validated. */
const SOURCES: readonly { readonly name: string; readonly type: string; readonly validate: ValidateSource }[] = [
  { name: 'object', type: 'Object', validate: validateObjectSource },
  { name: 'external', type: 'External', validate: validateExternalSource },
  { name: 'pods', type: 'Pods', validate: validatePodsSource },
  { name: 'resource', type: 'Resource', validate: validateResourceSource },
  { name: 'containerResource', type: 'ContainerResource', validate: validateContainerSource },
];
const TYPES: readonly string[] = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];

export function validateMetrics(
  metrics: readonly JsonObject[],
  path: FieldPath,
  minReplicas: number | undefined,
  rules: ReferenceRules,
): FieldIssue[] {
  const issues = metrics.flatMap((metric, i) => validateMetric(metric, path.index(i), rules));
  const scalesFromZero = metrics.some((metric) => ['Object', 'External'].includes(textAt(metric, 'type')));
  if (minReplicas === 0 && !scalesFromZero)
    issues.push(
      forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'),
    );
  return issues;
}

/** Validates a CrossVersionObjectReference. */
export function validateReference(reference: JsonObject, path: FieldPath, rules: ReferenceRules): FieldIssue[] {
  const issues = ['kind', 'name'].flatMap((name) => validateSegment(textAt(reference, name), path.child(name), ''));
  const problem = referenceVersionProblem(reference, rules);
  if (problem !== undefined) issues.push(invalid(path.child('apiVersion'), textAt(reference, 'apiVersion'), problem));
  return issues;
}

/** Returns the message for an invalid apiVersion of a reference, or undefined. */
export function referenceVersionProblem(reference: JsonObject, rules: ReferenceRules): string | undefined {
  if (rules.anyVersion) return undefined;
  const parsed = parseGroupVersion(textAt(reference, 'apiVersion'));
  if (!parsed.ok) return parsed.message;
  return parsed.value.group === '' && !rules.coreGroup ? 'apiVersion must specify API group' : undefined;
}

function validateSegment(text: string, path: FieldPath, absent: string): FieldIssue[] {
  if (text === '') return [required(path, absent)];
  return checkPathSegmentName(text).map((complaint) => invalid(path, text, complaint));
}

function validateMetric(metric: JsonObject, path: FieldPath, rules: ReferenceRules): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const type = textAt(metric, 'type');
  const isKnown = TYPES.includes(type);
  if (type === '') issues.push(required(path.child('type'), 'must specify a metric source type'));
  if (!isKnown) issues.push(declared(notSupported(path.child('type'), type, TYPES)));
  const present = SOURCES.filter(({ name }) => objectAt(metric, name) !== undefined);
  const [first] = present;
  if (first !== undefined)
    addIssues(issues, first.validate(objectAt(metric, first.name) ?? {}, path.child(first.name), rules));
  const expected = SOURCES.find((source) => source.type === type);
  if (expected === undefined) issues.push(declared(notSupported(path.child('type'), type, TYPES)));
  else if (!present.includes(expected))
    issues.push(required(path.child(expected.name), 'must populate information for the given metric source'));
  if (present.length !== 1)
    for (const { name } of present)
      if (name !== expected?.name)
        issues.push(forbidden(path.child(name), 'must populate the given metric source only'));
  return issues;
}

function validateObjectSource(source: JsonObject, path: FieldPath, rules: ReferenceRules): FieldIssue[] {
  const issues = [
    ...validateReference(objectAt(source, 'describedObject') ?? {}, path.child('describedObject'), rules),
    ...validateNamedTarget(source, path),
  ];
  if (!hasTarget(source, 'value') && !hasTarget(source, 'averageValue'))
    issues.push(required(path.child('target', 'averageValue'), 'must set either a target value or averageValue'));
  return issues;
}

function validateExternalSource(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateNamedTarget(source, path);
  const hasValue = hasTarget(source, 'value');
  const hasAverage = hasTarget(source, 'averageValue');
  if (!hasValue && !hasAverage)
    issues.push(
      required(path.child('target', 'averageValue'), 'must set either a target value for metric or a per-pod target'),
    );
  if (hasValue && hasAverage)
    issues.push(
      forbidden(path.child('target', 'value'), 'may not set both a target value for metric and a per-pod target'),
    );
  return issues;
}

function validatePodsSource(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateNamedTarget(source, path);
  if (!hasTarget(source, 'averageValue'))
    issues.push(required(path.child('target', 'averageValue'), 'must specify a positive target averageValue'));
  return issues;
}

function validateResourceSource(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = textAt(source, 'name') === '' ? [required(path.child('name'), 'must specify a resource name')] : [];
  return [...issues, ...validateUse(source, path)];
}

function validateContainerSource(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const name = textAt(source, 'name');
  if (name === '') issues.push(required(path.child('name'), 'must specify a resource name'));
  else issues.push(...validateContainerResourceName(name, path.child('name')));
  const container = textAt(source, 'container');
  if (container === '') issues.push(required(path.child('container'), 'must specify a container'));
  for (const complaint of container === '' ? [] : checkDns1123Label(container))
    issues.push(invalid(path.child('container'), container, complaint));
  return [...issues, ...validateUse(source, path)];
}

/** Validates the target of a resource metric: exactly one of averageValue and averageUtilization. */
function validateUse(source: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateTarget(objectAt(source, 'target') ?? {}, path.child('target'));
  const hasUse = hasTarget(source, 'averageUtilization');
  const hasAmount = hasTarget(source, 'averageValue');
  if (!hasUse && !hasAmount)
    issues.push(
      required(
        path.child('target', 'averageUtilization'),
        'must set either a target raw value or a target utilization',
      ),
    );
  if (hasUse && hasAmount)
    issues.push(
      forbidden(path.child('target', 'averageValue'), 'may not set both a target raw value and a target utilization'),
    );
  return issues;
}

function validateNamedTarget(source: JsonObject, path: FieldPath): FieldIssue[] {
  return [
    ...validateSegment(textAt(source, 'metric', 'name'), path.child('metric', 'name'), 'must specify a metric name'),
    ...validateTarget(objectAt(source, 'target') ?? {}, path.child('target')),
  ];
}

function validateTarget(target: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const type = textAt(target, 'type');
  if (type === '') issues.push(required(path.child('type'), 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type))
    issues.push(declared(invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue')));
  for (const name of ['value', 'averageValue']) {
    const amount = fieldAt(target, name);
    const parsed = amount === undefined ? undefined : parseQuantity(String(amount));
    if (amount !== undefined && parsed?.ok === true && quantitySign(parsed.value) !== 1)
      issues.push(declared(invalid(path.child(name), amount, 'must be positive')));
  }
  const use = int32At(target, 'averageUtilization');
  if (use !== undefined && use < 1)
    issues.push(invalid(path.child('averageUtilization'), use, 'must be greater than 0'));
  return issues;
}

function hasTarget(source: JsonObject, name: string): boolean {
  return fieldAt(source, 'target', name) !== undefined;
}
