/** Validation of who manages which fields. Invariant: pure; the fields themselves are checked where they are decoded. */

import { utf8Length } from '../../base/utf8.ts';
import { isPrintable } from '../go-format.ts';
import { declared, type FieldIssue, invalid, tooLong } from './field-issue.ts';
import { type FieldPath, indexPath } from './field-path.ts';
import { isLongerThan } from './text-rules.ts';

/** What validation reads of an entry of managedFields. */
export interface ManagedFieldsFacts {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly fieldsType?: string | undefined;
  readonly subresource?: string | undefined;
}

const FIELD_MANAGER_MAX = 128;
const SUBRESOURCE_MAX = 256;

export function validateManagedFields(
  entries: readonly ManagedFieldsFacts[] | undefined,
  path: FieldPath | undefined,
): FieldIssue[] {
  return (entries ?? []).flatMap((entry, i) => validateEntry(entry, indexPath(path, i)));
}

function validateEntry(entry: ManagedFieldsFacts, path: FieldPath): FieldIssue[] {
  const { manager = '', operation = '', fieldsType = '', subresource = '' } = entry;
  const issues: FieldIssue[] = [];
  if (operation !== 'Apply' && operation !== 'Update')
    issues.push(declared(invalid(path.child('operation'), operation, 'must be `Apply` or `Update`')));
  if (fieldsType !== '' && fieldsType !== 'FieldsV1')
    issues.push(invalid(path.child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
  issues.push(...validateFieldManager(manager, path.child('manager')));
  if (isLongerThan(subresource, SUBRESOURCE_MAX))
    issues.push(tooLong(path.child('subresource'), undefined, SUBRESOURCE_MAX));
  return issues;
}

/**
 * The name of a field manager, also as a query parameter: 128 bytes at most, printable. Empty is fine. One issue stands for each
 * character that is not printable; its position counts bytes. A name that is too long is not looked at further, unlike in the reference: each
 * issue holds all of the name, and a client could make them fill the memory.
 */
export function validateFieldManager(manager: string, path: FieldPath | undefined): FieldIssue[] {
  if (isLongerThan(manager, FIELD_MANAGER_MAX)) return [tooLong(path, undefined, FIELD_MANAGER_MAX)];
  const issues: FieldIssue[] = [];
  let position = 0;
  for (const char of manager) {
    if (!isPrintable(char)) {
      const code = (char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
      issues.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += utf8Length(char);
  }
  return issues;
}
