/**
 * Label selectors as data: requirements that must all hold. Invariant: requirements are ordered by key, so equal selectors that were
 * parsed print equally; a selector is immutable. Matching many objects: compile it (label-selector-match.ts).
 */

import { compareUtf8 } from '../../base/utf8.ts';
import { declared, type FieldIssue, invalid, notSupported } from '../validation/field-issue.ts';
import { childPath, type FieldPath } from '../validation/field-path.ts';
import { checkLabelValue, checkQualifiedName } from '../validation/label-syntax.ts';

export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

/** In the order in which messages list them; the first seven take values. */
export const LABEL_OPERATORS: readonly LabelOperator[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt', 'exists', '!'];

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** In the order given; parsed ones are sorted and without duplicates. */
  readonly values: readonly string[];
}

export interface LabelSelector {
  /** True for the selector that matches no object at all; it has no requirements and prints as nothing. */
  readonly matchesNothing: boolean;
  readonly requirements: readonly LabelRequirement[];
}

/** Matches every object, also one without labels. */
export const EVERYTHING: LabelSelector = { matchesNothing: false, requirements: [] };

/** Matches no object: what an absent LabelSelector object means. */
export const NOTHING: LabelSelector = { matchesNothing: true, requirements: [] };

/** The value of a label, undefined if the object does not have it. */
export type LabelLookup = (key: string) => string | undefined;

/** What is wrong with a requirement, none if it can be used. `path` is where it stands, if it stands in an object. */
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

/** One issue that joins all complaints about a key. */
export function labelKeyIssue(key: string, path: FieldPath | undefined): FieldIssue | undefined {
  const complaints = checkQualifiedName(key);
  return complaints.length === 0 ? undefined : invalid(path, key, complaints.join('; '));
}

function operandIssues(operator: LabelOperator, values: readonly string[], path: FieldPath | undefined): FieldIssue[] {
  const valuesPath = childPath(path, 'values');
  // An empty list is nil where the reference makes requirements of objects, and prints so.
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

/** A decimal int64, signs and leading zeros allowed; undefined for anything else. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const negative = text.startsWith('-');
  const digits = text.replace(/^[+-]?0*/, '');
  if (digits.length > 19) return undefined;
  const magnitude = BigInt(digits === '' ? '0' : digits);
  if (magnitude > (negative ? INT64_MAX + 1n : INT64_MAX)) return undefined;
  return negative ? -magnitude : magnitude;
}

/** A selector of requirements that were checked before; they are put in order. */
export function labelSelectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  if (requirements.length === 0) return EVERYTHING;
  return { matchesNothing: false, requirements: requirements.toSorted((a, b) => compareUtf8(a.key, b.key)) };
}

/** Equality with every label given; EVERYTHING if there are none. Nothing is checked. */
export function labelSelectorOfLabels(labels: Readonly<Record<string, string>>): LabelSelector {
  return labelSelectorOf(Object.keys(labels).map((key) => ({ key, operator: '=', values: [labels[key] as string] })));
}

/** True if the selector restricts nothing. */
export function isEverything(selector: LabelSelector): boolean {
  return !selector.matchesNothing && selector.requirements.length === 0;
}

/** The text of a selector, empty for EVERYTHING and for NOTHING. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.requirements.map(formatRequirement).join(',');
}

/** The text of a requirement; several values are sorted. */
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

/** Whether labels meet the selector: the definition that compiled selectors must agree with. */
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
