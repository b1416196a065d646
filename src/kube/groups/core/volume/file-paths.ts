/** Paths of files and their modes, as volumes have them. Invariant: pure; the texts are the reference's. */
import { fieldAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, required } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';

const MAX_MODE = 0o777;

/** No part of the path is `..`. */
export function validateNoBacksteps(target: string, path: FieldPath): FieldIssue[] {
  if (!target.includes('..') || !target.split('/').includes('..')) return [];
  return [invalid(path, target, "must not contain '..'")];
}

/** A path below something: relative, and never leaving it. */
export function validateDescendingPath(target: string, path: FieldPath): FieldIssue[] {
  const issues = validateNoBacksteps(target, path);
  return target.startsWith('/') ? [invalid(path, target, 'must be a relative path'), ...issues] : issues;
}

/** A descending path that does not begin with two dots either: such names are the kubelet's. */
export function validateLocalPath(target: string, path: FieldPath): FieldIssue[] {
  const issues = validateDescendingPath(target, path);
  if (target.startsWith('..') && !target.startsWith('../'))
    issues.push(invalid(path, target, "must not start with '..'"));
  return issues;
}

/** The mode of files that `object` has in `name`; an absent one is fine. */
export function validateFileMode(object: JsonObject, name: string, path: FieldPath): FieldIssue[] {
  const mode = fieldAt(object, name);
  if (typeof mode !== 'number' || (mode >= 0 && mode <= MAX_MODE)) return [];
  return [invalid(path.child(name), mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

/** One of a source's keys and the file it becomes. */
export function validateKeyToPath(item: JsonObject, path: FieldPath): FieldIssue[] {
  const target = textAt(item, 'path');
  return [
    ...(textAt(item, 'key') === '' ? [required(path.child('key'), '')] : []),
    ...(target === '' ? [required(path.child('path'), '')] : validateLocalPath(target, path.child('path'))),
    ...validateFileMode(item, 'mode', path),
  ];
}
