/** Validation of the texts in `x-kubernetes-validations` before compilation. Issues are in kube-apiserver's order. */

import { fieldAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { ParsedSchema, SchemaChecks } from './schema-checks.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const LINE_BREAK = /[\n\r]/;

/** `path` is the path of the list of rules, and `schema` is the node that has them. */
export function validateRuleTexts(
  rules: readonly JsonObject[],
  schema: JsonObject,
  path: FieldPath,
  checks: SchemaChecks,
): FieldIssue[] {
  let parsed: ParsedSchema | undefined;
  const parse = (): ParsedSchema => {
    parsed ??= checks.parse(schema);
    return parsed;
  };
  return rules.flatMap((rule, i) => [
    ...checkRuleAndMessage(rule, path.index(i)),
    ...checkMessageExpression(rule, path.index(i)),
    ...checkReason(rule, path.index(i)),
    ...checkFieldPath(rule, parse, path.index(i), checks),
  ]);
}

function checkRuleAndMessage(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const text = textAt(rule, 'rule').trim();
  const message = textAt(rule, 'message');
  const shown = message.trim();
  const place = path.child('message');
  if (text === '') return [required(path.child('rule'), 'rule is not specified')];
  if (message !== '' && shown === '') return [invalid(place, message, 'must be non-empty if specified')];
  if (LINE_BREAK.test(shown)) return [invalid(place, message, 'must not contain line breaks')];
  if (LINE_BREAK.test(text) && shown === '')
    return [required(place, 'message must be specified if rule contains line breaks')];
  return [];
}

function checkMessageExpression(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const expression = textAt(rule, 'messageExpression');
  if (expression === '' || expression.trim() !== '') return [];
  return [required(path.child('messageExpression'), 'messageExpression must be non-empty if specified')];
}

function checkReason(rule: JsonObject, path: FieldPath): FieldIssue[] {
  const reason = fieldAt(rule, 'reason');
  if (typeof reason !== 'string' || REASONS.includes(reason)) return [];
  return [declared(notSupported(path.child('reason'), reason, REASONS))];
}

function checkFieldPath(
  rule: JsonObject,
  parse: () => ParsedSchema,
  path: FieldPath,
  checks: SchemaChecks,
): FieldIssue[] {
  const text = textAt(rule, 'fieldPath');
  if (text === '') return [];
  const place = path.child('fieldPath');
  const issues: FieldIssue[] = [];
  if (text.trim() === '') issues.push(invalid(place, text, 'must be non-empty if specified'));
  if (LINE_BREAK.test(text)) issues.push(invalid(place, text, 'must not contain line breaks'));
  const parsed = parse();
  if (parsed.ok && !checks.findPath(text, parsed.schema).ok) issues.push(invalid(place, text, 'must be a valid path'));
  return issues;
}
