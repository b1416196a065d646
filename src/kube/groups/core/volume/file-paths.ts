/** Validation of file paths and file modes in volumes. */
import { fieldAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, required } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';

const MAX_MODE = 0o777;

/** Reports a path with a `..` component. */
export function validateNoBacksteps(target: string, path: FieldPath): FieldIssue[] {
  if (!target.includes('..') || !target.split('/').includes('..')) return [];
  return [invalid(path, target, "must not contain '..'")];
}

/** Reports a path that is absolute or has a `..` component. */
export function validateDescendingPath(target: string, path: FieldPath): FieldIssue[] {
  const issues = validateNoBacksteps(target, path);
  return target.startsWith('/') ? [invalid(path, target, 'must be a relative path'), ...issues] : issues;
}

/** Like `validateDescendingPath`; also reports a name that begins with `..`: the kubelet uses such names. */
export function validateLocalPath(target: string, path: FieldPath): FieldIssue[] {
  const issues = validateDescendingPath(target, path);
  if (target.startsWith('..') && !target.startsWith('../'))
    issues.push(invalid(path, target, "must not start with '..'"));
  return issues;
}

/** Validates the file mode in the field `name`. An absent mode is valid. `path` is the path of `object`. */
export function validateFileMode(object: JsonObject, name: string, path: FieldPath): FieldIssue[] {
  const mode = fieldAt(object, name);
  if (typeof mode !== 'number' || (mode >= 0 && mode <= MAX_MODE)) return [];
  return [invalid(path.child(name), mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

/** Validates one item of a source: a key and the path of its file. */
export function validateKeyToPath(item: JsonObject, path: FieldPath): FieldIssue[] {
  const target = textAt(item, 'path');
  return [
    ...(textAt(item, 'key') === '' ? [required(path.child('key'), '')] : []),
    ...(target === '' ? [required(path.child('path'), '')] : validateLocalPath(target, path.child('path'))),
    ...validateFileMode(item, 'mode', path),
  ];
}
