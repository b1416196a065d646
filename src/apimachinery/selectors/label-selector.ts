/**
 * Label selectors: requirements that must all hold. A selector is immutable. Requirements are ordered by key, so parsed
 * selectors that are equal print equally. `label-selector-match` compiles a selector for many objects.
 */

import { compareUtf8 } from '../../base/utf8.ts';
import { declared, type FieldIssue, invalid, notSupported } from '../validation/field-issue.ts';
import { childPath, type FieldPath } from '../validation/field-path.ts';
import { checkLabelValue, checkQualifiedName } from '../validation/label-syntax.ts';

export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

/** In the order of messages. The first seven have values. */
export const LABEL_OPERATORS: readonly LabelOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt', 'exists', '!'];

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** In the given order. Parsed values are sorted and unique. */
  readonly values: readonly string[];
}

export interface LabelSelector {
  /** True for the selector that matches no object. It has no requirements and prints as ''. */
  readonly matchesNothing: boolean;
  readonly requirements: readonly LabelRequirement[];
}

/** Matches every object, also one without labels. */
export const EVERYTHING: LabelSelector = { matchesNothing: false, requirements: [] };

/** Matches no object: the meaning of an absent LabelSelector object. */
export const NOTHING: LabelSelector = { matchesNothing: true, requirements: [] };

/** The value of a label; undefined if the object does not have it. */
export type LabelLookup = (key: string) => string | undefined;

/** The issues of a requirement; none if it is valid. `path` is its place in an object, if it is part of one. */
export function validateRequirement(requirement: LabelRequirement, path?: FieldPath): FieldIssue[] {
  const { key, operator, values } = requirement;
  const issues: FieldIssue[] = [];
  const keyIssue = labelKeyIssue(key, childPath(path, 'key'));
  if (keyIssue !== undefined) issues.push(keyIssue);
  issues.push(...operandIssues(operator, values, path));
  const valuesPath = childPath(path, 'values');
  values.forEach((value, i) => {
    const complaints = checkLabelValue(value);
    if (complaints.length > 0) issues.push(invalid(valuesPath.index(i).key(key), value, complaints.join('; ')));
  });
  return issues;
}

/** One issue with all problems of a key. */
export function labelKeyIssue(key: string, path: FieldPath | undefined): FieldIssue | undefined {
  const complaints = checkQualifiedName(key);
  return complaints.length === 0 ? undefined : invalid(path, key, complaints.join('; '));
}

function operandIssues(operator: LabelOperator, values: readonly string[], path: FieldPath | undefined): FieldIssue[] {
  const valuesPath = childPath(path, 'values');
  // The reference has nil for an empty list in requirements made from objects, and prints it.
  const shown = values.length === 0 ? null : [...values];
  const wrongCount = (detail: string): FieldIssue => invalid(valuesPath, shown, detail);
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length === 0 ? [wrongCount("for 'in', 'notin' operators, values set can't be empty")] : [];
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? [] : [wrongCount('exact-match compatibility requires one single value')];
    case 'exists':
    case '!':
      return values.length === 0 ? [] : [wrongCount('values set must be empty for exists and does not exist')];
    case 'gt':
    case 'lt': {
      const issues = values.length === 1 ? [] : [wrongCount("for 'Gt', 'Lt' operators, exactly one value is required")];
      values.forEach((value, i) => {
        if (parseInt64(value) === undefined)
          issues.push(invalid(valuesPath.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
      });
      return issues;
    }
    default:
      return [declared(notSupported(childPath(path, 'operator'), operator, LABEL_OPERATORS))];
  }
}

const INT64_MAX = 2n ** 63n - 1n;

/** Parses a decimal int64. Signs and leading zeros are allowed. Undefined for any other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const negative = text.startsWith('-');
  const digits = text.replace(/^[+-]?0*/, '');
  if (digits.length > 19) return undefined;
  const magnitude = BigInt(digits === '' ? '0' : digits);
  if (magnitude > (negative ? INT64_MAX + 1n : INT64_MAX)) return undefined;
  return negative ? -magnitude : magnitude;
}

/** A selector of valid requirements, which are sorted by key. */
export function labelSelectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  if (requirements.length === 0) return EVERYTHING;
  return { matchesNothing: false, requirements: requirements.toSorted((a, b) => compareUtf8(a.key, b.key)) };
}

/** A selector that requires every given label; EVERYTHING if there are none. Nothing is validated. */
export function labelSelectorOfLabels(labels: Readonly<Record<string, string>>): LabelSelector {
  return labelSelectorOf(Object.keys(labels).map((key) => ({ key, operator: '=', values: [labels[key] as string] })));
}

/** Whether the selector matches every object. */
export function isEverything(selector: LabelSelector): boolean {
  return !selector.matchesNothing && selector.requirements.length === 0;
}

/** The text of a selector, '' for EVERYTHING and for NOTHING. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.requirements.map(formatRequirement).join(',');
}

/** The text of a requirement. Several values are sorted. */
export function formatRequirement(requirement: LabelRequirement): string {
  const { key, operator, values } = requirement;
  const list = values.length === 1 ? (values[0] as string) : values.toSorted(compareUtf8).join(',');
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${list})`;
    case 'gt':
      return `${key}>${list}`;
    case 'lt':
      return `${key}<${list}`;
    default:
      return `${key}${operator}${list}`;
  }
}

/** Whether labels match the selector. Compiled selectors must agree with this function. */
export function matchesLabels(selector: LabelSelector, lookup: LabelLookup): boolean {
  return !selector.matchesNothing && selector.requirements.every((requirement) => holds(requirement, lookup));
}

function holds(requirement: LabelRequirement, lookup: LabelLookup): boolean {
  const value = lookup(requirement.key);
  switch (requirement.operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && requirement.values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !requirement.values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    default: {
      const limit = requirement.values.length === 1 ? parseInt64(requirement.values[0] as string) : undefined;
      const number = value === undefined ? undefined : parseInt64(value);
      if (number === undefined || limit === undefined) return false;
      return requirement.operator === 'gt' ? number > limit : number < limit;
    }
  }
}
