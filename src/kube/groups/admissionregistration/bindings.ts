/** Bindings of admission policies, and the status of a policy. Invariant: pure; the issues are the reference's, in its order. */
import { listAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  type LabelSelectorObject,
  validateLabelSelectorObject,
} from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkPathSegmentName } from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { validateConditions } from '../../shared/conditions.ts';
import { validateMatchResources, validateMutatingOperations } from './match.ts';
import { validateMeta } from './policies.ts';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const MISSING_PARAMETER_ACTIONS = ['Deny', 'Allow'];
const EITHER = 'name and selector are mutually exclusive';

export function validateValidatingBinding(binding: JsonObject): FieldIssue[] {
  const spec = objectAt(binding, 'spec') ?? {};
  return [...validateBinding(binding, spec), ...validateActions(spec, SPEC.child('validationActions'))];
}

export function validateMutatingBinding(binding: JsonObject): FieldIssue[] {
  const spec = objectAt(binding, 'spec') ?? {};
  const issues = validateBinding(binding, spec);
  const match = objectAt(spec, 'matchResources');
  if (match !== undefined) addIssues(issues, validateMutatingOperations(match, SPEC.child('matchResources')));
  return issues;
}

function validateBinding(binding: JsonObject, spec: JsonObject): FieldIssue[] {
  const issues = validateMeta(binding);
  const policy = textAt(spec, 'policyName');
  if (policy === '') issues.push(required(SPEC.child('policyName'), ''));
  else
    for (const complaint of nameIsDnsSubdomain(policy, false))
      issues.push(invalid(SPEC.child('policyName'), policy, complaint));
  const parameter = objectAt(spec, 'paramRef');
  if (parameter !== undefined) addIssues(issues, validateParamRef(parameter, SPEC.child('paramRef')));
  const match = objectAt(spec, 'matchResources');
  if (match !== undefined) addIssues(issues, validateMatchResources(match, SPEC.child('matchResources')));
  return issues;
}

function validateParamRef(reference: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const name = textAt(reference, 'name');
  const selector = objectAt(reference, 'selector') as LabelSelectorObject | undefined;
  if (name !== '') {
    for (const complaint of checkPathSegmentName(name)) issues.push(invalid(path.child('name'), name, complaint));
    if (selector !== undefined) issues.push(forbidden(path.child('name'), EITHER));
  }
  if (selector !== undefined) {
    addIssues(issues, validateLabelSelectorObject(selector, path.child('selector')));
    if (name !== '') issues.push(forbidden(path.child('selector'), EITHER));
  } else if (name === '') issues.push(required(path, 'one of name or selector must be specified'));
  const action = textAt(reference, 'parameterNotFoundAction');
  const actionPath = path.child('parameterNotFoundAction');
  if (action === '') issues.push(required(actionPath, ''));
  else if (!MISSING_PARAMETER_ACTIONS.includes(action))
    issues.push(declared(notSupported(actionPath, action, MISSING_PARAMETER_ACTIONS)));
  return issues;
}

function validateActions(spec: JsonObject, path: FieldPath): FieldIssue[] {
  const actions = textsAt(spec, 'validationActions');
  const issues: FieldIssue[] = [];
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) issues.push(declared(notSupported(path.index(i), action, ACTIONS)));
    if (seen.has(action)) issues.push(declared(duplicate(path.index(i), action)));
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn'))
    issues.push(
      invalid(
        path,
        [...actions],
        'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ),
    );
  if (listAt(spec, 'validationActions').length === 0)
    issues.push(required(path, 'at least one validation action is required'));
  return issues;
}

/** The status of a ValidatingAdmissionPolicy. */
export function validatePolicyStatus(policy: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const path = STATUS.child('typeChecking', 'expressionWarnings');
  for (const [i, warning] of objectsAt(policy, 'status', 'typeChecking', 'expressionWarnings').entries()) {
    if (textAt(warning, 'warning') === '') issues.push(required(path.index(i).child('warning'), ''));
    if (textAt(warning, 'fieldRef').trim() === '') issues.push(required(path.index(i).child('fieldRef'), ''));
  }
  addIssues(issues, validateConditions(objectsAt(policy, 'status', 'conditions'), STATUS.child('conditions')));
  return issues;
}
