/**
 * Validation of the fields of a version other than its schema, in a version or in the spec for all of them:
 * subresources, columns, selectable fields, deprecation. Issues are in kube-apiserver's order.
 */
import { isPrintable } from '../../../apimachinery/go-format.ts';
import { fieldAt, flagAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  required,
  tooMany,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { MAX_SELECTABLE_FIELDS, type ValidationOptions } from './validation-options.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_WARNING = 256;

// ── Deprecation ──────────────────────────────────────────────────────────────────────────────────────

export function validateDeprecation(version: JsonObject, path: FieldPath): FieldIssue[] {
  const warning = fieldAt(version, 'deprecationWarning');
  if (typeof warning !== 'string') return [];
  const place = path.child('deprecationWarning');
  const complaints = flagAt(version, 'deprecated')
    ? warningComplaints(warning)
    : ['can only be set for deprecated versions'];
  return complaints.map((complaint) => declared(invalid(place, warning, complaint)));
}

function warningComplaints(warning: string): string[] {
  const complaints: string[] = [];
  if (utf8Length(warning) > MAX_WARNING) complaints.push('must be <= 256 characters long');
  if (warning === '') complaints.push('must not be an empty string');
  let at = 0;
  for (const char of warning) {
    if (!isPrintable(char)) {
      complaints.push(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`);
      break;
    }
    at += utf8Length(char);
  }
  return complaints;
}

// ── Subresources ─────────────────────────────────────────────────────────────────────────────────────

export function validateSubresources(subresources: JsonObject | undefined, path: FieldPath): FieldIssue[] {
  const scale = subresources === undefined ? undefined : objectAt(subresources, 'scale');
  if (scale === undefined) return [];
  const selector = textAt(scale, 'labelSelectorPath');
  return [
    ...checkReplicas(textAt(scale, 'specReplicasPath'), '.spec', path.child('scale.specReplicasPath')),
    ...checkReplicas(textAt(scale, 'statusReplicasPath'), '.status', path.child('scale.statusReplicasPath')),
    ...(selector === '' ? [] : checkSelector(selector, path.child('scale.labelSelectorPath'))),
  ];
}

function checkReplicas(text: string, parent: string, path: FieldPath): FieldIssue[] {
  if (text === '') return [required(path, '')];
  const issues = validateSimplePath(text, path);
  if (issues.length > 0 || text.startsWith(`${parent}.`)) return issues;
  return [invalid(path, text, `should be a json path under ${parent}`)];
}

function checkSelector(text: string, path: FieldPath): FieldIssue[] {
  const issues = validateSimplePath(text, path);
  if (issues.length > 0 || text.startsWith('.spec.') || text.startsWith('.status.')) return issues;
  return [declared(invalid(path, text, 'should be a json path under either .spec or .status'))];
}

/** Checks only that the path begins with a dot, as kube-apiserver does. */
function validateSimplePath(text: string, path: FieldPath): FieldIssue[] {
  return text.startsWith('.') ? [] : [invalid(path, text, 'must be a simple json path starting with .')];
}

// ── Columns ──────────────────────────────────────────────────────────────────────────────────────────

export function validateColumns(holder: JsonObject, path: FieldPath): FieldIssue[] {
  return objectsAt(holder, 'additionalPrinterColumns').flatMap((column, i) =>
    validateColumn(column, path.child('additionalPrinterColumns').index(i)),
  );
}

/** Issues name the path as v1beta1 does, in requests of both versions. */
function validateColumn(column: JsonObject, path: FieldPath): FieldIssue[] {
  const type = textAt(column, 'type');
  const format = textAt(column, 'format');
  const jsonPath = textAt(column, 'JSONPath');
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const issues: FieldIssue[] = [];
  if (textAt(column, 'name') === '') issues.push(required(path.child('name'), ''));
  if (type === '') issues.push(required(path.child('type'), types));
  else if (!COLUMN_TYPES.includes(type)) issues.push(invalid(path.child('type'), type, types));
  if (format !== '' && !COLUMN_FORMATS.includes(format))
    issues.push(invalid(path.child('format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  const place = path.child('JSONPath');
  issues.push(...(jsonPath === '' ? [required(place, '')] : validateSimplePath(jsonPath, place)));
  return issues;
}

// ── Selectable fields ────────────────────────────────────────────────────────────────────────────────

/**
 * Validates the selectable fields of a version, or of the spec (`versionName` is ''). `without` is the message if there
 * is no schema.
 */
export function validateSelectableFields(
  holder: JsonObject,
  schema: JsonObject | undefined,
  place: { readonly path: FieldPath; readonly versionName: string; readonly without: string },
  options: ValidationOptions,
): FieldIssue[] {
  const fields = objectsAt(holder, 'selectableFields');
  if (fields.length === 0) return [];
  const path = place.path.child('selectableFields');
  if (schema === undefined) return [invalid(path, '', place.without)];
  const parsed = options.checks.parse(schema);
  if (!parsed.ok) return [invalid(place.path.child('schema.openAPIV3Schema'), '', parsed.message)];
  const seen = new Set<string>();
  const issues = fields.flatMap((field, i) =>
    checkSelectable(textAt(field, 'jsonPath'), path.index(i).child('jsonPath'), parsed.schema, seen, options),
  );
  if (seen.size > MAX_SELECTABLE_FIELDS && !options.tooManyFieldsAllowed.has(place.versionName))
    issues.push(tooMany(path, seen.size, MAX_SELECTABLE_FIELDS));
  return issues;
}

const SELECTABLE_TYPE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

function checkSelectable(
  text: string,
  path: FieldPath,
  root: StructuralSchema,
  seen: Set<string>,
  { checks }: ValidationOptions,
): FieldIssue[] {
  if (text === '') return [required(path, '')];
  const found = checks.findPath(text, root, { subscripts: false });
  if (!found.ok) return [invalid(path, text, `is an invalid path: ${found.message}`)];
  const issues: FieldIssue[] = [];
  const name = String(found.path);
  if (/^metadata(?:$|[.[])/.test(name)) issues.push(invalid(path, text, 'must not point to fields in metadata'));
  if (!['string', 'boolean', 'integer'].includes(found.schema.type)) issues.push(invalid(path, text, SELECTABLE_TYPE));
  if (seen.has(name)) issues.push(duplicate(path, text));
  seen.add(name);
  return issues;
}
