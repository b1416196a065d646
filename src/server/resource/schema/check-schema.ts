/**
 * The checks of a schema that a program declares: it must be structural, its defaults valid, and its rules must
 * compile.
 */
import { type FieldIssue, formatIssue, invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { checkRules } from '../../../schema/rules/check-rules.ts';
import { defaultRules } from '../../../schema/rules/rules-of.ts';
import { parseStructural } from '../../../schema/structural/parse-structural.ts';
import { NO_PLAIN_NODES } from '../../../schema/structural/plain-nodes.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { validateStructural } from '../../../schema/structural/validate-structural.ts';
import { validateDefaults } from '../../../schema/validate-defaults.ts';
import { objectMetaView } from './object-metadata-form.ts';

const ROOT = FieldPath.of('schema');

/**
 * Returns the parsed schema. Throws ConfigError that lists every problem with its path; `kind` names the resource in
 * it.
 */
export function checkedSchema(kind: string, schema: JsonObject): StructuralSchema {
  const parsed = parseStructural(schema, ROOT);
  const issues = parsed.ok ? schemaIssues(parsed.schema) : [parsed.issue];
  if (parsed.ok && issues.length === 0) return parsed.schema;
  throw new ConfigError(`the schema of ${kind} is not valid: ${issues.map(formatIssue).join('; ')}`);
}

function schemaIssues(schema: StructuralSchema): readonly FieldIssue[] {
  const structural = validateStructural(schema, ROOT);
  if (structural.length > 0) return structural;
  const options = { path: ROOT, requirePruned: true, objectMeta: objectMetaView(), rules: defaultRules };
  return [...validateDefaults(schema, { ...options, plain: NO_PLAIN_NODES }), ...ruleIssues(schema, true, ROOT)];
}

function ruleIssues(schema: StructuralSchema, isResource: boolean, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const { rules, properties, items, additionalProperties: values } = schema;
  if (rules.length > 0) {
    const at = path.child('x-kubernetes-validations');
    const checked = checkRules(schema, isResource);
    if (!checked.ok) issues.push(invalid(at, '', checked.message));
    else
      for (const [i, { problem, messageProblem }] of checked.verdicts.entries()) {
        if (problem !== undefined) issues.push(invalid(at.index(i).child('rule'), rules[i]?.rule ?? '', problem));
        if (messageProblem !== undefined)
          issues.push(invalid(at.index(i).child('messageExpression'), '', messageProblem));
      }
  }
  const add = (node: StructuralSchema, at: FieldPath): void => {
    issues.push(...ruleIssues(node, node.embeddedResource, at));
  };
  for (const [name, property] of properties) add(property, path.child('properties').key(name));
  if (items !== undefined) add(items, path.child('items'));
  if (typeof values === 'object') add(values, path.child('additionalProperties'));
  return issues;
}
