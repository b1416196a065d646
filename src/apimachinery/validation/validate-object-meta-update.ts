/** Validation of changed metadata against the stored one. Fields that identify an object never change. */
import { equalJson, type JsonValue } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { quote } from '../go-format.ts';
import { addIssues, declared, type FieldIssue, forbidden, invalid } from './field-issue.ts';
import { childPath, type FieldPath } from './field-path.ts';
import { validateLabels } from './label-syntax.ts';
import { validateManagedFields } from './validate-managed-fields.ts';
import {
  FIELD_IMMUTABLE,
  type ObjectMetaFacts,
  validateAnnotations,
  validateOwnerReferences,
} from './validate-object-meta.ts';

/**
 * Validates metadata that replaces `old`. The syntax of finalizers is not checked, because an old object may have names
 * that were once allowed.
 */
export function validateObjectMetaUpdate(
  next: ObjectMetaFacts,
  old: ObjectMetaFacts,
  path: FieldPath | undefined,
): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const { resourceVersion = '', generation = 0 } = next;
  if (isSet(old.deletionTimestamp))
    addIssues(issues, validateNoNewFinalizers(next.finalizers, old.finalizers, childPath(path, 'finalizers')));
  if (resourceVersion === '')
    issues.push(invalid(childPath(path, 'resourceVersion'), resourceVersion, 'must be specified for an update'));
  if (generation < (old.generation ?? 0))
    issues.push(invalid(childPath(path, 'generation'), generation, 'must not be decremented'));
  issues.push(...validateImmutableField(next.name ?? '', old.name ?? '', childPath(path, 'name')));
  issues.push(...validateImmutableField(next.namespace ?? '', old.namespace ?? '', childPath(path, 'namespace')));
  issues.push(...validateImmutableField(next.uid ?? '', old.uid ?? '', childPath(path, 'uid')).map(declared));
  issues.push(...validateSameTime(next.creationTimestamp, old.creationTimestamp, childPath(path, 'creationTimestamp')));
  issues.push(...validateSameTime(next.deletionTimestamp, old.deletionTimestamp, childPath(path, 'deletionTimestamp')));
  issues.push(
    ...validateImmutableField(
      next.deletionGracePeriodSeconds ?? null,
      old.deletionGracePeriodSeconds ?? null,
      childPath(path, 'deletionGracePeriodSeconds'),
    ),
  );
  addIssues(issues, validateLabels(next.labels, childPath(path, 'labels')));
  addIssues(issues, validateAnnotations(next.annotations, childPath(path, 'annotations')));
  addIssues(issues, validateOwnerReferences(next.ownerReferences, childPath(path, 'ownerReferences')));
  addIssues(issues, validateManagedFields(next.managedFields, childPath(path, 'managedFields')));
  return issues;
}

/** Returns one issue, with the new value, if the two values are not deeply equal. */
export function validateImmutableField(next: JsonValue, old: JsonValue, path: FieldPath | undefined): FieldIssue[] {
  return equalJson(next, old) ? [] : [invalid(path, next, FIELD_IMMUTABLE)];
}

/** Reports finalizers that were added to an object that is being deleted. */
function validateNoNewFinalizers(
  next: readonly string[] | undefined,
  old: readonly string[] | undefined,
  path: FieldPath | undefined,
): FieldIssue[] {
  const known = new Set(old ?? []);
  const extra = [...new Set(next ?? [])].filter((finalizer) => !known.has(finalizer)).sort(compareUtf8);
  if (extra.length === 0) return [];
  const list = `[]string{${extra.map(quote).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [forbidden(path, detail)];
}

type TimeText = string | null | undefined;

/** Reports a changed time. Two texts of the same instant are equal. */
function validateSameTime(next: TimeText, old: TimeText, path: FieldPath): FieldIssue[] {
  if ((!isSet(next) && !isSet(old)) || next === old) return [];
  if (isSet(next) && isSet(old) && Date.parse(next) === Date.parse(old)) return [];
  return [declared(invalid(path, isSet(next) ? next : null, FIELD_IMMUTABLE))];
}

function isSet(time: TimeText): time is string {
  return time !== undefined && time !== null && time !== '';
}
