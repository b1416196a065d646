/**
 * The LabelSelector object of specs (`matchLabels`, `matchExpressions`): validation and conversion. An absent object
 * selects nothing, an empty one everything.
 */

import { quote } from '../go-format.ts';
import { declared, type FieldIssue, forbidden, formatIssues, invalid, required } from '../validation/field-issue.ts';
import { childPath, type FieldPath } from '../validation/field-path.ts';
import { checkLabelValue, validateLabelName, validateLabels } from '../validation/label-syntax.ts';
import {
  EVERYTHING,
  formatLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  labelSelectorOf,
  NOTHING,
  validateRequirement,
} from './label-selector.ts';
import type { LabelSelectorResult } from './label-selector-parse.ts';

export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly LabelExpression[] | undefined;
}

export interface LabelExpression {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. Validation reports any other value. */
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

export interface LabelSelectorRules {
  /** For objects that were stored before values were checked. Default false. */
  readonly allowInvalidValues?: boolean;
  /** For access reviews, which allow operators that this server does not know. Default false. */
  readonly allowUnknownOperator?: boolean;
}

/** The issues of a selector; none if it is undefined. */
export function validateLabelSelectorObject(
  selector: LabelSelectorObject | undefined,
  path: FieldPath | undefined,
  rules: LabelSelectorRules = {},
): FieldIssue[] {
  if (selector === undefined) return [];
  const issues = validateLabels(selector.matchLabels, childPath(path, 'matchLabels'));
  const expressions = childPath(path, 'matchExpressions');
  (selector.matchExpressions ?? []).forEach((expression, i) => {
    issues.push(...validateLabelExpression(expression, expressions.index(i), rules));
  });
  return issues;
}

/** The issues of one expression. */
export function validateLabelExpression(
  expression: LabelExpression,
  path: FieldPath | undefined,
  rules: LabelSelectorRules = {},
): FieldIssue[] {
  const { key, operator, values = [] } = expression;
  const issues: FieldIssue[] = [];
  const valuesPath = childPath(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) issues.push(required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      issues.push(forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (rules.allowUnknownOperator !== true) {
    issues.push(declared(invalid(childPath(path, 'operator'), operator, 'not a valid selector operator')));
  }
  issues.push(...validateLabelName(key, childPath(path, 'key')));
  if (rules.allowInvalidValues === true) return issues;
  values.forEach((value, i) => {
    for (const complaint of checkLabelValue(value)) issues.push(invalid(valuesPath.index(i), value, complaint));
  });
  return issues;
}

/** Whether an expression has a value that the current rules refuse. A stored object may keep it. */
export function hasInvalidLabelValue(selector: LabelSelectorObject | undefined): boolean {
  return (selector?.matchExpressions ?? []).some(({ values = [] }) =>
    values.some((value) => checkLabelValue(value).length > 0),
  );
}

/** Converts an object to a selector. Fails with the message of the first invalid requirement. */
export function labelSelectorFromObject(object: LabelSelectorObject | undefined): LabelSelectorResult {
  if (object === undefined) return { ok: true, selector: NOTHING };
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(object.matchLabels ?? {})) {
    requirements.push({ key, operator: '=', values: [value] });
  }
  for (const { key, operator, values = [] } of object.matchExpressions ?? []) {
    const known = OPERATORS.get(operator);
    if (known === undefined)
      return firstIssue(requirements) ?? bad(`${quote(operator)} is not a valid label selector operator`);
    requirements.push({ key, operator: known, values });
  }
  const selector = requirements.length === 0 ? EVERYTHING : labelSelectorOf(requirements);
  return firstIssue(requirements) ?? { ok: true, selector };
}

function firstIssue(requirements: readonly LabelRequirement[]): LabelSelectorResult | undefined {
  for (const requirement of requirements) {
    const issues = validateRequirement(requirement);
    if (issues.length > 0) return bad(formatIssues(issues));
  }
  return undefined;
}

function bad(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

/** The text of an object's selector for tables: `<none>` if it is empty, `<error>` if it is invalid. */
export function formatLabelSelectorObject(object: LabelSelectorObject | undefined): string {
  const converted = labelSelectorFromObject(object);
  if (!converted.ok) return '<error>';
  const text = formatLabelSelector(converted.selector);
  return text === '' ? '<none>' : text;
}
