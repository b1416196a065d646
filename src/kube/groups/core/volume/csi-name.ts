/** Validation of references to CSI drivers. */
import { type FieldIssue, invalid, required, tooLong } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Subdomain } from '../../../../apimachinery/validation/name-syntax.ts';
import { lowerCase } from '../../../../apimachinery/validation/validate-object-meta.ts';
import { utf8Length } from '../../../../base/utf8.ts';

const MAX_NAME = 63;

export function validateCsiDriverName(name: string, path: FieldPath): FieldIssue[] {
  if (name === '') return [required(path, '')];
  return [
    ...(utf8Length(name) > MAX_NAME ? [tooLong(path, undefined, MAX_NAME)] : []),
    ...checkDns1123Subdomain(lowerCase(name)).map((complaint) => invalid(path, name, complaint)),
  ];
}
