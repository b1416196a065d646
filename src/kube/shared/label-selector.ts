/**
 * Label selectors of specs: read, judged and matched. Invariant: pure; the texts are the reference's. The rules of one selector are in
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

/** The selector at a path of a normalized object; undefined if there is none. */
export function selectorAt(object: JsonObject, ...path: readonly string[]): LabelSelectorObject | undefined {
  return objectAt(object, ...path) as LabelSelectorObject | undefined;
}

/** The labels at a path of a normalized object; undefined if there are none. */
export function labelsAt(object: JsonObject, ...path: readonly string[]): Labels | undefined {
  return objectAt(object, ...path) as Labels | undefined;
}

/** True for a selector that asks for nothing: it selects everything. */
export function isEmptySelector(selector: LabelSelectorObject): boolean {
  return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
}

/** Whether a selector takes these labels; undefined for one that makes no sense. An absent selector takes none. */
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

/** An issue that shows the selector as a whole. */
export function invalidSelector(
  selector: LabelSelectorObject | undefined,
  path: FieldPath,
  detail: string,
): FieldIssue {
  return declared(invalid(path, (selector ?? null) as JsonValue, detail));
}

/** The issue of a template whose labels its own selector does not take. `path` is that of the template. */
export function labelsDoNotMatch(labels: Labels | undefined, path: FieldPath): FieldIssue {
  return invalid(
    path.child('metadata', 'labels'),
    (labels ?? null) as JsonValue,
    '`selector` does not match template `labels`',
  );
}
