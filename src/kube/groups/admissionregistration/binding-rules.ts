/** Rules that the bindings of validating and mutating policies share: defaults, columns and validation. */
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  type LabelSelectorObject,
  validateLabelSelectorObject,
} from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  type FieldIssue,
  forbidden,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkPathSegmentName } from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { validateChoice } from '../../shared/choices.ts';
import { setMatchResourcesDefaults } from './match-defaults.ts';
import { validateMeta } from './policy-rules.ts';
import { validateMatchResources } from './validate-match.ts';

const SPEC = FieldPath.of('spec');
const MISSING_PARAMETER_ACTIONS = ['Deny', 'Allow'];
const EITHER = 'name and selector are mutually exclusive';

export const policyBindingTable: () => TableDefinition = tableOf(
  NAME,
  column('PolicyName', 'The policy that it binds.', (object) => textAt(object, 'spec', 'policyName')),
  column('ParamRef', 'The parameters.', paramText),
  AGE,
);

function paramText(binding: JsonObject): string {
  const reference = objectAt(binding, 'spec', 'paramRef');
  if (reference === undefined) return '<unset>';
  const name = textAt(reference, 'name');
  if (name !== '') return `${textAt(reference, 'namespace') || '*'}/${name}`;
  const selector = objectAt(reference, 'selector');
  return selector === undefined ? '<unset>' : goSelectorText(selector);
}

/** Returns a label selector as Go prints the struct. */
function goSelectorText(selector: JsonObject): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels') ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${String(value)},`)
    .join('');
  const expressions = objectsAt(selector, 'matchExpressions')
    .map((one) => {
      const values = Array.isArray(one['values']) ? one['values'].map(String).join(' ') : '';
      return `LabelSelectorRequirement{Key:${textAt(one, 'key')},Operator:${textAt(one, 'operator')},Values:[${values}],},`;
    })
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

export function setBindingDefaults(binding: JsonObject): void {
  setMatchResourcesDefaults(objectAt(binding, 'spec', 'matchResources'));
}

/** Validates the fields that both kinds have. */
export function validateBinding(binding: JsonObject, spec: JsonObject): FieldIssue[] {
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
  validateChoice(reference, 'parameterNotFoundAction', MISSING_PARAMETER_ACTIONS, path, issues);
  return issues;
}
