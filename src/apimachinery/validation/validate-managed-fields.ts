/** Validation of managedFields. The fields themselves are checked where they are decoded. */

import { utf8Length } from '../../base/utf8.ts';
import { isPrintable } from '../go-format.ts';
import { declared, type FieldIssue, invalid, tooLong } from './field-issue.ts';
import { type FieldPath, indexPath } from './field-path.ts';
import { isLongerThan } from './text-rules.ts';

/** The part of a managedFields entry that validation reads. */
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
  const issues: FieldIssue[] = [];
  if (entries === undefined) return issues;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as ManagedFieldsFacts;
    if (!isPlain(entry)) issues.push(...validateEntry(entry, indexPath(path, i)));
  }
  return issues;
}

const PLAIN_NAME = /^[ -~]{0,128}$/;

/** True for entries that have no issue, as all that the server writes. */
function isPlain({ manager = '', operation, fieldsType = '', subresource = '' }: ManagedFieldsFacts): boolean {
  if ((operation !== 'Update' && operation !== 'Apply') || (fieldsType !== '' && fieldsType !== 'FieldsV1'))
    return false;
  return PLAIN_NAME.test(manager) && subresource.length <= SUBRESOURCE_MAX / 4;
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
 * Validates the name of a field manager, also as a query parameter: at most 128 bytes, printable, may be empty. There
 * is one issue for each character that is not printable; its position is in bytes. A name that is too long is not
 * checked further. The reference checks it, and each issue contains the whole name, so that a client could exhaust the
 * memory.
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
