/**
 * Validation of the names of a definition, in spec and status. Empty names are valid here; `requireNames` reports them.
 */
import { type FieldIssue, invalid, required } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkDns1035Label } from '../../../apimachinery/validation/name-syntax.ts';
import type { CrdNames } from '../../crd.ts';

const MIXED_CASE = 'may have mixed case, but should otherwise match: ';

/** Reports the names that a spec must have. A status need not have them. */
export function requireNames(names: CrdNames, path: FieldPath): FieldIssue[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((name) => names[name] === '')
    .map((name) => required(path.child(name), ''));
}

export function validateNames(names: CrdNames, path: FieldPath): FieldIssue[] {
  const { kind, listKind } = names;
  return [
    ...checkLabel(names.plural, path.child('plural')),
    ...checkLabel(names.singular, path.child('singular')),
    ...checkKind(kind, path.child('kind')),
    ...checkKind(listKind, path.child('listKind')),
    ...names.shortNames.flatMap((name, i) => checkText(name, name, path.child('shortNames').index(i))),
    ...(kind !== '' && kind === listKind
      ? [invalid(path.child('listKind'), listKind, 'kind and listKind may not be the same')]
      : []),
    ...names.categories.flatMap((name, i) => checkText(name, name, path.child('categories').index(i))),
  ];
}

function checkLabel(name: string, path: FieldPath): FieldIssue[] {
  return name === '' ? [] : checkText(name, name, path);
}

function checkKind(kind: string, path: FieldPath): FieldIssue[] {
  return kind === '' ? [] : checkText(kind.toLowerCase(), kind, path, MIXED_CASE);
}

/** Returns one issue with all complaints. */
export function checkText(text: string, shown: string, path: FieldPath, before = ''): FieldIssue[] {
  const complaints = checkDns1035Label(text);
  return complaints.length === 0 ? [] : [invalid(path, shown, before + complaints.join(','))];
}
