/**
 * Reading and matching of label selectors in specs. Validation of a selector itself is in
 * `apimachinery/selectors/label-selector-object.ts`.
 */
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { matchesLabels } from '../../apimachinery/selectors/label-selector.ts';
import {
  type LabelSelectorObject,
  labelSelectorFromObject,
} from '../../apimachinery/selectors/label-selector-object.ts';
import { declared, type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';

type Labels = Readonly<Record<string, string>>;

/** The selector at a path of a normalized object. */
export function selectorAt(object: JsonObject, ...path: readonly string[]): LabelSelectorObject | undefined {
  return objectAt(object, ...path) as LabelSelectorObject | undefined;
}

/** The labels at a path of a normalized object. */
export function labelsAt(object: JsonObject, ...path: readonly string[]): Labels | undefined {
  return objectAt(object, ...path) as Labels | undefined;
}

/** Whether a selector has no requirements and therefore selects everything. */
export function isEmptySelector(selector: LabelSelectorObject): boolean {
  return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
}

/** Whether a selector matches the labels. Undefined for an invalid selector. An absent selector matches nothing. */
export function selectorMatches(
  selector: LabelSelectorObject | undefined,
  labels: Labels | undefined,
): boolean | undefined {
  const converted = labelSelectorFromObject(selector);
  if (!converted.ok) return undefined;
  return matchesLabels(converted.selector, (key) =>
    labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined,
  );
}

/** An issue about the selector as a whole, with the selector as its value. */
export function invalidSelector(
  selector: LabelSelectorObject | undefined,
  path: FieldPath,
  detail: string,
): FieldIssue {
  return declared(invalid(path, (selector ?? null) as JsonValue, detail));
}

/** The issue about template labels that the workload's own selector does not match. `path` is the template's. */
export function labelsDoNotMatch(labels: Labels | undefined, path: FieldPath): FieldIssue {
  return invalid(
    path.child('metadata', 'labels'),
    (labels ?? null) as JsonValue,
    '`selector` does not match template `labels`',
  );
}
