/**
 * Validation of the field and label selectors of access reviews. RBAC does not evaluate selectors, so this only checks
 * whether they are well formed and reports those that an authorizer cannot use.
 */
import { listAt, objectAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { parseFieldSelector } from '../../../apimachinery/selectors/field-selector.ts';
import { validateLabelExpression } from '../../../apimachinery/selectors/label-selector-object.ts';
import { parseLabelSelector } from '../../../apimachinery/selectors/label-selector-parse.ts';
import {
  addIssues,
  type FieldIssue,
  forbidden,
  invalid,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

type SelectorName = 'fieldSelector' | 'labelSelector';

const RESOURCE_ATTRIBUTES = FieldPath.of('spec.resourceAttributes');
const KNOWN_OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

export function validateSelectors(attributes: JsonObject): FieldIssue[] {
  return [...validateSelector(attributes, 'fieldSelector'), ...validateSelector(attributes, 'labelSelector')];
}

function validateSelector(attributes: JsonObject, name: SelectorName): FieldIssue[] {
  const selector = objectAt(attributes, name);
  if (selector === undefined) return [];
  const path = RESOURCE_ATTRIBUTES.child(name);
  const raw = textAt(selector, 'rawSelector');
  const requirements = requirementsOf(selector);
  const issues: FieldIssue[] = [];
  if (raw !== '' && requirements.length > 0)
    issues.push(invalid(path.child('rawSelector'), raw, 'may not specified at the same time as requirements'));
  if (raw === '' && requirements.length === 0)
    issues.push(
      required(path.child('requirements'), `when ${path} is specified, requirements or rawSelector is required`),
    );
  requirements.forEach((requirement, i) => {
    const at = path.child('requirements').index(i);
    addIssues(
      issues,
      name === 'fieldSelector'
        ? validateFieldRequirement(requirement, at)
        : validateLabelExpression(requirement, at, { allowUnknownOperator: true }),
    );
  });
  return issues;
}

function validateFieldRequirement({ key, operator, values }: Requirement, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (key === '') issues.push(required(path.child('key'), 'must be specified'));
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    issues.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    issues.push(forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  return issues;
}

/** Returns one message for every selector that is ignored in part or whole, for `status.evaluationError`. */
export function selectorProblems(attributes: JsonObject | undefined): readonly string[] {
  if (attributes === undefined) return [];
  const problems: string[] = [];
  for (const name of ['fieldSelector', 'labelSelector'] as const) {
    const outcome = selectorOutcome(objectAt(attributes, name), name);
    if (outcome !== 'fine')
      problems.push(
        `spec.resourceAttributes.${name} ${outcome === 'partial' ? 'partially ' : ''}ignored due to parse error`,
      );
  }
  return problems;
}

function selectorOutcome(selector: JsonObject | undefined, name: SelectorName): 'fine' | 'partial' | 'ignored' {
  if (selector === undefined) return 'fine';
  const requirements = requirementsOf(selector);
  if (requirements.length === 0) {
    const raw = textAt(selector, 'rawSelector');
    const parsed = name === 'fieldSelector' ? parseFieldSelector(raw) : parseLabelSelector(raw);
    return parsed.ok ? 'fine' : 'ignored';
  }
  const usable = requirements.filter(name === 'fieldSelector' ? isUsableField : isUsableLabel).length;
  if (usable === requirements.length) return 'fine';
  return usable > 0 ? 'partial' : 'ignored';
}

/** Field selectors support only equality. */
function isUsableField({ operator, values }: Requirement): boolean {
  return (operator === 'In' || operator === 'NotIn') && values.length === 1;
}

function isUsableLabel({ operator }: Requirement): boolean {
  return KNOWN_OPERATORS.has(operator);
}

function requirementsOf(selector: JsonObject): readonly Requirement[] {
  return listAt(selector, 'requirements')
    .filter(isJsonObject)
    .map((requirement) => ({
      key: textAt(requirement, 'key'),
      operator: textAt(requirement, 'operator'),
      values: textsAt(requirement, 'values'),
    }));
}
