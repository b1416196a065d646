/** Validation of the driver name and the parameters of StorageClasses and VolumeAttributesClasses. */
import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, required, tooLong } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/label-syntax.ts';
import { lowerCase } from '../../../apimachinery/validation/validate-object-meta.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

/** Validates the driver name in the field `name`: a qualified name in any case. */
export function validateDriver(object: JsonObject, name: string): FieldIssue[] {
  const path = FieldPath.of(name);
  const driver = lowerCase(textAt(object, name));
  if (driver === '') return [required(path, '')];
  return checkQualifiedName(driver).map((complaint) => invalid(path, driver, complaint));
}

/** `needed` requires at least one parameter. */
export function validateParameters(object: JsonObject, needed: boolean): FieldIssue[] {
  const path = FieldPath.of('parameters');
  const parameters = objectAt(object, 'parameters') ?? {};
  const names = Object.keys(parameters);
  if (names.length > MAX_PARAMETERS) return [tooLong(path, undefined, MAX_PARAMETERS)];
  const issues: FieldIssue[] = [];
  if (names.includes('')) issues.push(invalid(path, '', 'field can not be empty.'));
  if (textBytes(parameters) > MAX_PARAMETER_BYTES) issues.push(tooLong(path, undefined, MAX_PARAMETER_BYTES));
  if (needed && names.length === 0) issues.push(required(path, 'must contain at least one key/value pair'));
  return issues;
}

/** Returns the number of UTF-8 bytes of all keys and values of a string map. */
export function textBytes(map: JsonObject): number {
  let bytes = 0;
  for (const key in map) bytes += utf8Length(key) + utf8Length(String(map[key]));
  return bytes;
}
